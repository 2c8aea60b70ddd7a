import type Sqlite from 'better-sqlite3'
import { isDiskTrouble } from './trouble.js'

/** Runs the transactions of one connection, one at a time, and the callbacks after each commit. */
export class Transactions {
  readonly #begin: Sqlite.Statement
  readonly #commit: Sqlite.Statement
  readonly #rollback: Sqlite.Statement
  readonly #savepoint: Sqlite.Statement
  readonly #undo: Sqlite.Statement
  readonly #release: Sqlite.Statement
  #isOpen = false
  #afterwards: Array<() => void> = []

  /** @param tell runs a callback and catches what it throws */
  constructor (private readonly sqlite: Sqlite.Database, private readonly tell: (callback: () => void) => void) {
    this.#begin = sqlite.prepare('begin immediate')
    this.#commit = sqlite.prepare('commit')
    this.#rollback = sqlite.prepare('rollback')
    this.#savepoint = sqlite.prepare('savepoint one')
    this.#undo = sqlite.prepare('rollback to one')
    this.#release = sqlite.prepare('release one')
  }

  get isOpen (): boolean { return this.#isOpen }

  /**
   * Runs `work` in a transaction. With `isDurable`, the transaction is on the disk before this returns. Throws what `work` and the disk
   * throw.
   */
  run<T> (isDurable: boolean, work: () => T): T {
    if (!isDurable) return this.#inTransaction(work)
    this.sqlite.pragma('synchronous = FULL')
    try {
      return this.#inTransaction(work)
    } finally {
      this.sqlite.pragma('synchronous = NORMAL')
    }
  }

  /** Runs `work` in a savepoint of the open transaction. If it throws, only its own changes are undone, unless the disk refused. */
  alone<T> (work: () => T): T {
    const told = this.#afterwards.length
    this.#savepoint.run()
    try {
      const result = work()
      this.#release.run()
      return result
    } catch (error) {
      if (isDiskTrouble(error)) throw error
      this.#undo.run()
      this.#release.run()
      this.#afterwards.length = told
      throw error
    }
  }

  /** Runs `callback` after the commit of the open transaction, or at once if none is open. */
  afterCommit (callback: () => void): void {
    if (this.#isOpen) this.#afterwards.push(callback)
    else callback()
  }

  #inTransaction<T> (work: () => T): T {
    this.#begin.run()
    this.#isOpen = true
    const outer = this.#afterwards
    this.#afterwards = []
    let callbacks: Array<() => void> = []
    try {
      const result = work()
      this.#commit.run()
      callbacks = this.#afterwards
      return result
    } catch (error) {
      if (this.sqlite.inTransaction) this.#rollback.run()
      throw error
    } finally {
      this.#isOpen = false
      this.#afterwards = outer
      for (const callback of callbacks) this.tell(callback)
    }
  }
}
