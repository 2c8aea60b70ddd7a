import { isRecord } from '../service/records.js'
import { computed, signal, type ReadonlySignal } from '@preact/signals-core'
import { ApiError, type Api, type Wire } from '../service/api.js'
import { isEqual } from '../turn/exchange.js'
import { attachmentsOf, attachmentToWire } from '../turn/turn-stored.js'
import { type Attachment } from '../turn/turn.js'

const saveAfterMs = 400
const retryAfterMs = 5_000
const storageKey = 'draft-of-new-session'

/** What a browser has for it; tests bring their own. */
export interface DraftStore {
  getItem: (key: string) => string | null
  setItem: (key: string, value: string) => void
  removeItem: (key: string) => void
}

export interface DraftOptions {
  api: Api
  /** Where the draft of a session that is not there yet is kept; null: nowhere. */
  store: DraftStore | null
  saveAfterMs?: number
}

/** What stands in the box: its text, messages that wait for the end of the turn, and the files that are uploaded. */
export interface BoxContent { text: string, queued: readonly string[], attachments: readonly Attachment[] }

/** What was said while a turn ran: added to it, or for after it. */
export interface Said { kind: 'steer' | 'queue', text: string }

const empty: BoxContent = { text: '', queued: [], attachments: [] }

/**
 * What is in the box of one session, kept with the service so that no window and no device loses it. Messages that wait to be
 * sent are kept in front of the text: whoever comes back later finds them in the box.
 */
