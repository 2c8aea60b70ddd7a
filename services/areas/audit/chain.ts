import { createHash } from 'node:crypto'
import type Sqlite from 'better-sqlite3'
import { inPortions, type tables } from '../../ground/database/index.js'

/** An entry of the audit log; `details` is JSON text. */
export type AuditRow = typeof tables.audit.$inferSelect

const rowsAtOnce = 1_000
export const selectEntries = `select id, at, kind, outcome, actor_kind as actorKind, actor_id as actorId, actor_name as actorName, address, details,
  previous_hash as previousHash, hash from audit`

/**
 * Returns the SHA-256 (hex) of an entry's content and the previous hash: of a JSON array without blanks, so that anyone with an exported
 * entry can compute it. The details are hashed as they are stored.
 */
export function hashOf ({
  previousHash, id, at, kind, outcome, actorKind, actorId, actorName, address, details
}: Omit<AuditRow, 'hash'>): string {
  const head = JSON.stringify([previousHash, id, at, kind, outcome, actorKind, actorId, actorName, address])
  return createHash('sha256').update(`${head.slice(0, -1)},${details}]`).digest('hex')
}

/** A position in the chain. */
export interface ChainLink { id: number, hash: string }

export interface ChainVerdict {
  whole: boolean
  /** Number of entries found in order, up to the problem if there is one. */
  entries: number
  /** The first and the last of these entries; null if there are none. */
  first: number | null
  last: ChainLink | null
  /** The last entry that was removed because of its age; 0 if none was. */
  removed_up_to: number
  problem: { id: number, reason: string } | null
}

/**
 * Follows the chain from its anchor to its end. Entries that were removed from the end, or rewritten from some entry on, can be detected
 * only with an entry known from elsewhere: `known` must be part of the chain. Throws if the database has no audit log.
 */
export function verifyChain (sqlite: Sqlite.Database, known: ChainLink | null = null): ChainVerdict {
  // In one transaction, so that what is recorded or removed meanwhile makes no difference.
  return sqlite.transaction(() => follow(sqlite, known))()
}

function follow (sqlite: Sqlite.Database, known: ChainLink | null): ChainVerdict {
  const rowsBehind = sqlite.prepare<[number], AuditRow>(`${selectEntries} where id > ? order by id limit ${rowsAtOnce}`)
  const anchor = sqlite.prepare<[], ChainLink>('select removed_up_to as id, hash from audit_anchor').get() ?? { id: 0, hash: '' }
  let [last, entries, first]: [ChainLink, number, number | null] = [anchor, 0, null]
  let isKnownSeen = known === null || (known.id === anchor.id && known.hash === anchor.hash)
  const verdict = (problem: ChainVerdict['problem']): ChainVerdict =>
    ({ whole: problem === null, entries, first, last: entries === 0 ? null : last, removed_up_to: anchor.id, problem })

  for (const row of inPortions<AuditRow>(rowsAtOnce, (before) => rowsBehind.all(before?.id ?? Number.MIN_SAFE_INTEGER))) {
    const reason = problemOf(row, last)
    if (reason !== null) return verdict({ id: row.id, reason })
    last = { id: row.id, hash: row.hash }
    first ??= row.id
    entries++
    if (known?.id === row.id) {
      if (known.hash !== row.hash) return verdict({ id: row.id, reason: 'it is not the entry that you noted: its hash is different' })
      isKnownSeen = true
    }
  }
  if (isKnownSeen || known === null) return verdict(null)
  // An entry that was removed because of its age can no longer be checked, which is no problem.
  if (known.id < anchor.id) return verdict(null)
  return verdict({ id: known.id, reason: 'it is missing at the end of the log' })
}

function problemOf (row: AuditRow, before: ChainLink): string | null {
  if (row.id !== before.id + 1) return row.id <= before.id ? 'it should have been removed' : `entry ${before.id + 1} is missing before it`
  if (row.previousHash !== before.hash) return `it does not follow entry ${before.id}`
  return row.hash === hashOf(row) ? null : 'it was changed: its hash does not match its content'
}
