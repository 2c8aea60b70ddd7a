import { type TObject } from '@sinclair/typebox'
import { auditKinds, type AuditDetails, type AuditKind } from '../../../schemas/audit.js'
import { beginningOf, redact } from '../../ground/redaction/index.js'
import { mapTexts } from '../../ground/text/json.js'
import { visible } from '../../ground/text/visible.js'
import { type AuditRow } from './chain.js'
import { type NewAuditRow } from './rows.js'

/** Who does something. `id`: for a person the sign-in, `proxy` or `open`; for a device its id; for the agent the conversation. */
export interface Actor {
  kind: AuditRow['actorKind']
  id: string | null
  name: string | null
  /** The address of the client. */
  address: string | null
}

export type AuditOutcome = AuditRow['outcome']

const mostChars = 2_000
const mostNameChars = 200

/** Builds an entry for storage: credentials are masked, every text is bounded. `at` in epoch seconds. */
export function newEntry<Kind extends AuditKind> (
  actor: Actor, at: number, kind: Kind, details: AuditDetails<Kind>, outcome: AuditOutcome = 'ok'
): NewAuditRow {
  return {
    at, kind, outcome, actorKind: actor.kind, actorId: actor.id, actorName: actor.name === null ? null : shown(actor.name, mostNameChars),
    address: actor.address, details: JSON.stringify(detailsOf(kind, details))
  }
}

/** The log's own words, such as the way someone signed in, are not masked: a password may be the same word. */
function detailsOf<Kind extends AuditKind> (kind: Kind, details: AuditDetails<Kind>): object {
  const { properties } = auditKinds[kind].details as TObject
  return Object.fromEntries(Object.entries(details).map(([name, value]: [string, unknown]) =>
    [name, properties[name]?.enum === undefined ? mapTexts(value, (text) => shown(text, mostChars)) : value]))
}

/**
 * Shortens a text without cutting a credential, which could then no longer be recognised, masks credentials, and makes invisible characters
 * visible.
 */
const shown = (text: string, most: number): string => visible(redact(beginningOf(text, most)))
