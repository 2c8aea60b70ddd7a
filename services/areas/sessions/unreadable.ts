import { inPortions, largestRowBytes, type Database } from '../../ground/database/index.js'
import { redact } from '../../ground/redaction/index.js'
import { tried } from '../../ground/tried.js'

const shownChars = 20_000

/** Replaces columns that cannot be read; columns without a replacement are intact. */
export interface Substitute {
  body: {
    plain: string
    masked: string
  }, replay: string | null, role: string, messageId: string, assistantPosition: number | null
}

interface Facts {
  position: number
  role: string
  messageId: string
  assistantPosition: number | null
  createdAt: number
  bytes: number
  beginning: string
  tid: string | null
  name: string | null
}

/** `ranges`: what was checked, in order and apart from each other. */
interface Checked { ranges: Array<{ from: number, to: number }>, rows: Map<number, Substitute> }

const keptSessions = 5_000
const rowsAtOnce = 64

/** Too large, or not JSON. The order matters: a text that is too large is not parsed. */
const isUnreadable = (column: string): string =>
  `case when ${column} is null then 0 when octet_length(${column}) > ${largestRowBytes} then 1 else not json_valid(${column}) end`

/**
 * Finds rows that would make a transcript unreadable: written by another program, damaged, or stored before limits existed. Each row is
 * checked once per run of the service, when it is first read.
 */
export function createUnreadable ({ sqlite }: Database) {
  const find = sqlite.prepare<[string, number, number], Facts>(
    `select position, role, message_id as messageId, assistant_position as assistantPosition, created_at as createdAt, octet_length(body) as bytes,
       substr(body, 1, ${shownChars}) as beginning,
       case when ${isUnreadable(
          'card'
        )} then null else card ->> '$.tid' end as tid, case when ${isUnreadable('card')} then null else card ->> '$.name' end as name
     from messages where session_id = ? and position >= ? and position < ?
       and (${['body', 'redacted_body', 'card', 'redacted_card', 'replay'].map(isUnreadable).join(
          ' or '
        )}) order by position limit ${rowsAtOnce}`)
  const sessions = new Map<string, Checked>()

  function check (sessionId: string, from: number, to: number, rows: Map<number, Substitute>): void {
    if (from >= to) return
    const found = inPortions<Facts>(rowsAtOnce, (last) => find.all(sessionId, last === undefined ? from : last.position + 1, to))
    for (const facts of found) rows.set(facts.position, substituteFor(facts))
  }

  return {
    /** Returns the unreadable rows of a range of a transcript, by position; the result may include rows outside the range. */
    of (sessionId: string, from: number, to: number): ReadonlyMap<number, Substitute> {
      const known = sessions.get(sessionId)
      const { ranges, rows } = known ?? { ranges: [], rows: new Map<number, Substitute>() }
      const touched = ranges.filter((range) => range.to >= from && range.from <= to)
      let at = from
      // Not what lies between two windows far from each other: that may be most of a long session.
      for (const range of [...touched, { from: to, to }]) {
        check(sessionId, at, range.from, rows)
        at = Math.max(at, range.to)
      }
      const now = { from: Math.min(from, touched[0]?.from ?? from), to: at }
      if (known === undefined && sessions.size >= keptSessions) sessions.clear()
      sessions.set(sessionId, {
        ranges: [...ranges.filter((range) => range.to < from), now, ...ranges.filter((range) => range.from > to)], rows
      })
      return rows
    },

    /** Called when rows of the session were removed or rewritten. */
    forget: (sessionId: string): void => { sessions.delete(sessionId) }
  }
}

function substituteFor ({ role, messageId, assistantPosition, createdAt, bytes, beginning, tid, name }: Facts): Substitute {
  const why = bytes > largestRowBytes
    ? `This message is too large to be shown (${Math.round(bytes / 1024 / 1024)} MB)`
    : 'This message is damaged'
  const text = readableBeginning(beginning)
  const notice = `[… ${why}; ${text === '' ? 'nothing of it' : 'only its beginning'} can be read. …]`
  const body = (content: string): string => JSON.stringify({
    role,
    content,
    message_id: messageId,
    timestamp: createdAt,
    _ts: createdAt,
    ...(role === 'tool' ? { tool_call_id: tid ?? '', name: name ?? '' } : {}),
    _unreadable: true
  })
  const content = [text, notice].filter((part) => part !== '').join('\n\n')
  return {
    body: { plain: body(content), masked: body(redact(content)) },
    // The model cannot be shown a result without its call; calls without a result get a note of their own.
    replay: role === 'user' || role === 'assistant' ? JSON.stringify({ role, content: [{ type: 'text', text: content }] }) : null,
    role,
    messageId,
    assistantPosition
  }
}

/** Returns the text of a message of which only the first characters of its JSON are known. */
function readableBeginning (json: string): string {
  const text = /"content":"((?:[^"\\]|\\(?:["\\/bfnrt]|u[\da-f]{4}))*)/i.exec(json)?.[1] ?? ''
  return tried(() => (JSON.parse(`"${text}"`) as string).replace(/[\uD800-\uDBFF]$/, ''), '')
}
