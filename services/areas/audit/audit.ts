import { AsyncLocalStorage } from 'node:async_hooks'
import { type AuditDetails, type AuditKind } from '../../../schemas/audit.js'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { type AuditRow } from './chain.js'
import { newEntry, type Actor, type AuditOutcome } from './entries.js'
import { createAuditRows, type AuditFilter } from './rows.js'

/** The part with which services record. */
export type AuditPort = Pick<Audit, 'record' | 'entry' | 'soonest'>

const mostTrimmedAtOnce = 2_000
/** Reading through this many takes some 10 ms. */
const mostLooked = 20_000
const dayS = 86_400
const service: Actor = { kind: 'service', id: null, name: null, address: null }
/** The actor of the current request. null once the request is done: work that it started and that continues counts as the service's own. */
const acting = new AsyncLocalStorage<{ actor: Actor | null }>()

/** The log of actions and their actors: append-only, each entry with the hash of the previous one. */
export function createAudit ({ db, clock }: { db: Database, clock: Clock }) {
  const rows = createAuditRows(db)
  const listeners: Array<() => void> = []

  /** Makes an entry about the present action by the present actor. The returned function stores it, inside a write of the caller's. */
  function entry<Kind extends AuditKind> (kind: Kind, details: AuditDetails<Kind>, outcome?: AuditOutcome): () => void {
    const row = newEntry(acting.getStore()?.actor ?? service, epochSeconds(clock), kind, details, outcome)
    return () => {
      rows.append(row)
      // What follows from an entry counts as the service's own action.
      db.afterCommit(() => acting.run({ actor: null }, () => { for (const listener of listeners) listener() }))
    }
  }

  return {
    entry,

    /** Records an action inside the caller's write: both are stored, or neither. */
    record<Kind extends AuditKind> (kind: Kind, details: AuditDetails<Kind>, outcome?: AuditOutcome): void {
      entry(kind, details, outcome)()
    },

    /** Records an action outside of the database: durably now, or as soon as the disk accepts writes. */
    soonest<Kind extends AuditKind> (kind: Kind, details: AuditDetails<Kind>, outcome?: AuditOutcome): void {
      db.soonest(entry(kind, details, outcome))
    },

    /** Runs a request: everything recorded until it is done is attributed to `actor`. */
    as<T> (actor: Actor, work: () => T): T {
      const act: { actor: Actor | null } = { actor }
      const end = (): void => { act.actor = null }
      const result = acting.run(act, work)
      if (result instanceof Promise) return result.finally(end) as T
      end()
      return result
    },

    /** Calls a listener after each commit that holds entries. */
    onRecorded (listener: () => void): void { listeners.push(listener) },

    /** The last entry. */
    head: rows.head,

    /** The last entry that was removed because of its age; 0 if none was. */
    removedUpTo: rows.removedUpTo,

    /**
     * Returns the entries before an id, newest first, and the id before which the next page begins; null if there is none. With a filter, a
     * page may have fewer than `limit` entries, or none, because the number of entries read for it is limited.
     */
    page (before: number, limit: number, filter: AuditFilter): { entries: AuditRow[], nextBefore: number | null } {
      const from = Math.min(before, rows.head().id + 1)
      const found = rows.before(from, { looked: mostLooked, limit: limit + 1 }, filter)
      const entries = found.slice(0, limit)
      const next = found.length > limit ? entries.at(-1)?.id ?? from : from - mostLooked
      return { entries, nextBefore: next > rows.removedUpTo() + 1 ? next : null }
    },

    /** Returns the matching ones of a number of entries after an id, oldest first. */
    after: rows.after,

    /**
     * Removes the oldest entries that are older than `keepDays`, a few thousand at once, and records that. Returns false if there are none.
     */
    async trim (keepDays: number): Promise<boolean> {
      const keptSinceS = epochSeconds(clock) - keepDays * dayS
      if (rows.olderThan(keptSinceS, mostTrimmedAtOnce) === null) return false
      return await db.durably(() => {
        const old = rows.olderThan(keptSinceS, mostTrimmedAtOnce)
        if (old === null) return false
        entry('audit.trimmed', { removed: old.removed, up_to: old.upTo })()
        rows.trim(old.upTo)
        return true
      })
    }
  }
}
export type Audit = ReturnType<typeof createAudit>
