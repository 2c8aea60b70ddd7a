import { AsyncLocalStorage } from 'node:async_hooks'
import type Sqlite from 'better-sqlite3'
import { asError } from '../errors.js'
import { DiskWatch } from './disk-watch.js'
import { Transactions } from './transactions.js'
import { isDiskTrouble, troubleOf, type Trouble, type TroubleKind } from './trouble.js'

/** A unit of work in the group commit. */
interface Operation {
  /**
   * Writes rows and does nothing else, because it may be run again if its batch fails. `isOnly`: the transaction holds nothing else, so an
   * error undoes only this write.
   */
  write: (isOnly: boolean) => void
  /** Called after the commit that holds the write. Subscribers are told here. */
  committed?: () => void
  /** Called instead if this write alone is refused (a constraint, a fence). */
  refused?: (error: Error) => void
  /** Whether the write must be on the disk before `committed` is called. */
  durable?: boolean
  /**
   * Until when a caller waits for the write, by performance.now(); the caller is told if the disk refuses. Writes without this are kept and
   * retried.
   */
  untilMs?: number
}

export interface Writer {
  /**
   * Adds a write to the group commit at the end of this turn of the event loop. All writes of a tick are committed together, in the order
   * of the calls. `committed` is called once they are in the database.
   */
  enqueue (operation: Operation): void
  /**
   * Runs `work` in a transaction now and returns its result. Writes that were enqueued before are committed first, so order is kept.
   * `durable`: the data is on the disk before this returns (synchronous=FULL), for what a person typed or decided. Nested calls join the
   * outer transaction. Throws at once if the disk refuses, even if another program only holds a lock, because this call blocks the event
   * loop. Callers that can wait use `durably`.
   */
  transaction<T> (work: () => T, options?: { durable?: boolean }): T
  /**
   * Like `transaction` with `durable`, but joins the group commit: all calls of one tick share one sync of the disk. An error in one `work`
   * undoes and rejects only that one. Waits up to 5 s for another program's lock, without blocking anything. `work` runs in the
   * asynchronous context of its caller.
   */
  durably<T> (work: () => T): Promise<T>
  /** Runs `callback` after the commit of the open transaction, or at once if none is open. */
  afterCommit (callback: () => void): void
  /**
   * Writes durably, now or as soon as the disk permits, after all writes enqueued before: for the consequences of something that has
   * happened whatever the disk says. If a rule refuses the write now, that is thrown; later it is only logged. `write` may be run again, so
   * it must only write rows.
   */
  soonest (write: () => void): void
  /** Commits all enqueued writes. Throws if the disk refuses. */
  flush (): void
  /** Does the same, but writes that the disk refuses stay in the queue: for readers, which get what is stored. */
  catchUp (): void
  /**
   * Returns why nothing can be stored; null if writes succeed. Updated by each write, and several times a second until the trouble is over.
   */
  trouble (): Trouble | null
  /** Returns how many writes are not stored yet, and how long ago the first was enqueued (0 if there are none), for metrics. */
  waiting (): { writes: number, oldestMs: number }
}

/** Methods for the owner of the connection only. */
export interface OwnedWriter extends Writer {
  /** Finds out whether writes succeed. */
  probe (): void
  /** Commits what it can, without retries. Returns how many writes are lost. */
  stop (): number
}

export interface WriterOptions {
  /** Called once when writing begins to fail, and when a callback after a commit has thrown. */
  onFailure?: (error: Error) => void
  /** Called when writing works again. Returns false if the database is not fully usable yet: it is then called again later. */
  onRecovery?: () => boolean
  /** Whether a disk that was full has room again for more than a page or two. By default, as soon as a write succeeds. */
  hasRoom?: () => boolean
  /** How long one attempt may block the event loop to wait for another program's lock. */
  busyMs?: number
  /** Called after each commit. */
  onStored?: () => void
  /** A trouble that is known from the start. */
  from?: TroubleKind
}

const lockPatienceMs = 5_000

/** Creates the only writer of the database: group commit for streamed data, immediate transactions for what people do. */
export function createWriter (sqlite: Sqlite.Database, options: WriterOptions = {}): OwnedWriter {
  return new GroupCommit(sqlite, options)
}

/** Methods are bound, because they are passed on one by one. */
class GroupCommit implements OwnedWriter {
  #queue: Operation[] = []
  /** When the first write in the queue was enqueued, by performance.now(). */
  #enqueuedMs = 0
  #isScheduled = false
  /** A commit may include what other callers enqueued, so it must not run in the asynchronous context of the caller that triggers it. */
  readonly #asNobody = AsyncLocalStorage.snapshot()
  readonly #transactions: Transactions
  readonly #disk: DiskWatch
  readonly #onFailure: (error: Error) => void
  readonly #onStored: () => void

  constructor (
    sqlite: Sqlite.Database,
    { onFailure = () => {}, onRecovery = () => true, hasRoom = () => true, busyMs = 0, from, onStored = () => {} }: WriterOptions
  ) {
    this.#onFailure = onFailure
    this.#onStored = onStored
    this.#transactions = new Transactions(sqlite, (callback) => this.#tell(callback))
    this.#disk = new DiskWatch(sqlite, { onFailure, onRecovery, hasRoom, busyMs, from, retry: () => this.#retry() })
  }

  readonly enqueue = (operation: Operation): void => {
    if (this.#transactions.isOpen) {
      operation.write(false)
      if (operation.committed !== undefined) this.#transactions.afterCommit(operation.committed)
      return
    }
    this.#add(operation)
    this.#schedule()
  }

