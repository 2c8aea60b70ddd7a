import { useMemo } from 'preact/hooks'
import { type Conversation } from '../core/conversation/conversation.js'
import { type Exchange } from '../core/turn/exchange.js'
import { pathThere } from '../core/machines/location.js'
import { resultFiles } from '../core/files/result-files.js'
import { lazy } from '../ui/lazy.js'
import { words } from '../words/index.js'

const ResultView = lazy(async () => (await import('./ResultView.js')).ResultView, { waiting: null })

/** Shows the files of an answer. Each reserves its space before it is loaded. */
export function Results ({ exchange, conversation }: { exchange: Exchange, conversation: Conversation }) {
  const sessionId = conversation.sessionId.value
  const workspace = pathThere(conversation.session.value?.workspace ?? '')
  const { turn } = exchange
  const files = useMemo(() => resultFiles(turn.parts, workspace), [turn, workspace])
  if (files.length === 0 || sessionId === null) return null
  return (
    <ul class='results' aria-label={words.value.conversation.results}>
      {files.map((file) => <li key={file.path} class={`result result-${file.kind}`}><ResultView file={file} sessionId={sessionId} /></li>)}
    </ul>
  )
}
