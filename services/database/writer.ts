import type Sqlite from 'better-sqlite3'

/** A unit of work of the group commit. It may be run again when its batch fails, so it does nothing but write rows. */
interface Operation {
  write: () => void
  /** Runs after the commit that holds the write: this is where subscribers are told. */
  committed?: () => void
  /** Runs instead when this write alone is refused (a constraint, a fence). */
  refused?: (error: Error) => void
  /** The disk has to have it before `committed` runs. */
  durable?: boolean
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
   * Nested calls join the outer transaction.
   */
  transaction<T> (work: () => T, options?: { durable?: boolean }): T
  /**
   * Like `transaction` with `durable`, but joins the group commit: all that is asked for in one tick shares one sync of
   * the disk. Each `work` stands alone: what one throws undoes and rejects only that one.
   */
  durably<T> (work: () => T): Promise<T>
  /** Runs `callback` after the commit of the transaction that is open now. */
  afterCommit (callback: () => void): void
  /** Commits everything that is enqueued. */
  flush (): void
}

const retryDelayMs = 250

/** The one writer of the database: group commit for what streams, immediate transactions for what people do. */
export function createWriter (sqlite: Sqlite.Database, { onFailure = () => {} }: { onFailure?: (error: Error) => void } = {}): Writer {
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

  function schedule (): void {
    if (scheduled) return
    scheduled = true
    setImmediate(onTick)
  }

  function onTick (): void {
    scheduled = false
    try {
      flush()
    } catch (error) {
      // A full disk or a locked file: nothing was sent, nothing is lost; the same batch is tried again.
      onFailure(error as Error)
      scheduled = true
      setTimeout(onTick, retryDelayMs).unref()
    }
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

  function synced<T> (isDurable: boolean, work: () => T): T {
    if (!isDurable) return work()
    syncFull()
    try {
      return work()
    } finally {
      syncNormal()
    }
  }

  function flush (): void {
    if (open || queue.length === 0) return
    const batch = queue
    queue = []
    const isDurable = batch.some((operation) => operation.durable === true)
    try {
      synced(isDurable, () => inTransaction(() => { for (const operation of batch) operation.write() }))
    } catch (error) {
      if (!isRefusal(error)) {
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

  /** The disk refuses: what streams waits and is tried again; whoever waits for an answer is told. */
  function keep (batch: Operation[], error: Error): void {
    queue = [...batch.filter((operation) => operation.durable !== true), ...queue]
    for (const operation of batch) if (operation.durable === true) operation.refused?.(error)
  }

  /** One bad operation must not take its neighbours with it. */
  function commitOneByOne (batch: Operation[]): void {
    for (const [index, operation] of batch.entries()) {
      try {
        synced(operation.durable === true, () => inTransaction(operation.write))
      } catch (error) {
        if (!isRefusal(error)) {
          keep(batch.slice(index), error as Error)
          throw error
        }
        operation.refused?.(error as Error)
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

  return {
    enqueue,
    transaction (work, { durable = false } = {}) {
      if (open) return work()
      flush()
      return synced(durable, () => inTransaction(work))
    },
    durably (work) {
      return new Promise((resolve, reject) => {
        let outcome: () => void = () => {}
        enqueue({
          durable: true,
          write () {
            const told = afterwards.length
            savepoint.run()
            try {
              const result = work()
              outcome = () => resolve(result)
              release.run()
            } catch (error) {
              if (!isRefusal(error)) throw error
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
    afterCommit (callback) {
      if (open) afterwards.push(callback)
      else callback()
    },
    flush
  }
}

/** Whether an error of SQLite's comes from the state of the disk: full, unreadable, locked. */
export function isDiskTrouble (error: unknown): boolean {
  return /^SQLITE_(FULL|IOERR|BUSY|LOCKED|NOMEM|READONLY|CANTOPEN)/.test((error as { code?: string }).code ?? '')
}

/** Refused by a rule (constraint, fence) rather than by the state of the disk: trying again would not help. */
function isRefusal (error: unknown): boolean {
  return !isDiskTrouble(error)
}
