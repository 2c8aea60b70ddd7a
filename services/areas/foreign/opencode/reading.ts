import Sqlite from 'better-sqlite3'
import { inPortions } from '../../../ground/database/portions.js'
import { asError } from '../../../ground/errors.js'

/** `after`: the id of the last known message; null to read from the beginning. */
export type Ask =
  | { list: string, limit: number }
  | { about: string, session: string }
  | { read: string, session: string, after: string | null, mostBytes: number }

interface ListedSession { id: string, messages: number, updatedMs: number }
/** `session`: its row; null if there is none. */
export interface About { session: Record<string, unknown> | null, messages: number, updatedMs: number, bytes: number }
/** Rows as they are in the file; `data` is JSON text, null if it is too long. */
export interface MessageRow { id: string, updatedMs: number, data: string | null, parts: string[] }
/** `known`: the number of messages up to `after`; -1 if that message is gone. */
interface Portion { known: number, messages: MessageRow[], isWhole: boolean }
export type Answer = { sessions: ListedSession[] } | About | Portion | { failure: string }

const longestData = 8 * 1024 * 1024
const partsAtOnce = 8
const mostMessages = 200
/** How long to wait for another program's write. */
const busyMs = 2_000

export function answerTo (line: string): Answer {
  try {
    const ask: Ask = JSON.parse(line)
    if ('list' in ask) return withDatabase(ask.list, (db) => ({ sessions: list(db, ask.limit) }))
    if ('about' in ask) return withDatabase(ask.about, (db) => about(db, ask.session))
    return withDatabase(ask.read, (db) => portion(db, ask))
  } catch (error) {
    return { failure: asError(error).message.slice(0, 200) }
  }
}

/** Opens the database for each answer, read-only: this blocks neither the program that writes nor the truncation of its log. */
function withDatabase<T> (file: string, work: (db: Sqlite.Database) => T): T {
  const db = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: busyMs })
  try {
    db.pragma('trusted_schema = off')
    db.pragma('mmap_size = 0')
    db.pragma('cell_size_check = on')
    return db.transaction(() => {
      // Views and computed columns would run expressions of whoever wrote the file.
      const plain = db.prepare(`select count(*) from sqlite_schema
        where name in ('session', 'message', 'part') and type = 'table' and sql not like '%generated%' and sql not like '%virtual%'`).pluck().get()
      if (plain !== 3) throw new Error('the tables of this database are not as OpenCode makes them')
      return work(db)
    })()
  } finally {
    db.close()
  }
}

function list (db: Sqlite.Database, limit: number): ListedSession[] {
  return db.prepare<[number], { id: string, time_updated: number }>(
    `select id, time_updated from session where parent_id is null and time_archived is null and typeof(id) = 'text' and octet_length(id) <= 200
     order by time_updated desc, id limit ?`).all(limit).map(({ id, time_updated: ms }) => ({ id, ...counted(db, id, ms) }))
}

function counted (db: Sqlite.Database, id: string, sessionMs: number): Omit<ListedSession, 'id'> {
  const { messages = 0, updatedMs = 0 } = db.prepare<[string], { messages: number, updatedMs: number | null }>(
    'select count(*) as messages, max(time_updated) as updatedMs from message where session_id = ?').get(id) ?? {}
  return { messages, updatedMs: Math.max(Number(sessionMs), Number(updatedMs)) }
}

function about (db: Sqlite.Database, id: string): About {
  const session = db.prepare<[string], Record<string, unknown>>(
    `select id, directory, substr(title, 1, 1000) as title, time_created, time_updated, tokens_input, tokens_output, tokens_reasoning, tokens_cache_read, tokens_cache_write,
       substr(revert, 1, 2000) as revert from session where id = ? and octet_length(directory) <= 4096`).get(id) ?? null
  const bytes = db.prepare<[string], number | null>('select sum(octet_length(data)) from part where session_id = ?').pluck().get(id) ?? 0
  return { session, ...counted(db, id, Number(session?.['time_updated'] ?? 0)), bytes }
}

interface PartRow { id: string, time_updated: number, data: string | null }

/** Ordered by insertion, because the ids come from the clocks of several programs. */
function portion (db: Sqlite.Database, { session: id, after, mostBytes }: Extract<Ask, { read: string }>): Portion {
  const rows = db.prepare<[string], { rowid: number, id: string }>('select rowid, id from message where session_id = ? order by rowid').all(id)
  const at = after === null ? -1 : rows.findIndex((row) => row.id === after)
  const known = after !== null && at === -1 ? -1 : at + 1
  const one = db.prepare<[number, number], { time_updated: number, data: string | null }>(
    'select time_updated, case when octet_length(data) <= ? then data end as data from message where rowid = ?')
  const parts = db.prepare<[number, string, string, number], PartRow>(
    'select id, time_updated, case when octet_length(data) <= ? then data end as data from part where message_id = ? and id > ? order by id limit ?')
  const messages: MessageRow[] = []
  let bytes = 0
  for (const row of known === -1 ? [] : rows.slice(known)) {
    if (bytes >= mostBytes || messages.length >= mostMessages) return { known, messages, isWhole: false }
    const { time_updated: messageMs = 0, data = null } = one.get(longestData, row.rowid) ?? {}
    const message: MessageRow = { id: row.id, updatedMs: Number(messageMs), data, parts: [] }
    let own = data?.length ?? 0
    for (const part of inPortions<PartRow>(partsAtOnce, (last) => parts.all(longestData, row.id, last?.id ?? '', partsAtOnce))) {
      message.updatedMs = Math.max(message.updatedMs, Number(part.time_updated))
      own += part.data?.length ?? 0
      if (own > longestData) break
      if (part.data !== null) message.parts.push(part.data)
    }
    bytes += own
    messages.push(message)
  }
  return { known, messages, isWhole: true }
}
