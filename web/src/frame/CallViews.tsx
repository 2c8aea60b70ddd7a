import { useEffect } from 'preact/hooks'
import { openChat } from '../conversation/open-chat.js'
import { type CallPart } from '../core/turn/turn.js'
import { MadeCalls } from './MadeCalls.js'
import { McpView } from './McpView.js'
import { followMade, lookFor, made, viewed } from './viewed-calls.js'

/** Shows the views of MCP tool calls that have one, and the calls that the views made. */
export function CallViews ({ calls }: { calls: readonly CallPart[] }) {
  const sessionId = openChat.value?.conversation.sessionId.value ?? null
  const ids = calls.map(({ id }) => id)
  useEffect(() => { if (sessionId !== null) lookFor(sessionId, ids) }, [sessionId, ids.join(' ')])
  const found = viewed.value
  const shown = sessionId === null || found?.sessionId !== sessionId ? [] : ids.filter((id) => found.ids.has(id))
  const hasViews = shown.length > 0
  useEffect(() => hasViews && sessionId !== null ? followMade(sessionId) : undefined, [sessionId, hasViews])
  if (sessionId === null || !hasViews) return null
  const known = made.value?.sessionId === sessionId ? made.value.calls : []
  return (
    <>
      {shown.map((id) => {
        const own = known.filter(({ call_id: callId }) => callId === id)
        return (
          <div key={id}>
            <McpView sessionId={sessionId} callId={id} />
            {own.length === 0 ? null : <MadeCalls calls={own} />}
          </div>
        )
      })}
    </>
  )
}
