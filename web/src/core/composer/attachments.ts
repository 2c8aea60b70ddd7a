import { computed, signal, type ReadonlySignal, type Signal } from '@preact/signals-core'
import { ApiError, newClientId, type Wire } from '../service/api.js'
import { type Attachment } from '../turn/turn.js'
import { type Transfer, type Upload } from './uploads.js'

/** How many files a message may have at most. */
export const mostAttachments = 20

type UploadState = 'waiting' | 'uploading' | 'ready' | 'failed'

/** A file that goes with the next message. */
export interface AttachedUpload {
  readonly id: number
  /** Null for a file that was uploaded on an earlier visit. */
  readonly file: File | null
  readonly state: ReadonlySignal<UploadState>
  /** From 0 to 1; at 1 the service has not answered yet. */
  readonly progress: ReadonlySignal<number>
  /** Why the upload failed. */
  readonly problem: ReadonlySignal<ApiError | null>
  /** The file as the service has it; null until then. */
  readonly attachment: ReadonlySignal<Attachment | null>
}

interface Kept extends AttachedUpload {
  /** Makes a repeated upload the same file. */
  readonly clientId: string
  readonly state: Signal<UploadState>
  readonly progress: Signal<number>
  readonly problem: Signal<ApiError | null>
  readonly attachment: Signal<Attachment | null>
  transfer: Transfer | null
  settled: Promise<void>
}

export interface AttachmentsOptions {
  upload: Upload
  /** Returns the id of the session, which is created if there is none. Throws ApiError. */
  ensure: () => Promise<string>
}

/** How many files `add` left out, and why no session could be created for them. */
export interface Added { leftOut: number, error: ApiError | null }

let ids = 0

/**
 * The files that go with the next message of a session. They are uploaded as soon as they are chosen, one at a time, because a browser
 * allows few connections.
 */
export class Attachments {
  readonly #list = signal<readonly Kept[]>([])
  readonly #options: AttachmentsOptions
  #queue: Promise<void> = Promise.resolve()
  readonly isBusy = computed(() => this.#list.value.some(({ state }) => isUnderWay(state.value)))
  readonly hasFailed = computed(() => this.#list.value.some(({ state }) => state.value === 'failed'))
  /** The uploaded files, as a draft keeps them. */
  readonly ready: ReadonlySignal<readonly Attachment[]> = computed(() =>
    this.#list.value.flatMap(({ attachment }) => attachment.value ?? []))

  constructor (options: AttachmentsOptions) {
    this.#options = options
  }

  get list (): ReadonlySignal<readonly AttachedUpload[]> { return this.#list }

  /** Adds as many files as the message still has room for. `idOf`: the id of each upload, if an earlier visit may have sent it. */
  async add (files: readonly File[], idOf: (place: number) => string = newClientId): Promise<Added> {
    const taken = files.slice(0, Math.max(0, mostAttachments - this.#list.peek().length))
    const leftOut = files.length - taken.length
    if (taken.length === 0) return { leftOut, error: null }
    const added = taken.map((file, place) => kept(file, null, idOf(place)))
    this.#list.value = [...this.#list.peek(), ...added]
    const admitted = this.#admit(added)
    for (const one of added) one.settled = admitted.then(() => {})
    return { leftOut, error: await admitted }
  }

  async #admit (added: readonly Kept[]): Promise<ApiError | null> {
    try {
      const sessionId = await this.#options.ensure()
      for (const one of added) this.#enqueue(one, sessionId)
      return null
    } catch (error) {
      this.#drop(added)
      if (error instanceof ApiError) return error
      throw error
    }
  }

  /** Restores files that the service already has, from a draft or from a message that was not accepted. */
  restore (attachments: readonly Attachment[]): void {
    const known = new Set(this.ready.peek().map(({ path }) => path))
    const missing = attachments.filter(({ path }) => path !== null && !known.has(path))
    this.#list.value = [...this.#list.peek(), ...missing.map((attachment) => kept(null, attachment))].slice(0, mostAttachments)
  }

  async retry (id: number): Promise<void> {
    const one = this.#find(id)
    if (one?.state.peek() !== 'failed') return
    this.#enqueue(one, await this.#options.ensure())
    await one.settled
  }

  remove (id: number): void {
    const one = this.#find(id)
    if (one !== undefined) this.#drop([one])
  }

  /** Removes all files and stops their uploads. */
  clear (): void {
    this.#drop(this.#list.peek())
  }

  /** Removes and returns the files once all are uploaded; null if an upload has failed. */
  async take (): Promise<readonly Attachment[] | null> {
    for (let next = this.#underWay(); next !== undefined; next = this.#underWay()) await next.settled
    if (this.hasFailed.peek()) return null
    const attachments = this.ready.peek()
    this.#list.value = []
    return attachments
  }

  #underWay (): Kept | undefined {
    return this.#list.peek().find(({ state }) => isUnderWay(state.peek()))
  }

  #find (id: number): Kept | undefined {
    return this.#list.peek().find((one) => one.id === id)
  }

  #drop (gone: readonly Kept[]): void {
    this.#list.value = this.#list.peek().filter((one) => !gone.includes(one))
    for (const { transfer } of gone) transfer?.abort()
  }

  #enqueue (one: Kept, sessionId: string): void {
    one.state.value = 'waiting'
    one.progress.value = 0
    one.problem.value = null
    one.settled = this.#queue = this.#queue.then(() => this.#send(one, sessionId))
  }

  async #send (one: Kept, sessionId: string): Promise<void> {
    const { file } = one
    if (file === null || !this.#list.peek().includes(one)) return
    one.state.value = 'uploading'
    one.transfer = this.#options.upload(file, {
      session_id: sessionId, client_id: one.clientId
    }, (share) => { one.progress.value = share })
    try {
      one.attachment.value = attachmentOf(await one.transfer.answer)
      one.state.value = 'ready'
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      one.problem.value = error
      one.state.value = 'failed'
    } finally {
      one.transfer = null
    }
  }
}

const isUnderWay = (state: UploadState): boolean => state === 'waiting' || state === 'uploading'

function kept (file: File | null, attachment: Attachment | null, clientId = ''): Kept {
  return {
    id: ++ids, clientId, file, state: signal(attachment === null ? 'waiting' : 'ready'), progress: signal(0), problem: signal(null),
    attachment: signal(attachment), transfer: null, settled: Promise.resolve()
  }
}

function attachmentOf ({ filename, path, mime, size, is_image: isImage }: Wire<'AttachedFile'>): Attachment {
  return { name: filename, path, mime, sizeBytes: size, isImage }
}
