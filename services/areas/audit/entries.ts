import { type TObject } from '@sinclair/typebox'
import { auditKinds, type AuditDetails, type AuditKind } from '../../../schemas/audit.js'
import { beginningOf, redact } from '../../ground/redaction/index.js'
import { visible, visibleDeep } from '../../ground/visible.js'
import { type AuditRow } from './chain.js'
import { type NewAuditRow } from './rows.js'

/** Who does something. `id`: of a person the sign-in, `proxy` or `open`; of a device its id; of the agent the conversation. */
export interface Actor {
  kind: AuditRow['actorKind']
  id: string | null
  name: string | null
  /** Of the client. */
  address: string | null
}

export type AuditOutcome = AuditRow['outcome']

const mostChars = 2_000
const mostNameChars = 200

/** An entry as it is stored: credentials masked, every text bounded. `at` in epoch seconds. */
export function newEntry<Kind extends AuditKind> (
  actor: Actor, at: number, kind: Kind, details: AuditDetails<Kind>, outcome: AuditOutcome = 'ok'
): NewAuditRow {
  return {
    at, kind, outcome, actorKind: actor.kind, actorId: actor.id, actorName: actor.name === null ? null : shown(actor.name, mostNameChars),
    address: actor.address, details: JSON.stringify(detailsOf(kind, details))
  }
}

/** Words of the log's own, such as how somebody signed in, are no texts of others: a password may be the same word. */
function detailsOf<Kind extends AuditKind> (kind: Kind, details: AuditDetails<Kind>): object {
  const { properties } = auditKinds[kind].details as TObject
  return Object.fromEntries(Object.entries(details).map(([name, value]: [string, unknown]) =>
    [name, properties[name]?.enum === undefined ? visibleDeep(value, (text) => shown(text, mostChars)) : value]))
}

/** Masked before it is cut, as a credential that is cut is not known any more; and with signs for what no screen shows. */
const shown = (text: string, most: number): string => visible(redact(beginningOf(text, most)))
