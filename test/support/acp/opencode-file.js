import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

let count = 0

/** A database as OpenCode keeps it, as far as conversations are in it. It stays open, as with OpenCode. */
export function openCodeFile (home) {
  const folder = join(home, '.local', 'share', 'opencode')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'opencode.db')
  const db = new DatabaseSync(file)
  db.exec(`pragma journal_mode = wal; pragma busy_timeout = 5000;
    create table if not exists session (id text primary key, parent_id text, directory text not null, title text not null, time_created integer not null, time_updated integer not null,
      time_archived integer, revert text, tokens_input integer default 0 not null, tokens_output integer default 0 not null, tokens_reasoning integer default 0 not null,
      tokens_cache_read integer default 0 not null, tokens_cache_write integer default 0 not null);
    create table if not exists message (id text primary key, session_id text not null, time_created integer not null, time_updated integer not null, data text not null);
    create table if not exists part (id text primary key, message_id text not null, session_id text not null, time_created integer not null, time_updated integer not null, data text not null);
    create index if not exists message_session_time_created_id_idx on message (session_id, time_created, id); create index if not exists part_message_id_id_idx on part (message_id, id);
    create index if not exists part_session_idx on part (session_id)`)
  const row = (table, values) => db.prepare(`insert into ${table} (${Object.keys(values).join(', ')}) values (${Object.keys(values).map(() => '?').join(', ')})`).run(...Object.values(values))
  const next = (kind) => `${kind}_${Date.now().toString(16)}${String(process.pid).padStart(8, '0')}${String(++count).padStart(4, '0')}`
  const part = (session, message, data) => row('part', { id: next('prt'), message_id: message, session_id: session, time_created: Date.now(), time_updated: Date.now(), data: JSON.stringify(data) })
  return {
    file,
    db,
    session: (id, more) => row('session', { id, time_created: Date.now(), time_updated: Date.now(), ...more }),
    /** Returns the message's id. `isOpen`: its program is still at work on it. */
    put (session, role, text, { parent, isOpen = false, parts = [] } = {}) {
      const id = next('msg')
      const nowMs = Date.now()
      const data = role === 'user'
        ? { role, time: { created: nowMs } }
        : { role, parentID: parent, modelID: 'scripted', time: { created: nowMs, ...!isOpen && { completed: nowMs } }, ...!isOpen && { finish: 'stop' } }
      db.exec('begin immediate')
      row('message', { id, session_id: session, time_created: nowMs, time_updated: nowMs, data: JSON.stringify(data) })
      for (const one of [{ type: 'text', text }, ...parts]) part(session, id, one)
      db.prepare('update session set time_updated = ? where id = ?').run(nowMs, session)
      db.exec('commit')
      return id
    },
    finish (id) {
      const data = JSON.parse(db.prepare('select data from message where id = ?').get(id).data)
      db.prepare('update message set data = ?, time_updated = ? where id = ?').run(JSON.stringify({ ...data, finish: 'stop', time: { ...data.time, completed: Date.now() } }), Date.now(), id)
    },
    said: (session) => db.prepare("select p.data from message m join part p on p.message_id = m.id where m.session_id = ? and json_extract(m.data, '$.role') = 'user' order by m.rowid, p.id").all(session).map(({ data }) => JSON.parse(data).text ?? '')
  }
}
