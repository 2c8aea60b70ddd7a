import { type Database } from '../ground/database/index.js'
import { redactDeep } from '../ground/redaction/index.js'
import { largestRowBytes } from './unreadable.js'

/** Raised with every change of what counts as a credential. */
const rulesVersion = 2
const atOnce = 200

/** Finds out anew what stored messages look like masked, when the rules are newer than the database. Before anything is served. */
export function remask ({ sqlite, transaction }: Database): void {
  if (sqlite.pragma('user_version', { simple: true }) === rulesVersion) return
  const rows = sqlite.prepare<[number, number], { id: number, body: string, card: string | null }>(`select id, body, card from messages
    where id > ? and octet_length(body) <= ${largestRowBytes} and coalesce(octet_length(card), 0) <= ${largestRowBytes} and json_valid(body) and coalesce(json_valid(card), 1) order by id limit ?`)
  const store = sqlite.prepare('update messages set redacted_body = ?, redacted_card = ? where id = ?')
  for (let after = -1; ;) {
    const batch = rows.all(after, atOnce)
    if (batch.length === 0) break
    transaction(() => {
      for (const { id, body, card } of batch) store.run(masked(body), masked(card), id)
    })
    after = batch.at(-1)!.id
  }
  sqlite.pragma(`user_version = ${rulesVersion}`)
}

/** Null: there is nothing to mask. */
function masked (text: string | null): string | null {
  if (text === null) return null
  const value: unknown = JSON.parse(text)
  const clean = redactDeep(value)
  return clean === value ? null : JSON.stringify(clean)
}
