import { type Api, type Wire } from '../service/api.js'
import { placed } from '../conversation/transcript.js'
import { type StoredRow } from '../turn/turn-stored.js'
import { textOf } from '../turn/turn.js'

const pageRows = 50
const largestPage = 500
/** More at once would hold up what is drawn meanwhile. */
const largestEarlierPage = 200

/** How much is read in front of so many rows: whoever goes on and on towards the beginning gets there in fewer steps. */
export const earlierRows = (known: number): number => Math.min(largestEarlierPage, Math.max(pageRows, known))

/** A session with rows of its transcript that follow each other up to its end, or up to where they were asked for. */
export interface SessionRead { detail: Wire<'SessionDetail'>, rows: StoredRow[], offset: number }

/**
 * The end of a session: a page of it, and as much more as it takes to reach back to the message that is being answered, and to
 * the row `from` where a window has read further back before. Throws ApiError.
 */
export async function readEnd (api: Api, sessionId: string, from: number | null): Promise<SessionRead> {
  let read = await readPage(api, sessionId, {})
  const { detail } = read
  const hasRunning = (): boolean => detail.active_stream_id === null || read.rows.some(({ message }) => message._active_turn_user === true)
  const isFarEnough = (): boolean => from === null || read.offset <= from
  while (read.offset > 0 && !(hasRunning() && isFarEnough())) {
    const limit = from === null || isFarEnough() ? largestPage : Math.min(largestPage, read.offset - from)
    const earlier = await readPage(api, sessionId, { before: read.offset, limit })
    if (earlier.offset >= read.offset) break
    read = { detail, rows: [...earlier.rows, ...read.rows], offset: earlier.offset }
  }
  return read
}

/** One page of a session, the last one or that before a row. Throws ApiError. */
export async function readPage (
  api: Api, sessionId: string, { before, limit = pageRows }: { before?: number, limit?: number }
): Promise<SessionRead> {
  const { session: detail } = await api.get('/api/session', {
    session_id: sessionId, messages: '1', msg_limit: String(limit), ...(before === undefined ? {} : { msg_before: String(before) })
  })
  return {
    detail, rows: placed(detail.messages, Math.min(before ?? detail.message_count, detail.message_count)), offset: detail._messages_offset
  }
}

/** Everything before the row `before`, back to the row `from` at least. Throws ApiError. */
export async function readBackTo (
  api: Api, sessionId: string, { before, from }: { before: number, from: number }
): Promise<Pick<SessionRead, 'rows' | 'offset'>> {
  const pages: StoredRow[][] = []
  let offset = before
  while (offset > from) {
    const page = await readPage(api, sessionId, { before: offset, limit: Math.min(largestPage, offset - from) })
    if (page.offset >= offset) break
    pages.push(page.rows)
    offset = page.offset
  }
  return { rows: pages.reverse().flat(), offset }
}

/** The rows of a whole session from `offset` on. */
export function rowsOfWhole (detail: Wire<'SessionDetail'>, offset: number): StoredRow[] {
  return placed(detail.messages, detail.messages.length).slice(offset)
}

/**
 * Where the turn that runs begins among rows: its message, or, of one without, the first row since it began;
 * their end, when nothing of it is stored.
 */
export function beginOfRunning (
  rows: readonly StoredRow[], { pending_started_at: startedAtS }: Pick<Wire<'SessionDetail'>, 'pending_started_at'>
): number {
  const asked = rows.findIndex(({ message }) => message._active_turn_user === true)
  const first = asked === -1 && startedAtS !== null ? rows.findIndex(({ message }) => message.timestamp >= startedAtS) : asked
  return first === -1 ? rows.length : first
}

/** The whole result of a call of which a page has the beginning; null when it is not there any more. Throws ApiError. */
export async function readResult (api: Api, sessionId: string, callId: string): Promise<string | null> {
  const { session } = await api.get('/api/session', { session_id: sessionId, messages: '1' })
  const row = session.messages.findLast(({ role, tool_call_id: id }) => role === 'tool' && id === callId)
  return row === undefined ? null : textOf(row.content)
}
