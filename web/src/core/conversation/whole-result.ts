import { type Api } from '../service/api.js'
import { textOf } from '../turn/turn.js'

/** Returns the whole result of a call; null if it no longer exists. Throws ApiError. */
export async function readResult (api: Api, sessionId: string, callId: string): Promise<string | null> {
  const { session } = await api.get('/api/session', { session_id: sessionId, messages: '1' })
  const row = session.messages.findLast(({ role, tool_call_id: id }) => role === 'tool' && id === callId)
  return row === undefined ? null : textOf(row.content)
}
