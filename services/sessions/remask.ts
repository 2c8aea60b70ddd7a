import { type Database } from '../ground/database/index.js'
import { redactDeep } from '../ground/redaction/index.js'
import { createMessageRows } from './message-rows.js'
import { lastSaid } from './preview.js'
import { createSessionRows } from './session-rows.js'

/** Raised with every change of what counts as a credential. */
const rulesVersion = 2
const atOnce = 200

/** Finds out anew what stored messages look like masked, when the rules are newer than the database. Before anything is served. */
export function remask (db: Database): void {
  const { sqlite, transaction } = db
  if (sqlite.pragma('user_version', { simple: true }) === rulesVersion) return
  const rows = createMessageRows(db)
  for (let after = -1; ;) {
    const batch = rows.maskable(after, atOnce)
    if (batch.length === 0) break
    transaction(() => {
      for (const { id, body, card } of batch) rows.mask(id, masked(body), masked(card))
    })
    after = batch.at(-1)!.id
  }
  const sessions = createSessionRows(db)
  transaction(() => {
    for (const id of sessions.withMessages()) sessions.setLastSaid(id, lastSaid(rows, id))
  })
  sqlite.pragma(`user_version = ${rulesVersion}`)
}

/** Null: there is nothing to mask. */
function masked (text: string | null): string | null {
  if (text === null) return null
  const value: unknown = JSON.parse(text)
  const clean = redactDeep(value)
  return clean === value ? null : JSON.stringify(clean)
}
