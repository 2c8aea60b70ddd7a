import type Sqlite from 'better-sqlite3'
import { isDiskTrouble, troubleOf, type Trouble, type TroubleKind } from './trouble.js'

/** A unit of work of the group commit. It may be run again when its batch fails, so it does nothing but write rows. */
interface Operation {
  write: () => void
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
   * for up to 5 s, without holding up anything.
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
  /** How long one attempt may hold up the event loop for another program's lock. */
  busyMs?: number
  /** What is known to be wrong to begin with. */
  from?: TroubleKind
}

const retryDelayMs = { locked: 40, full: 250, readonly: 1_000, failing: 250 }
const lockPatienceMs = 5_000

/** The one writer of the database: group commit for what streams, immediate transactions for what people do. */
export function createWriter (sqlite: Sqlite.Database, { onFailure = () => {}, onRecovery = () => true, busyMs = 0, from }: WriterOptions = {}): OwnedWriter {
  const begin = sqlite.prepare('begin immediate')
  const commit = sqlite.prepare('commit')
  const rollback = sqlite.prepare('rollback')
  const savepoint = sqlite.prepare('savepoint one')
  const undo = sqlite.prepare('rollback to one')
  const release = sqlite.prepare('release one')
  const syncFull = () => sqlite.pragma('synchronous = FULL')
  const syncNormal = () => sqlite.pragma('synchronous = NORMAL')

  let queue: Operation[] = []
  let scheduled = false
  let open = false
  let afterwards: Array<() => void> = []
  let trouble: Trouble | null = from === undefined ? null : { kind: from, sinceMs: performance.now() }
  let retrying: NodeJS.Timeout | undefined
  let stopped = false
  const waitForLocks = (ms: number) => sqlite.pragma(`busy_timeout = ${ms}`)
  waitForLocks(busyMs)

  function schedule (): void {
    if (scheduled) return
    scheduled = true
    setImmediate(onTick)
  }

  function onTick (): void {
    scheduled = false
    // Nothing was sent, nothing is lost: the same batch is tried again, by the timer that the trouble has set.
    if (retrying === undefined && !stopped) catchUp()
  }

  function catchUp (): void {
    try {
      flush()
    } catch (error) {
      if (!isDiskTrouble(error)) onFailure(error as Error)
    }
  }

  /** The disk has refused something. */
  function refusedBy (error: Error): void {
    const kind = troubleOf(error)!
    if (trouble?.kind !== kind) onFailure(error)
    trouble = { kind, sinceMs: trouble?.sinceMs ?? performance.now() }
    // It is looked again so often that no single attempt has to wait.
    if (kind === 'locked') waitForLocks(0)
    retryLater(kind)
  }

  function retryLater (kind: TroubleKind): void {
    if (!stopped) retrying ??= setTimeout(retry, retryDelayMs[kind]).unref()
  }

  function retry (): void {
    retrying = undefined
    giveUpLate()
    if (queue.length > 0) catchUp()
    else probe()
  }

  /** Writes next to nothing: without a queue, this is how the end of a trouble is noticed. */
  function probe (): void {
    try {
      sqlite.pragma(`user_version = ${sqlite.pragma('user_version', { simple: true }) as number}`)
      written()
    } catch (error) {
      if (!isDiskTrouble(error)) throw error
      refusedBy(error as Error)
    }
  }

  function written (): void {
    if (trouble === null || stopped) return
    if (!onRecovery()) return retryLater(trouble.kind)
    trouble = null
    waitForLocks(busyMs)
  }

  function inTransaction<T> (work: () => T): T {
    begin.run()
    open = true
    const outer = afterwards
    afterwards = []
    let callbacks: Array<() => void> = []
    try {
      const result = work()
      commit.run()
      callbacks = afterwards
      return result
    } catch (error) {
      if (sqlite.inTransaction) rollback.run()
      throw error
    } finally {
      open = false
      afterwards = outer
      for (const callback of callbacks) tell(callback)
    }
  }

  /** Runs `work` in a transaction, synced if it has to be, and keeps account of what the disk says to it. */
  function store<T> (isDurable: boolean, work: () => T): T {
    if (isDurable) syncFull()
    try {
      const result = inTransaction(work)
      if (trouble !== null) setImmediate(written)
      return result
    } catch (error) {
      if (isDiskTrouble(error)) refusedBy(error as Error)
      throw error
    } finally {
      if (isDurable) syncNormal()
    }
  }

  function flush (): void {
    if (open || queue.length === 0) return
    const batch = queue
    queue = []
    const isDurable = batch.some((operation) => operation.durable === true)
    try {
      store(isDurable, () => { for (const operation of batch) operation.write() })
    } catch (error) {
      if (isDiskTrouble(error)) {
        keep(batch, error as Error)
        throw error
      }
      commitOneByOne(batch)
      return
    }
    for (const operation of batch) tell(operation.committed)
  }

  /** What is committed stays committed, whatever those who hear of it do. */
  function tell (callback?: () => void): void {
    try {
      callback?.()
    } catch (error) {
      onFailure(error as Error)
    }
  }

  /** What streams waits and is tried again; whoever waits for an answer is told, unless it is a lock, which may be gone in a moment. */
  function keep (batch: Operation[], error: Error): void {
    const nowMs = performance.now()
    const isOver = ({ untilMs }: Operation): boolean => untilMs !== undefined && (troubleOf(error) !== 'locked' || untilMs <= nowMs)
    queue = [...batch.filter((operation) => !isOver(operation)), ...queue]
    for (const operation of batch) if (isOver(operation)) tell(() => operation.refused?.(error))
  }

  /** Whoever has waited long enough for a lock is told that it is still there. */
  function giveUpLate (): void {
    const nowMs = performance.now()
    const late = queue.filter(({ untilMs }) => untilMs !== undefined && untilMs <= nowMs)
    if (late.length === 0) return
    queue = queue.filter((operation) => !late.includes(operation))
    const error = Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })
    for (const operation of late) tell(() => operation.refused?.(error))
  }

  /** One bad operation must not take its neighbours with it. */
  function commitOneByOne (batch: Operation[]): void {
    for (const [index, operation] of batch.entries()) {
      try {
        store(operation.durable === true, operation.write)
      } catch (error) {
        if (isDiskTrouble(error)) {
          keep(batch.slice(index), error as Error)
          throw error
        }
        tell(() => operation.refused?.(error as Error))
        continue
      }
      tell(operation.committed)
    }
  }

  function enqueue (operation: Operation): void {
    if (open) {
      operation.write()
      if (operation.committed !== undefined) afterwards.push(operation.committed)
      return
    }
    queue.push(operation)
    schedule()
  }

  function transaction<T> (work: () => T, { durable = false } = {}): T {
    if (open) return work()
    flush()
    return store(durable, work)
  }

  return {
    enqueue,
    transaction,
    durably (work) {
      return new Promise((resolve, reject) => {
        let outcome: () => void = () => {}
        enqueue({
          durable: true,
          untilMs: performance.now() + lockPatienceMs,
          write () {
            const told = afterwards.length
            savepoint.run()
            try {
              const result = work()
              outcome = () => resolve(result)
              release.run()
            } catch (error) {
              if (isDiskTrouble(error)) throw error
              undo.run()
              release.run()
              afterwards.length = told
              const reason = error as Error
              outcome = () => reject(reason)
            }
          },
          committed: () => outcome(),
          refused: reject
        })
      })
    },
    soonest (write) {
      try {
        transaction(write, { durable: true })
      } catch (error) {
        if (!isDiskTrouble(error)) throw error
        queue.push({ durable: true, write, refused: onFailure })
      }
    },
    afterCommit (callback) {
      if (open) afterwards.push(callback)
      else callback()
    },
    flush,
    catchUp,
    trouble: () => trouble,
    probe,
    stop () {
      catchUp()
      clearTimeout(retrying)
      stopped = true
      return queue.length
    }
  }
}
