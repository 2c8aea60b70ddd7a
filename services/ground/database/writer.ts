import { AsyncLocalStorage } from 'node:async_hooks'
import type Sqlite from 'better-sqlite3'
import { asError } from '../errors.js'
import { DiskWatch } from './disk-watch.js'
import { Transactions } from './transactions.js'
import { isDiskTrouble, troubleOf, type Trouble, type TroubleKind } from './trouble.js'

/** A unit of work of the group commit. */
interface Operation {
  /**
   * May be run again when its batch fails, so it does nothing but write rows. `isOnly`: the transaction holds nothing else, so
   * what is thrown undoes just this.
   */
  write: (isOnly: boolean) => void
  /** Runs after the commit that holds the write: this is where subscribers are told. */
  committed?: () => void
  /** Runs instead when this write alone is refused (a constraint, a fence). */
  refused?: (error: Error) => void
  /** The disk has to have it before `committed` runs. */
  durable?: boolean
  /** Somebody waits for it until then, by performance.now(), and is told when the disk refuses; the others are kept. */
  untilMs?: number
}

export interface Writer {
  /**
   * Joins the group commit at the end of this turn of the event loop. Writes are committed in the order of the calls,
   * together with every other one of the same tick; `committed` runs once they are in the database.
   */
  enqueue (operation: Operation): void
  /**
   * Runs `work` in a transaction now and returns its result. What was enqueued before is committed first, so order
   * is kept. `durable`: the disk has it before this returns (synchronous=FULL), for what a person typed or decided.
   * Nested calls join the outer transaction. What the disk refuses is thrown at once, also when it only is locked by
   * another program: this call holds up the event loop. Who can wait calls `durably`.
   */
  transaction<T> (work: () => T, options?: { durable?: boolean }): T
  /**
   * Like `transaction` with `durable`, but joins the group commit: all that is asked for in one tick shares one sync of
   * the disk. Each `work` stands alone: what one throws undoes and rejects only that one. Another program's lock is waited
   * for up to 5 s, without holding up anything. `work` runs in the asynchronous context of its caller.
   */
  durably<T> (work: () => T): Promise<T>
  /** Runs `callback` after the commit of the transaction that is open now. */
  afterCommit (callback: () => void): void
  /**
   * Writes now, durably, or as soon as the disk takes it, after what was enqueued before: for what follows from something
   * that has happened whatever the disk says. What a rule refuses now is thrown; later it is only logged. `write` may be
   * run again, and does nothing but write rows.
   */
  soonest (write: () => void): void
  /** Commits everything that is enqueued; throws when the disk refuses. */
  flush (): void
  /** The same, but what the disk refuses goes on waiting: for readers, who get what is stored. */
  catchUp (): void
  /** Why nothing can be stored; null when it can. Found out by the last write, and again several times a second until it is over. */
  trouble (): Trouble | null
  /** The writes that are not stored yet, for metrics: how many, and how long ago the first of them was enqueued; 0 where none is. */
  waiting (): { writes: number, oldestMs: number }
}

/** What only the owner of the connection calls. */
export interface OwnedWriter extends Writer {
  /** Finds out whether anything can be written. */
  probe (): void
  /** Commits what it can, and tries nothing again. Returns how many writes are lost with that. */
  stop (): number
}

export interface WriterOptions {
  /** Once when writing begins to fail; and for what was told after a commit and has thrown. */
  onFailure?: (error: Error) => void
  /** Writing works again. False: not as it should be, try again. */
  onRecovery?: () => boolean
  /** Whether a disk that was full has more room again than for a page or two. Default: whenever something can be written. */
  hasRoom?: () => boolean
  /** How long one attempt may hold up the event loop for another program's lock. */
  busyMs?: number
  /** After each commit. */
  onStored?: () => void
  /** What is known to be wrong to begin with. */
  from?: TroubleKind
}

const lockPatienceMs = 5_000

/** The one writer of the database: group commit for what streams, immediate transactions for what people do. */
export function createWriter (sqlite: Sqlite.Database, options: WriterOptions = {}): OwnedWriter {
  return new GroupCommit(sqlite, options)
}

/** Its operations are handed on one by one, so each of them knows where it belongs. */
class GroupCommit implements OwnedWriter {
  #queue: Operation[] = []
  /** Of the first in the queue, by performance.now(). */
  #enqueuedMs = 0
  #isScheduled = false
  /** Whoever writes next happens to commit what others have enqueued: that, and what follows from it, is not theirs. */
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
          // A savepoint keeps every page as it was before, beyond 64 KiB in a temporary file: as much again as there is to write.
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

  /** What a refusing disk puts back in front was enqueued when the queue was last begun. */
  #add (operation: Operation): void {
    if (this.#queue.length === 0) this.#enqueuedMs = performance.now()
    this.#queue.push(operation)
  }

  #schedule (): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      // Nothing was sent, nothing is lost: the same batch is tried again, by the timer that the trouble has set.
      if (!this.#disk.isWaiting && !this.#disk.isStopped) this.catchUp()
    })
  }

  #retry (): void {
    this.#giveUpLate()
    if (this.#queue.length > 0) this.catchUp()
    else this.probe()
  }

  /** Runs `work` in a transaction and keeps account of what the disk says to it. */
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

  /** What is committed stays committed, whatever those who hear of it do. */
  #tell (callback?: () => void): void {
    try {
      callback?.()
    } catch (error) {
      this.#onFailure(asError(error))
    }
  }

  /** What streams waits and is tried again; whoever waits for an answer is told, unless it is a lock, which may be gone in a moment. */
  #keep (batch: Operation[], error: Error): void {
    const nowMs = performance.now()
    const isOver = ({ untilMs }: Operation): boolean => untilMs !== undefined && (troubleOf(error) !== 'locked' || untilMs <= nowMs)
    this.#queue = [...batch.filter((operation) => !isOver(operation)), ...this.#queue]
    for (const operation of batch) if (isOver(operation)) this.#tell(() => operation.refused?.(error))
  }

  /** Whoever has waited long enough for a lock is told that it is still there. */
  #giveUpLate (): void {
    const nowMs = performance.now()
    const late = this.#queue.filter(({ untilMs }) => untilMs !== undefined && untilMs <= nowMs)
    if (late.length === 0) return
    this.#queue = this.#queue.filter((operation) => !late.includes(operation))
    const error = Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })
    for (const operation of late) this.#tell(() => operation.refused?.(error))
  }

  /** One bad operation must not take its neighbours with it. */
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
