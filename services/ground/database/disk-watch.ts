import type Sqlite from 'better-sqlite3'
import { asError } from '../errors.js'
import { isDiskTrouble, troubleOf, type Trouble, type TroubleKind } from './trouble.js'

export interface DiskWatchOptions {
  /** Once when writing begins to fail, and when it fails in another way. */
  onFailure: (error: Error) => void
  /** Writing works again. False: not as it should be, try again. */
  onRecovery: () => boolean
  /** Whether a disk that was full has more room again than for a page or two. */
  hasRoom: () => boolean
  /** How long one attempt may hold up the event loop for another program's lock. */
  busyMs: number
  /** What is known to be wrong to begin with. */
  from?: TroubleKind
  /** Time to try what was refused again. */
  retry: () => void
}

const retryDelayMs = { locked: 40, full: 250, readonly: 1_000, failing: 250 }

/** Keeps account of whether the disk takes what is written, and of when that is tried again. */
export class DiskWatch {
  #trouble: Trouble | null
  #retrying: NodeJS.Timeout | undefined
  #isStopped = false

  constructor (private readonly sqlite: Sqlite.Database, private readonly options: DiskWatchOptions) {
    const { from, busyMs } = options
    this.#trouble = from === undefined ? null : { kind: from, sinceMs: performance.now() }
    this.#waitForLocks(busyMs)
  }

  /** Why nothing can be stored; null when it can. */
  get trouble (): Trouble | null { return this.#trouble }

  /** What is refused waits for the next attempt. */
  get isWaiting (): boolean { return this.#retrying !== undefined }

  get isStopped (): boolean { return this.#isStopped }

  /** The disk has refused something. */
  refused (error: Error): void {
    const kind = troubleOf(error) ?? 'failing'
    if (this.#trouble?.kind !== kind) this.options.onFailure(error)
    this.#trouble = { kind, sinceMs: this.#trouble?.sinceMs ?? performance.now() }
    // It is looked again so often that no single attempt has to wait.
    if (kind === 'locked') this.#waitForLocks(0)
    this.#retryLater(kind)
  }

  /** Something was written. */
  taken (): void {
    if (this.#trouble !== null) setImmediate(() => this.#works())
  }

  /** Writes next to nothing: without a queue, this is how the end of a trouble is noticed. */
  probe (): void {
    try {
      this.sqlite.pragma(`user_version = ${Number(this.sqlite.pragma('user_version', { simple: true }))}`)
      this.#works()
    } catch (error) {
      if (!isDiskTrouble(error)) throw error
      this.refused(asError(error))
    }
  }

  stop (): void {
    clearTimeout(this.#retrying)
    this.#isStopped = true
  }

  #retryLater (kind: TroubleKind): void {
    if (this.#isStopped) return
    this.#retrying ??= setTimeout(() => {
      this.#retrying = undefined
      this.options.retry()
    }, retryDelayMs[kind]).unref()
  }

  #works (): void {
    if (this.#trouble === null || this.#isStopped) return
    if (this.#trouble.kind === 'full' && !this.options.hasRoom()) return this.#retryLater('full')
    if (!this.options.onRecovery()) return this.#retryLater(this.#trouble.kind)
    this.#trouble = null
    this.#waitForLocks(this.options.busyMs)
  }

  #waitForLocks (ms: number): void {
    this.sqlite.pragma(`busy_timeout = ${ms}`)
  }
}
