import { and, desc, eq, lt, sql } from 'drizzle-orm'
import { tables, type Database } from '../../ground/database/index.js'
import { fieldsOf } from '../../ground/fields.js'

/** How many of the last rows of a transcript are searched for a path. */
const searchedRows = 500
const mentionsRead = 50

interface Row { role: string, body: string, card: string | null, isOwn: boolean }

/**
 * Whether the agent itself names exactly this path in a conversation: in the arguments or the result of a tool, or in an answer if no
 * message of a person names it. Typed and imported messages do not count.
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

/** A failed call has touched nothing, and the answer to a question is a person's. */
function isToolsOwn (body: string): boolean {
  const { name, is_error: isError } = fieldsOf(JSON.parse(body))
  return name !== 'clarify' && isError !== true
}

/** Whether the path occurs in the JSON text as a whole, and not as a part of another one. */
function standsAlone (text: string, path: string): boolean {
  for (let at = text.indexOf(path); at !== -1; at = text.indexOf(path, at + 1)) {
    const before = text.slice(Math.max(0, at - 2), at)
    const begins = !/[\w.~%+-]$/.test(before) || /\\[nrt]$/.test(before)
    if (begins && !/^(?:[\w~%/-]|\.\w)/.test(text.slice(at + path.length, at + path.length + 2))) return true
  }
  return false
}
