import type Sqlite from 'better-sqlite3'
import { asError } from '../errors.js'
import { isDiskTrouble, troubleOf, type Trouble, type TroubleKind } from './trouble.js'

export interface DiskWatchOptions {
  /** Called once when writing begins to fail, and when the kind of failure changes. */
  onFailure: (error: Error) => void
  /** Called when writing works again. Returns false if the database is not fully usable yet: it is then called again later. */
  onRecovery: () => boolean
  /** Whether a disk that was full has room again for more than a page or two. */
  hasRoom: () => boolean
  /** How long one attempt may block the event loop to wait for another program's lock. */
  busyMs: number
  /** A trouble that is known from the start. */
  from?: TroubleKind
  /** Retries what was refused. */
  retry: () => void
}

const retryDelayMs = { locked: 40, full: 250, readonly: 1_000, failing: 250 }

/** Tracks whether the disk accepts writes, and schedules retries. */
export class DiskWatch {
  #trouble: Trouble | null
  #retrying: NodeJS.Timeout | undefined
  #isStopped = false

  constructor (private readonly sqlite: Sqlite.Database, private readonly options: DiskWatchOptions) {
    const { from, busyMs } = options
    this.#trouble = from === undefined ? null : { kind: from, sinceMs: performance.now() }
    this.#waitForLocks(busyMs)
  }

  /** Why nothing can be stored; null if writes succeed. */
  get trouble (): Trouble | null { return this.#trouble }

  /** Whether a retry is scheduled. */
  get isWaiting (): boolean { return this.#retrying !== undefined }

  get isStopped (): boolean { return this.#isStopped }

  /** Called when the disk has refused a write. */
  refused (error: Error): void {
    const kind = troubleOf(error) ?? 'failing'
    if (this.#trouble?.kind !== kind) this.options.onFailure(error)
    this.#trouble = { kind, sinceMs: this.#trouble?.sinceMs ?? performance.now() }
    // Retries are frequent enough that no single attempt has to wait for the lock.
    if (kind === 'locked') this.#waitForLocks(0)
    this.#retryLater(kind)
  }

  /** Called when a write has succeeded. */
  taken (): void {
    if (this.#trouble !== null) setImmediate(() => this.#works())
  }

  /** Makes a tiny write. With an empty queue, this is how the end of a trouble is noticed. */
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
