import { Type, type Static } from '@sinclair/typebox'
import { isDeepStrictEqual } from 'node:util'
import { createValues, type Database } from '../../ground/database/index.js'
import { fieldsOf } from '../../ground/fields.js'
import { redactDeep } from '../../ground/redaction/index.js'
import { closedCard, closedMessage } from './message-fields.js'
import { createMessageRows } from './message-rows.js'
import { lastSaid } from './preview.js'
import { createSessionRows } from './session-rows.js'

/** Raised with every change of what counts as a credential, or of the keys that imported messages keep. */
const rulesVersion = 3
const placeKey = 'remasking'
/** How far one has come: messages up to this one are masked by these rules. */
const Place = Type.Object({ rules: Type.Number(), after: Type.Number() })
const messagesAtOnce = 50
const sessionsAtOnce = 200
/** Hardly longer than this the event loop is held up by one portion. */
const portionMs = 20

/**
 * Applies the rules to stored messages, when they are newer than the database: masks credentials anew, and removes the keys of imported
 * messages that the interface does not have. Before anything is served. Each portion is committed with the place it has come to, and the
 * next start goes on there. Yields between two portions how much is done, 0 to 1.
 */
export function * remasking (db: Database): Generator<number> {
  const { sqlite, transaction } = db
  if (sqlite.pragma('user_version', { simple: true }) === rulesVersion) return
  const rows = createMessageRows(db)
  const values = createValues(sqlite)
  const place = values.read(placeKey, Place)
  let after = place?.rules === rulesVersion ? place.after : -1
  for (const last = rows.lastId(); ; yield after / last) {
    const batch = rows.maskable(after, messagesAtOnce)
    if (batch.length === 0) break
    if (place === undefined && after === -1) yield 0
    const untilMs = performance.now() + portionMs
    transaction(() => {
      for (const { id, ...stored } of batch) {
        const body = stored.isOfTurn === 1 ? stored.body : closed(stored.body, closedMessage)
        const card = stored.isOfTurn === 1 || stored.card === null ? stored.card : closed(stored.card, closedCard)
        if (body !== stored.body || card !== stored.card) rows.rewrite(id, body, card)
        rows.mask(id, masked(body), masked(card))
        after = id
        if (performance.now() > untilMs) break
      }
      values.set(placeKey, { rules: rulesVersion, after } satisfies Static<typeof Place>, Math.floor(Date.now() / 1000))
    })
  }
  yield * retelling(db)
  transaction(() => {
    values.remove(placeKey)
    sqlite.pragma(`user_version = ${rulesVersion}`)
  })
}

/** The previews of sessions. */
function * retelling (db: Database): Generator<number> {
  const rows = createMessageRows(db)
  const sessions = createSessionRows(db)
  const all = sessions.withMessages()
  for (let from = 0; from < all.length; from += sessionsAtOnce) {
    db.transaction(() => {
      for (const { id, messageCount } of all.slice(from, from + sessionsAtOnce)) sessions.setLastSaid(id, lastSaid(rows, id, messageCount))
    })
    yield 1
  }
}

/** The text itself where it has no key that the interface does not have. */
function closed (text: string, close: (value: Record<string, unknown>) => Record<string, unknown>): string {
  const value = fieldsOf(JSON.parse(text))
  const kept = close(value)
  return isDeepStrictEqual(kept, value) ? text : JSON.stringify(kept)
}

/** Null: there is nothing to mask. */
function masked (text: string | null): string | null {
  if (text === null) return null
  const value: unknown = JSON.parse(text)
  const clean = redactDeep(value)
  return clean === value ? null : JSON.stringify(clean)
}
