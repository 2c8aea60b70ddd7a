import { and, desc, eq, lt, sql } from 'drizzle-orm'
import { tables, type Database } from '../../ground/database/index.js'
import { fieldsOf } from '../../ground/fields.js'

/** Rows of a transcript that are searched for a path, latest first. */
const searchedRows = 500
const mentionsRead = 50

interface Row { role: string, body: string, card: string | null, isOwn: boolean }

/**
 * Whether the agent itself names exactly this path in a conversation: what a tool of it was called with or has told, or an answer, where
 * that does not only repeat what stands in a message. What was typed, or came with an import, names nothing.
 */
export function createMentions (db: Database): (sessionId: string, path: string) => boolean {
  const { messages, sessions } = tables
  return (sessionId, path) => {
    const written = JSON.stringify(path).slice(1, -1)
    const latest = db.orm.select({
      role: messages.role, body: messages.body, card: messages.card, streamId: messages.streamId, position: messages.position
    })
      .from(messages).innerJoin(sessions, eq(sessions.id, messages.sessionId)).where(
        and(eq(messages.sessionId, sessionId), lt(messages.position, sessions.messageCount))
      ).orderBy(desc(messages.position)).limit(searchedRows).as('latest')
    const rows: Row[] = db.orm.select({
      role: latest.role, body: latest.body, card: latest.card, isOwn: sql<boolean>`${latest.streamId} is not null`.mapWith(Boolean)
    }).from(latest)
      .where(sql`instr(${latest.body}, ${written}) > 0 or instr(${latest.card}, ${written}) > 0`).orderBy(desc(latest.position)).limit(
        mentionsRead
      ).all()
    const named = rows.filter(({ body, card }) => standsAlone(body, written) || (card !== null && standsAlone(card, written)))
    const isAgents = ({ role, isOwn }: Row): boolean => isOwn && (role === 'assistant' || role === 'tool')
    return named.some((row) => isAgents(row) && row.role === 'tool' && isToolsOwn(row.body)) ||
      (named.every(isAgents) && named.some(({ role, body }) =>
        role === 'assistant' && standsAlone(JSON.stringify(fieldsOf(JSON.parse(body)).content ?? ''), written)))
  }
}

/** A call that failed has touched nothing; the answer to a question is a person's. */
function isToolsOwn (body: string): boolean {
  const { name, is_error: isError } = fieldsOf(JSON.parse(body))
  return name !== 'clarify' && isError !== true
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
