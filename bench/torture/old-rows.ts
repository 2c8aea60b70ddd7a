import Sqlite from 'better-sqlite3'

/** Rows by table, each as JSON of its columns, sorted. */
export type Rows = Map<string, string[]>

/** Adds rows to every table of the first version, besides the existing sessions and messages. */
export function fillFirstTables (file: string, sessionIds: string[]): void {
  const db = new Sqlite(file)
  db.pragma('foreign_keys = on')
  const nowS = Math.floor(Date.now() / 1000)
  const insert = (table: string, row: Record<string, string | number | null>): void => {
    const columns = Object.keys(row)
    db.prepare(`insert into "${table}" (${columns.join()}) values (${columns.map((column) => `:${column}`).join()})`).run(row)
  }
  db.transaction(() => {
    for (const [at, sessionId] of sessionIds.entries()) {
      const streamId = `stream-${at}`
      insert('streams', {
        id: streamId, session_id: sessionId, kind: 'chat', state: 'closed', terminal_state: 'completed', generation: 1, started_at: nowS - 5,
        ended_at: nowS, last_seq: 3, settled_seq: 3
      })
      for (const [index, event] of ['token', 'token', 'stream_end'].entries()) {
        insert('frames', { stream_id: streamId, seq: index + 1, event, data: JSON.stringify({ text: `frame ${index} of ${at}` }) })
      }
      insert('prompts', {
        id: `prompt-${at}`, arrival: at + 1, session_id: sessionId, stream_id: streamId, kind: 'approval', body: '{}', state: 'answered',
        answer: '{"choice":"once"}', created_at: nowS - 4, closed_at: nowS - 3
      })
      insert('steers', { stream_id: streamId, text: `steer ${at}`, state: 'applied', created_at: nowS })
      insert('grants', { session_id: sessionId, pattern_key: `delete:${at}`, created_at: nowS })
      insert('usage', {
        stream_id: streamId, session_id: sessionId, profile: 'default', input_tokens: at, output_tokens: 2 * at, cache_read_tokens: 0,
        cache_write_tokens: 0, estimated: 0, duration_s: 1.5, created_at: nowS
      })
    }
    insert('auth_sessions', { token_hash: 'a'.repeat(64), password_fingerprint: 'b'.repeat(64), created_at: nowS, expires_at: nowS + 86_400 })
    insert('login_attempts', { address: '192.0.2.7', failed_at: nowS })
    insert('settings', { key: 'settings.pinned_sessions_limit', value: '7', updated_at: nowS })
  })()
  db.close()
}

/** Progress of masking old texts by new rules: it advances with every start, and loses nothing. */
const progress = 'remasking'

/** Returns all rows in the tables and columns of `like`, without those that only record progress; without `like`, in all that exist. */
export function rowsOf (file: string, like?: Map<string, string[]>): Rows {
  const db = new Sqlite(file, { readonly: true })
  try {
    return new Map([...like ?? columnsIn(db)].map(([table, columns]) => {
      const rows = db.prepare(`select ${columns.map((column) => `"${column}"`).join()} from "${table}"`).all() as Array<{ key?: unknown }>
      return [table, rows.filter(({ key }) => table !== 'settings' || key !== progress).map((row) => JSON.stringify(row)).sort()]
    }))
  } finally {
    db.close()
  }
}

export function columnsOf (file: string): Map<string, string[]> {
  const db = new Sqlite(file, { readonly: true })
  try {
    return columnsIn(db)
  } finally {
    db.close()
  }
}

/** Returns columns by table; the text index and SQLite's own tables hold no data of their own. */
function columnsIn (db: Sqlite.Database): Map<string, string[]> {
  const tables = db.prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name not like 'message_texts%'")
    .pluck().all() as string[]
  return new Map(tables.map((table) =>
    [table, (db.pragma(`table_info("${table}")`) as Array<{ name: string }>).map(({ name }) => name)]))
}

/** Returns rows of `before` that are missing or changed, by table. */
export function missingRows (before: Rows, after: Rows): Array<{ table: string, gone: string[] }> {
  return [...before].flatMap(([table, rows]) => {
    const there = new Set(after.get(table))
    const gone = rows.filter((row) => !there.has(row))
    return gone.length === 0 ? [] : [{ table, gone }]
  })
}
