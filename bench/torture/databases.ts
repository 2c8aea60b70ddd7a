import Sqlite from 'better-sqlite3'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { asset } from '../../services/ground/assets.js'
import { migrating } from '../../services/ground/database/migrating.js'

const migrations = asset('drizzle')
interface MigrationJournal { entries: Array<{ idx: number, tag: string, when: number }> }
const journal = (): MigrationJournal => JSON.parse(readFileSync(join(migrations, 'meta', '_journal.json'), 'utf8')) as MigrationJournal

export const migrationCount = (): number => journal().entries.length

export interface OldSession { id: string, title: string, messages: string[] }

/** Creates a database as it was after its first `count` migrations, with conversations in it. */
export function makeOldDatabase (file: string, count: number, sessions: OldSession[]): void {
  mkdirSync(dirname(file), { recursive: true })
  const folder = `${file}.migrations`
  cpSync(migrations, folder, { recursive: true })
  const all = journal()
  writeFileSync(join(folder, 'meta', '_journal.json'), JSON.stringify({ ...all, entries: all.entries.slice(0, count) }))
  const sqlite = new Sqlite(file)
  sqlite.pragma('journal_mode = WAL')
  Array.from(migrating(sqlite, folder))
  rmSync(folder, { recursive: true })
  const addSession = sqlite.prepare(
    "insert into sessions (id, profile, workspace, title, message_count, created_at, updated_at) values (?, 'default', ?, ?, ?, ?, ?)"
  )
  const addMessage = sqlite.prepare(
    'insert into messages (session_id, position, message_id, role, counted, body, created_at) values (?, ?, ?, ?, 1, ?, ?)'
  )
  for (const [at, { id, title, messages }] of sessions.entries()) {
    const createdAt = 1_700_000_000 + at
    addSession.run(id, dirname(dirname(dirname(file))), title, messages.length, createdAt, createdAt)
    for (const [position, content] of messages.entries()) {
      const role = position % 2 === 0 ? 'user' : 'assistant'
      addMessage.run(id, position, `${id}-${position}`, role, JSON.stringify({
        role, content, message_id: `${id}-${position}`, timestamp: createdAt
      }), createdAt)
    }
  }
  sqlite.close()
}

/** Turns a database into one of a future version: an unknown migration has run, and changed something. */
export function makeNewer (file: string): void {
  const sqlite = new Sqlite(file)
  const last = sqlite.prepare('select max(created_at) from __drizzle_migrations').pluck().get() as number
  sqlite.prepare('insert into __drizzle_migrations (hash, created_at) values (?, ?)').run('f'.repeat(64), last + 86_400_000)
  sqlite.exec('alter table sessions add column of_tomorrow text')
  sqlite.close()
}
