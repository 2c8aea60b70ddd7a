import { GitBranch, RotateCw } from 'lucide-preact'
import { useLocation } from 'wouter-preact'
import { api, settings } from '../app.js'
import { type Conversation } from '../core/conversation.js'
import { type Exchange } from '../core/exchange.js'
import { retryLast } from '../core/resending.js'
import { branchSession } from '../core/session-actions.js'
import { places } from '../shell/places.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { CopyButton } from '../ui/CopyButton.js'
import { lazy } from '../ui/lazy.js'
import { words } from '../words/index.js'
import { giveBack } from './opened.js'

const SpeakButton = lazy(async () => (await import('../voice/SpeakButton.js')).SpeakButton, { waiting: null, missing: () => null })

/** What can be done with an answer; of the last one also to have it given anew. Shown when it is pointed at or focused, on touch always. */
export function AnswerActions ({ exchange, conversation, isLast }: { exchange: Exchange, conversation: Conversation, isLast: boolean }) {
  const [, go] = useLocation()
  const w = words.value.conversation
  const sessionId = conversation.sessionId.value
  const user = exchange.user.value
  const canChange = conversation.session.value?.read_only !== true && sessionId !== null
  const text = (): string => exchange.turn.parts.flatMap((part) => part.kind === 'text' ? [part.text] : []).join('\n\n')
  const branch = async (): Promise<void> => {
    const { session_id: id } = await branchSession(api, sessionId!, exchange.turn.endIndex ?? undefined)
    go(places.session(id))
  }
  const retry = async (): Promise<void> => {
    const resent = await retryLast(conversation, { keepOld: true })
    if (resent !== null && !resent.isSent) giveBack(resent)
  }
  if (sessionId === null) return null
  return (
    <div class='answer-actions' data-last={isLast || undefined}>
      <CopyButton size='small' text={text} label={w.copyAnswer} />
      {settings.values.value.tts_enabled === true ? <SpeakButton id={exchange.key} text={text} /> : null}
      {isLast && canChange && user !== null && user.index !== null ? <Button kind='quiet' size='small' icon={RotateCw} label={w.retryAnswer} onClick={() => { void retry() }} /> : null}
      <Button kind='quiet' size='small' icon={GitBranch} label={w.branch} onClick={() => { void attempt(branch) }} />
    </div>
  )
}
