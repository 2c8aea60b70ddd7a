import { type Api, type Wire } from '../service/api.js'
import { type StoredRow } from '../turn/turn-stored.js'

const pageRows = 50
const largestPage = 500
/** A larger page would delay drawing. */
const largestEarlierPage = 200

/** Returns how many earlier rows to read: the more are loaded, the larger the step, so that few steps lead to the beginning. */
export const earlierRows = (known: number): number => Math.min(largestEarlierPage, Math.max(pageRows, known))

/** A session with consecutive rows of its transcript, up to its end or up to the requested row. */
export interface SessionRead { detail: Wire<'SessionDetail'>, rows: StoredRow[], offset: number }

/**
 * Reads the end of a session: one page, and as many more as are needed to reach the message that is being answered and the row `from`, back
 * to which a window has read before. Throws ApiError.
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

/** Reads one page: the last one, or the one before a row. Throws ApiError. */
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

/** Reads everything before the row `before`, at least back to the row `from`. Throws ApiError. */
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

/** Returns the rows of a whole session from `offset` on. */
export function rowsOfWhole (detail: Wire<'SessionDetail'>, offset: number): StoredRow[] {
  return placed(detail.messages, detail.messages.length).slice(offset)
}

/**
 * Assigns transcript indexes to the rows of an answer. They are counted from the end, because at its beginning an answer may omit a result
 * whose call comes earlier.
 */
export function placed (messages: ReadonlyArray<Wire<'Message'>>, end: number): StoredRow[] {
  return messages.map((message, index) => ({ index: end - messages.length + index, message }))
}
