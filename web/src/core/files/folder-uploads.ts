import { signal, type ReadonlySignal } from '@preact/signals-core'
import { ApiError, newClientId, type Api } from '../service/api.js'
import { sendForm, uploadForm } from '../composer/uploads.js'

export interface FolderUpload {
  readonly id: number
  readonly name: string
  readonly sizeBytes: number
  readonly unpack: boolean
  readonly state: 'waiting' | 'sending' | 'storing' | 'failed'
  /** The share of its bytes that was sent, from 0 to 1. */
  readonly share: number
  readonly error: ApiError | null
}

/** A running upload. `answer` rejects with ApiError. */
interface Sending { answer: Promise<unknown>, abort: () => void }
export type Send = (options: { path: string, fields: Record<string, string>, file: File, onShare: (share: number) => void }) => Sending

interface Queued { upload: FolderUpload, clientId: string, file: File, folder: string, sending: Sending | null }

/** The uploads into a workspace, one at a time. A failed one stays until it is retried or dismissed. */
export class FolderUploads {
  readonly #list = signal<readonly FolderUpload[]>([])
  readonly #queued = new Map<number, Queued>()
  #last = 0
  #running = false

  /** @param onDone a file has arrived, or an archive was unpacked */
  constructor (readonly options: { sessionId: string, send: Send, onDone: (upload: FolderUpload, answer: unknown) => void }) {}

  get list (): ReadonlySignal<readonly FolderUpload[]> { return this.#list }

  add (files: readonly File[], folder: string, { unpack = false } = {}): void {
    for (const file of files) {
      const id = ++this.#last
      this.#queued.set(id, {
        upload: { id, name: file.name, sizeBytes: file.size, unpack, state: 'waiting', share: 0, error: null }, clientId: newClientId(),
        file, folder, sending: null
      })
    }
    this.#draw()
    void this.#run()
  }

  retry (id: number): void {
    this.#change(id, { state: 'waiting', share: 0, error: null })
    void this.#run()
  }

  /** Stops and removes an upload. */
  putAway (id: number): void {
    const queued = this.#queued.get(id)
    this.#queued.delete(id)
    queued?.sending?.abort()
    this.#draw()
  }

  async #run (): Promise<void> {
    if (this.#running) return
    this.#running = true
    for (let next = this.#next(); next !== undefined; next = this.#next()) await this.#sendOne(next)
    this.#running = false
  }

  #next (): Queued | undefined {
    return [...this.#queued.values()].find(({ upload }) => upload.state === 'waiting')
  }

  async #sendOne (queued: Queued): Promise<void> {
    const { upload: { id, unpack }, clientId, file, folder } = queued
    this.#change(id, { state: 'sending' })
    queued.sending = this.options.send({
      path: unpack ? '/api/upload/extract' : '/api/workspace/upload',
      fields: { session_id: this.options.sessionId, path: folder, client_id: clientId },
      file,
      onShare: (share) => this.#change(id, { share, state: share === 1 ? 'storing' : 'sending' })
    })
    try {
      const answer = await queued.sending.answer
      if (!this.#queued.delete(id)) return
      this.#draw()
      this.options.onDone(queued.upload, answer)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      this.#change(id, { state: 'failed', error })
    }
  }

  #change (id: number, change: Partial<FolderUpload>): void {
    const queued = this.#queued.get(id)
    if (queued === undefined) return
    queued.upload = { ...queued.upload, ...change }
    this.#draw()
  }

  #draw (): void {
    this.#list.value = [...this.#queued.values()].map(({ upload }) => upload)
  }
}

/** Sends files from a browser. `brokenOff` is the message for a broken connection. */
export const sendFromBrowser = (api: Api, brokenOff: () => string): Send =>
  ({ path, fields, file, onShare }) => sendForm(api, path, uploadForm(file, fields), onShare, brokenOff)
