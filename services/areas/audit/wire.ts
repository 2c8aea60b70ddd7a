import { toCsvLine } from '../../ground/text/csv.js'
import { type AuditRow } from './chain.js'

/** Formats an entry as JSON text. The details are inserted as stored, because they are hashed that way. */
export function entryToWire ({ actorKind, actorId, actorName, previousHash, details, ...row }: AuditRow): string {
  const { id, at, kind, outcome, address, hash } = row
  const head = JSON.stringify({
    id, at, kind, outcome, actor: { kind: actorKind, id: actorId, name: actorName }, address, previous_hash: previousHash, hash
  })
  return `${head.slice(0, -1)},"details":${details}}`
}

export type AuditFormat = 'ndjson' | 'csv'

const columns = ['id', 'at', 'kind', 'outcome', 'actor_kind', 'actor_id', 'actor_name', 'address', 'details', 'previous_hash', 'hash']

/** Returns what comes before the entries of an export. */
export const headOf = (format: AuditFormat): string => format === 'csv' ? toCsvLine(columns) : ''

export function exportLine (format: AuditFormat, row: AuditRow): string {
  if (format === 'ndjson') return `${entryToWire(row)}\n`
  const { id, at, kind, outcome, actorKind, actorId, actorName, address, details, previousHash, hash } = row
  const time = new Date(at * 1_000).toISOString()
  return toCsvLine([id, time, kind, outcome, actorKind, actorId, actorName, address, details, previousHash, hash])
}
