import { AsyncLocalStorage } from 'node:async_hooks'
import { type AuditDetails, type AuditKind } from '../../../schemas/audit.js'
import { epochSeconds, type Clock } from '../../ground/clock.js'
import { type Database } from '../../ground/database/index.js'
import { type AuditRow } from './chain.js'
import { newEntry, type Actor, type AuditOutcome } from './entries.js'
import { createAuditRows, type AuditFilter } from './rows.js'

/** What services record with. */
export type AuditPort = Pick<Audit, 'record' | 'entry' | 'soonest'>

const mostTrimmedAtOnce = 2_000
/** Looking through them takes some 10 ms. */
const mostLooked = 20_000
const dayS = 86_400
const service: Actor = { kind: 'service', id: null, name: null, address: null }
/** Whoever acts. Null once what they have asked for is done: what it has begun and goes on is the service's own. */
const acting = new AsyncLocalStorage<{ actor: Actor | null }>()

/** The log of what was done and by whom: append-only, each entry with the hash of the one before it. */
export function createAudit ({ db, clock }: { db: Database, clock: Clock }) {
  const rows = createAuditRows(db)
  const listeners: Array<() => void> = []

  /** An entry about what happens now, by whoever acts now; what it returns stores it, inside a write of the caller's. */
  function entry<Kind extends AuditKind> (kind: Kind, details: AuditDetails<Kind>, outcome?: AuditOutcome): () => void {
    const row = newEntry(acting.getStore()?.actor ?? service, epochSeconds(clock), kind, details, outcome)
    return () => {
      rows.append(row)
      // What follows from it is nobody's but the service's own.
      db.afterCommit(() => acting.run({ actor: null }, () => { for (const listener of listeners) listener() }))
    }
  }

  return {
    entry,

    /** Records what the write does that the caller is inside of: both are stored, or neither. */
    record<Kind extends AuditKind> (kind: Kind, details: AuditDetails<Kind>, outcome?: AuditOutcome): void {
      entry(kind, details, outcome)()
    },

    /** Records what has been done outside of the database: durably now, or as soon as the disk takes it. */
    soonest<Kind extends AuditKind> (kind: Kind, details: AuditDetails<Kind>, outcome?: AuditOutcome): void {
      db.soonest(entry(kind, details, outcome))
    },

    /** Does what somebody asks for: what is recorded until that is done is theirs. */
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

    /** The last one that was removed by its age; 0: none was. */
    removedUpTo: rows.removedUpTo,

    /**
     * Entries before an id, the newest first, and before which id the next page is; null: there is none. Where few fit, a page may have
     * less than `limit` of them, or none: so many are looked at and no more.
     */
    page (before: number, limit: number, filter: AuditFilter): { entries: AuditRow[], nextBefore: number | null } {
      const from = Math.min(before, rows.head().id + 1)
      const found = rows.before(from, { looked: mostLooked, limit: limit + 1 }, filter)
      const entries = found.slice(0, limit)
      const next = found.length > limit ? entries.at(-1)?.id ?? from : from - mostLooked
      return { entries, nextBefore: next > rows.removedUpTo() + 1 ? next : null }
    },

    /** Of the next so many entries behind an id those that fit, the oldest first. */
    after: rows.after,

    /** Removes the oldest entries that are older than so many days, a few thousand at once, and records that. False: there are none. */
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
