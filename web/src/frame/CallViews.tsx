import { useEffect } from 'preact/hooks'
import { opened } from '../conversation/opened.js'
import { type CallPart } from '../core/turn/turn.js'
import { McpView } from './McpView.js'
import { lookFor, viewed } from './viewed-calls.js'

/** Shows the views of MCP tool calls, for those that have one. */
export function CallViews ({ calls }: { calls: readonly CallPart[] }) {
  const sessionId = opened.value?.conversation.sessionId.value ?? null
  const ids = calls.map(({ id }) => id)
  useEffect(() => { if (sessionId !== null) lookFor(sessionId, ids) }, [sessionId, ids.join(' ')])
  const found = viewed.value
  if (sessionId === null || found?.sessionId !== sessionId) return null
  return <>{calls.filter(({ id }) => found.ids.has(id)).map(({ id }) => <McpView key={id} sessionId={sessionId} callId={id} />)}</>
}