export class Draft {
  readonly #content = signal<BoxContent>(empty)
  readonly #isSaved = signal(true)
  readonly #options: Required<DraftOptions>
  #sessionId: string | null
  #timer: ReturnType<typeof setTimeout> | undefined
  #isTouched = false
  #isClosed = false
  /** What was sent and is not stored yet: until then the draft has it. */
  readonly #sending = new Set<BoxContent>()
  /** What the service has, as it was sent. */
  #stored = ''
  #saving: Promise<void> = Promise.resolve()
  readonly text: ReadonlySignal<string> = computed(() => this.#content.value.text)
  readonly queued: ReadonlySignal<readonly string[]> = computed(() => this.#content.value.queued)

  constructor (sessionId: string | null, options: DraftOptions) {
    this.#sessionId = sessionId
    this.#options = { saveAfterMs, ...options }
    if (sessionId === null) this.#take(parsed(this.#options.store?.getItem(storageKey) ?? null))
    this.#stored = this.#wire()
  }

  get content (): ReadonlySignal<BoxContent> { return this.#content }
  /** The service, or this browser for a session that is not there yet, has what stands in the box. */
  get isSaved (): ReadonlySignal<boolean> { return this.#isSaved }

  /** What the person writes. */
  write (text: string): void { this.#change({ text }) }

  /** The files that are there. */
  attach (attachments: readonly Attachment[]): void {
    if (!isEqual(attachments, this.#content.peek().attachments)) this.#change({ attachments })
  }

  /** A message leaves the box. The answer is to be called with whether it was taken; if not, its text is in the box again. */
  take (text: string, attachments: readonly Attachment[]): (isTaken: boolean) => void {
    const sending = { text, queued: [], attachments }
    this.#sending.add(sending)
    if (this.#content.peek().text.trim() === text.trim()) this.#change({ text: '' })
    return (isTaken) => {
      this.#sending.delete(sending)
      if (isTaken) this.#change({})
      else this.giveBack(text)
    }
  }

  /** Text that was not taken, before whatever was written since. */
  giveBack (text: string): void {
    const now = this.#content.peek().text
    this.#change({ text: now.trim() === '' ? text : `${text}\n${now}` })
  }

  /** A message for after the turn that runs. */
  queue (text: string): void { this.#change({ queued: [...this.#content.peek().queued, text] }) }

  /** The message that has waited longest; null when none does. */
  takeQueued (): string | null {
    const [first, ...queued] = this.#content.peek().queued
    if (first === undefined) return null
    this.#change({ queued })
    return first
  }

  /** Takes one out by its place, to be written anew or not at all. */
  dropQueued (index: number): string | null {
    const { queued } = this.#content.peek()
    this.#change({ queued: queued.filter((_, place) => place !== index) })
    return queued[index] ?? null
  }

  /**
   * Nothing is to be sent by itself any more: what has waited is in the box again, among what was added to the turn and `returned`,
   * which is there already, as they were `said`.
   */
  unqueue (returned = '', said: readonly Said[] = []): void {
    const { queued, text } = this.#content.peek()
    if (queued.length === 0) return
    const isThere = text.startsWith(returned)
    this.#change({
      queued: [],
      text: joined([...inOrder(isThere ? returned : '', queued, said), isThere ? text.slice(returned.length).replace(/^\n+/, '') : text])
    })
  }

  /** What the service has of it, with the session. Another device's draft is taken over only where nothing was written here. */
  offer (draft: Wire<'Draft'> | null | undefined): readonly Attachment[] {
    if (this.#isTouched || this.#sessionId === null || draft === undefined) return []
    this.#take(draft)
    this.#stored = this.#wire()
    return this.#content.peek().attachments
  }

  /** The session has been made. */
  async settle (sessionId: string): Promise<void> {
    if (this.#sessionId !== null) return
    this.#sessionId = sessionId
    this.#options.store?.removeItem(storageKey)
    this.#stored = nothing
    // What stands here was written here, if on an earlier visit.
    this.#isTouched = true
    await this.save()
  }

  /** Has it stored now. Never rejects: what could not be stored is tried again with the next change. */
  async save (): Promise<void> {
    clearTimeout(this.#timer)
    this.#saving = this.#saving.then(() => this.#store())
    await this.#saving
  }

  /** The box is left: what is not stored yet is stored. */
  async close (): Promise<void> {
    this.#isClosed = true
    await this.save()
  }

  /** The page is about to go: what is not stored yet is sent by a request that outlives it. */
  flush (): void {
    clearTimeout(this.#timer)
    const body = this.#wire()
    const { api, store } = this.#options
    if (this.#sessionId === null) return keepIn(store, body)
    if (body === this.#stored) return
    fetch(api.url('/api/session/draft'), {
      method: 'POST', keepalive: body.length < keepaliveChars, headers: { 'content-type': 'application/json', ...api.tokenHeaders },
      body: this.#body(body)
    }).catch(() => {})
  }

  async #store (): Promise<void> {
    const body = this.#wire()
    const { api, store } = this.#options
    if (this.#sessionId === null) keepIn(store, body)
    else if (body !== this.#stored) {
      try {
        await api.post('/api/session/draft', JSON.parse(this.#body(body)))
        this.#stored = body
      } catch (error) {
        // What the service will never take is not tried again by itself.
        if (!(error instanceof ApiError) || error.status === 0 || error.status >= 500) this.#later(retryAfterMs)
        return
      }
    }
    this.#isSaved.value = this.#wire() === body
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
    this.#content.value = draft === null ? empty : { text: draft.text, queued: [], attachments: attachmentsOf(draft.files) }
  }

  #wire (): string {
    const { text, queued, attachments } = this.#content.peek()
    const sending = [...this.#sending]
    const files = [...sending.flatMap((one) => one.attachments), ...attachments]
    return JSON.stringify({ text: joined([...sending.map((one) => one.text), ...queued, text]), files: files.map(attachmentToWire) })
  }

  #body (draft: string): string {
    return `{"session_id":${JSON.stringify(this.#sessionId)},${draft.slice(1)}`
  }
}

/** Browsers take 64 KiB in a request that outlives its page. */
const keepaliveChars = 20_000

/**
 * The service returns the latest of what was added as one text, a line break between; what others added to it stays with what follows it.
 */
function inOrder (returned: string, queued: readonly string[], said: readonly Said[]): string[] {
  const own = new Map<Said, string>()
  let rest = returned
  for (const one of said.filter(({ kind }) => kind === 'steer').toReversed()) {
    const from = `\n${rest}`.lastIndexOf(`\n${one.text}`)
    const end = from + one.text.length
    if (from === -1 || !['', '\n'].includes(rest.charAt(end))) continue
    own.set(one, rest.slice(from))
    rest = rest.slice(0, Math.max(0, from - 1))
  }
  const waiting = [...queued]
  const texts = said.flatMap((one) => one.kind === 'steer' ? own.get(one) ?? [] : waiting.splice(0, waiting.indexOf(one.text) + 1))
  return [rest, ...texts, ...waiting]
}

const joined = (texts: readonly string[]): string => texts.filter((text) => text !== '').join('\n\n')

const nothing = JSON.stringify({ text: '', files: [] })

function keepIn (store: DraftStore | null, body: string): void {
  try {
    if (body === nothing) store?.removeItem(storageKey)
    else store?.setItem(storageKey, body)
  } catch {
    // A browser may have no room, or none for this page: the box still has it.
  }
}

function parsed (kept: string | null): Wire<'Draft'> | null {
  try {
    const draft: unknown = JSON.parse(kept ?? 'null')
    if (!isRecord(draft) || typeof draft.text !== 'string') return null
    return { text: draft.text, files: Array.isArray(draft.files) ? draft.files : [] }
  } catch {
    return null
  }
}

/** Earlier messages of a session for ↑, the latest first, each once. */
export function promptHistory (exchanges: ReadonlyArray<{
  user: ReadonlySignal<{ text: string, source: string | null } | null>
}>): string[] {
  const texts = exchanges.flatMap(({ user: { value: user } }) =>
    user === null || user.source !== null || user.text.trim() === '' ? [] : [user.text])
  return [...new Set(texts.reverse())]
}
