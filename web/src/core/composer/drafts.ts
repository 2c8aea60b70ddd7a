import { isEqual, isRecord } from '../service/records.js'
import { computed, signal, type ReadonlySignal } from '@preact/signals-core'
import { ApiError, type Api, type Wire } from '../service/api.js'
import { attachmentsOf, attachmentToWire } from '../turn/message-wire.js'
import { type Attachment } from '../turn/turn.js'

const saveAfterMs = 400
const retryAfterMs = 5_000
const storageKey = 'draft-of-new-session'

/** The part of `Storage` that drafts use; tests bring their own. */
export interface DraftStore {
  getItem: (key: string) => string | null
  setItem: (key: string, value: string) => void
  removeItem: (key: string) => void
}

export interface DraftOptions {
  api: Api
  /** Stores the draft of a new chat; null: it is not stored. */
  store: DraftStore | null
  saveAfterMs?: number
}

/** The content of the box: its text and uploaded files. */
export interface BoxContent { text: string, attachments: readonly Attachment[] }

const empty: BoxContent = { text: '', attachments: [] }

/** The draft of one session, stored with the service so that no window or device loses it. */
export class Draft {
  readonly #content = signal<BoxContent>(empty)
  readonly #isSaved = signal(true)
  readonly #options: Required<DraftOptions>
  #sessionId: string | null
  #timer: ReturnType<typeof setTimeout> | undefined
  #isTouched = false
  #isTyped = false
  #isClosed = false
  /** Sent messages that are not stored yet; until they are, the draft contains them. */
  readonly #sending = new Set<BoxContent>()
  /** The draft as it was last sent to the service, or kept in this browser. */
  #stored: string
  #saving: Promise<void> = Promise.resolve()
  readonly text: ReadonlySignal<string> = computed(() => this.#content.value.text)

  constructor (sessionId: string | null, options: DraftOptions) {
    this.#sessionId = sessionId
    this.#options = { saveAfterMs, ...options }
    const kept = sessionId === null ? this.#options.store?.getItem(storageKey) ?? null : null
    this.#take(parsed(kept))
    this.#stored = kept ?? nothing
  }

  get content (): ReadonlySignal<BoxContent> { return this.#content }
  /** Whether the service, or this browser for a new chat, has the current content. */
  get isSaved (): ReadonlySignal<boolean> { return this.#isSaved }

  /** Whether the text was written here; false if it came from the service or back after a refusal. */
  get isTyped (): boolean { return this.#isTyped }

  /** Sets the text. */
  write (text: string): void {
    this.#isTyped = true
    this.#change({ text })
  }

  /** Sets the files. */
  attach (attachments: readonly Attachment[]): void {
    if (!isEqual(attachments, this.#content.peek().attachments)) this.#change({ attachments })
  }

  /** Takes a message out of the box. Call the returned function with whether it was accepted; if not, its text comes back. */
  take (text: string, attachments: readonly Attachment[]): (isTaken: boolean) => void {
    const sending = { text, attachments }
    this.#sending.add(sending)
    if (this.#content.peek().text.trim() === text.trim()) this.#change({ text: '' })
    return (isTaken) => {
      this.#sending.delete(sending)
      if (isTaken) this.#change({})
      else this.giveBack(text)
    }
  }

  /** Puts refused text back, in front of any text written since. */
  giveBack (text: string): void {
    const now = this.#content.peek().text
    this.#isTyped = false
    this.#change({ text: now.trim() === '' ? text : `${text}\n${now}` })
  }

  /** Adopts the service's draft of a session, if nothing was written here. */
  offer (draft: Wire<'Draft'> | null | undefined): readonly Attachment[] {
    if (this.#isTouched || this.#sessionId === null || draft === undefined) return []
    this.#take(draft)
    this.#stored = this.#wire()
    return this.#content.peek().attachments
  }

  /** Called once the session is created. */
  async settle (sessionId: string): Promise<void> {
    if (this.#sessionId !== null) return
    this.#sessionId = sessionId
    this.#unkeep()
    this.#stored = nothing
    // The draft was written here, perhaps on an earlier visit.
    this.#isTouched = true
    await this.save()
  }

  /** Stores the draft now. Never rejects: a failure is retried with the next change. */
  async save (): Promise<void> {
    clearTimeout(this.#timer)
    this.#saving = this.#saving.then(() => this.#store())
    await this.#saving
  }

  /** Stores unsaved changes; called when the box is left. */
  async close (): Promise<void> {
    this.#isClosed = true
    await this.save()
  }

  /** Sends unsaved changes by a request that outlives the page. */
  flush (): void {
    clearTimeout(this.#timer)
    const body = this.#wire()
    const { api } = this.#options
    if (this.#sessionId === null) return this.#keep(body)
    if (body === this.#stored) return
    fetch(api.url('/api/session/draft'), {
      method: 'POST', keepalive: body.length < keepaliveChars, headers: { 'content-type': 'application/json', ...api.tokenHeaders },
      body: this.#body(body)
    }).catch(() => {})
  }

  async #store (): Promise<void> {
    const body = this.#wire()
    const { api } = this.#options
    if (this.#sessionId === null) this.#keep(body)
    else if (body !== this.#stored) {
      try {
        await api.post('/api/session/draft', JSON.parse(this.#body(body)))
        this.#stored = body
      } catch (error) {
        // A draft that the service rejects permanently is not retried.
        if (!(error instanceof ApiError) || error.status === 0 || error.status >= 500) this.#later(retryAfterMs)
        return
      }
    }
    this.#isSaved.value = this.#wire() === body
  }

  /** Keeps the draft of a new chat in this browser if it was changed here: all windows share one place. */
  #keep (body: string): void {
    if (body === this.#stored) return
    try {
      if (body === nothing) this.#unkeep()
      else this.#options.store?.setItem(storageKey, body)
      this.#stored = body
    } catch {
      // The browser's storage may be full; the box still has the text.
    }
  }

  /** Removes the kept draft, unless another window has kept its own since. */
  #unkeep (): void {
    const { store } = this.#options
    if (store?.getItem(storageKey) === this.#stored) store.removeItem(storageKey)
  }

  #change (change: Partial<BoxContent>): void {
    this.#isTouched = true
    this.#content.value = { ...this.#content.peek(), ...change }
    this.#isSaved.value = false
    this.#later(this.#options.saveAfterMs)
  }

  #later (ms: number): void {
    clearTimeout(this.#timer)
    if (!this.#isClosed) this.#timer = setTimeout(() => { void this.save() }, ms)
  }

  #take (draft: Wire<'Draft'> | null): void {
    this.#content.value = draft === null ? empty : { text: draft.text, attachments: attachmentsOf(draft.files) }
  }

  #wire (): string {
    const { text, attachments } = this.#content.peek()
    const sending = [...this.#sending]
    const files = [...sending.flatMap((one) => one.attachments), ...attachments]
    return JSON.stringify({ text: joined([...sending.map((one) => one.text), text]), files: files.map(attachmentToWire) })
  }

  #body (draft: string): string {
    return `{"session_id":${JSON.stringify(this.#sessionId)},${draft.slice(1)}`
  }
}

/** Browsers allow 64 KiB in requests that outlive their page. */
const keepaliveChars = 20_000

const joined = (texts: readonly string[]): string => texts.filter((text) => text !== '').join('\n\n')

const nothing = JSON.stringify({ text: '', files: [] })

function parsed (kept: string | null): Wire<'Draft'> | null {
  try {
    const draft: unknown = JSON.parse(kept ?? 'null')
    if (!isRecord(draft) || typeof draft.text !== 'string') return null
    return { text: draft.text, files: Array.isArray(draft.files) ? draft.files : [] }
  } catch {
    return null
  }
}

/** Returns earlier messages of a session for ↑, the latest first, without duplicates. */
export function promptHistory (exchanges: ReadonlyArray<{
  user: ReadonlySignal<{ text: string, source: string | null } | null>
}>): string[] {
  const texts = exchanges.flatMap(({ user: { value: user } }) =>
    user === null || user.source !== null || user.text.trim() === '' ? [] : [user.text])
  return [...new Set(texts.reverse())]
}
