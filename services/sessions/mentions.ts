import { desc, eq, sql } from 'drizzle-orm'
import { tables, type Database } from '../ground/database/index.js'

/** Rows of a transcript that are searched for a path, latest first. */
const searchedRows = 500
const mentionsRead = 50

/** Whether a conversation names exactly this path. */
export function createMentions (db: Database): (sessionId: string, path: string) => boolean {
  const { messages } = tables
  return (sessionId, path) => {
    const written = JSON.stringify(path).slice(1, -1)
    const latest = db.orm.select({ body: messages.body }).from(messages).where(eq(messages.sessionId, sessionId))
      .orderBy(desc(messages.position)).limit(searchedRows).as('latest')
    const rows = db.orm.select({ body: latest.body }).from(latest).where(sql`instr(${latest.body}, ${written}) > 0`).limit(mentionsRead).all()
    return rows.some(({ body }) => standsAlone(body, written))
  }
}

/** Whether the path stands in the JSON text as a whole, and not as a part of another one. */
function standsAlone (text: string, path: string): boolean {
  for (let at = text.indexOf(path); at !== -1; at = text.indexOf(path, at + 1)) {
    const before = text.slice(Math.max(0, at - 2), at)
    const begins = !/[\w.~%+-]$/.test(before) || /\\[nrt]$/.test(before)
    if (begins && !/^(?:[\w~%/-]|\.\w)/.test(text.slice(at + path.length, at + path.length + 2))) return true
  }
  return false
}