  readonly transaction = <T>(work: () => T, { durable = false } = {}): T => {
    if (this.#transactions.isOpen) return work()
    this.flush()
    return this.#store(durable, work)
  }

  readonly durably = <T>(asked: () => T): Promise<T> => new Promise<T>((resolve, reject) => {
    const work = AsyncLocalStorage.bind(asked)
    let outcome: () => void = () => {}
    this.enqueue({
      durable: true,
      untilMs: performance.now() + lockPatienceMs,
      write: (isOnly) => {
        try {
          // A savepoint keeps the previous content of every page, beyond 64 KiB in a temporary file: it doubles what is written.
          const result = isOnly ? work() : this.#transactions.alone(work)
          outcome = () => resolve(result)
        } catch (error) {
          if (isOnly || isDiskTrouble(error)) throw error
          const reason = asError(error)
          outcome = () => reject(reason)
        }
      },
      committed: () => outcome(),
      refused: reject
    })
  })

  readonly soonest = (write: () => void): void => {
    try {
      this.transaction(write, { durable: true })
    } catch (error) {
      if (!isDiskTrouble(error)) throw error
      this.#add({ durable: true, write, refused: this.#onFailure })
    }
  }

  readonly afterCommit = (callback: () => void): void => this.#transactions.afterCommit(callback)

  readonly flush = (): void => {
    if (!this.#transactions.isOpen && this.#queue.length > 0) this.#asNobody(() => this.#commit())
  }

  #commit (): void {
    const batch = this.#queue
    this.#queue = []
    const isDurable = batch.some((operation) => operation.durable === true)
    try {
      this.#store(isDurable, () => { for (const operation of batch) operation.write(batch.length === 1) })
    } catch (error) {
      if (isDiskTrouble(error)) {
        this.#keep(batch, asError(error))
        throw error
      }
      const [only, ...others] = batch
      if (others.length === 0) this.#tell(() => only?.refused?.(asError(error)))
      else this.#commitOneByOne(batch)
      return
    }
    for (const operation of batch) this.#tell(operation.committed)
  }

  readonly catchUp = (): void => {
    try {
      this.flush()
    } catch (error) {
      if (!isDiskTrouble(error)) this.#onFailure(asError(error))
    }
  }

  readonly trouble = (): Trouble | null => this.#disk.trouble

  readonly waiting = (): { writes: number, oldestMs: number } => {
    const writes = this.#queue.length
    return { writes, oldestMs: writes === 0 ? 0 : performance.now() - this.#enqueuedMs }
  }

  readonly probe = (): void => this.#disk.probe()

  readonly stop = (): number => {
    this.catchUp()
    this.#disk.stop()
    return this.#queue.length
  }

  /** Writes that a refusing disk has put back in front count from when the queue last became non-empty. */
  #add (operation: Operation): void {
    if (this.#queue.length === 0) this.#enqueuedMs = performance.now()
    this.#queue.push(operation)
  }

  #schedule (): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      // Nothing was sent, so nothing is lost: the timer that the trouble has set retries the same batch.
      if (!this.#disk.isWaiting && !this.#disk.isStopped) this.catchUp()
    })
  }

  #retry (): void {
    this.#giveUpLate()
    if (this.#queue.length > 0) this.catchUp()
    else this.probe()
  }

  /** Runs `work` in a transaction and records whether the disk accepted it. */
  #store<T> (isDurable: boolean, work: () => T): T {
    try {
      const result = this.#transactions.run(isDurable, work)
      this.#disk.taken()
      this.#onStored()
      return result
    } catch (error) {
      if (isDiskTrouble(error)) this.#disk.refused(asError(error))
      throw error
    }
  }

  /** A commit stands, whatever its callbacks throw. */
  #tell (callback?: () => void): void {
    try {
      callback?.()
    } catch (error) {
      this.#onFailure(asError(error))
    }
  }

  /**
   * Puts streamed writes back into the queue for a retry. Callers that wait for an answer are told, except for a lock, which may be gone in
   * a moment.
   */
  #keep (batch: Operation[], error: Error): void {
    const nowMs = performance.now()
    const isOver = ({ untilMs }: Operation): boolean => untilMs !== undefined && (troubleOf(error) !== 'locked' || untilMs <= nowMs)
    this.#queue = [...batch.filter((operation) => !isOver(operation)), ...this.#queue]
    for (const operation of batch) if (isOver(operation)) this.#tell(() => operation.refused?.(error))
  }

  /** Rejects the writes of callers that have waited long enough for a lock. */
  #giveUpLate (): void {
    const nowMs = performance.now()
    const late = this.#queue.filter(({ untilMs }) => untilMs !== undefined && untilMs <= nowMs)
    if (late.length === 0) return
    this.#queue = this.#queue.filter((operation) => !late.includes(operation))
    const error = Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })
    for (const operation of late) this.#tell(() => operation.refused?.(error))
  }

  /** One bad operation must not make the others of its batch fail. */
  #commitOneByOne (batch: Operation[]): void {
    for (const [index, operation] of batch.entries()) {
      try {
        this.#store(operation.durable === true, () => operation.write(true))
      } catch (error) {
        if (isDiskTrouble(error)) {
          this.#keep(batch.slice(index), asError(error))
          throw error
        }
        this.#tell(() => operation.refused?.(asError(error)))
        continue
      }
      this.#tell(operation.committed)
    }
  }
}
