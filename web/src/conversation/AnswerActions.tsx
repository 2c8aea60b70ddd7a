import { useSignal } from '@preact/signals'
import { navigate } from 'wouter-preact/use-browser-location'
import { api, settings } from '../app.js'
import { type Conversation } from '../core/conversation/conversation.js'
import { type ModelPick } from '../core/conversation/conversation-state.js'
import { type Exchange } from '../core/turn/exchange.js'
import { retryLast } from '../core/conversation/resending.js'
import { branchSession } from '../core/sessions/session-actions.js'
import { places } from '../shell/places.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { CopyButton } from '../ui/CopyButton.js'
import { GitFork, RotateCw, Shuffle } from '../ui/icons.js'
import { lazy } from '../ui/lazy.js'
import { words } from '../words/index.js'
import { giveBack } from './open-chat.js'
import { Versions } from './Versions.js'

const SpeakButton = lazy(async () => (await import('../voice/SpeakButton.js')).SpeakButton, { waiting: null, missing: () => null })
const ModelPicker = lazy(async () => (await import('../models/ModelPicker.js')).ModelPicker, { waiting: null })

/** Offers actions on an answer, and a retry of the last one. */
export function AnswerActions ({ exchange, conversation, isLast }: { exchange: Exchange, conversation: Conversation, isLast: boolean }) {
  const w = words.value.conversation
  const sessionId = conversation.sessionId.value
  const user = exchange.user.value
  const isPicking = useSignal(false)
  const { model, problem } = exchange.head.value
  const hasText = exchange.parts.value.some(({ part }) => part.value.kind === 'text')
  if (sessionId === null) return null
  const canChange = conversation.session.value?.read_only !== true
  const text = (): string => exchange.turn.parts.flatMap((part) => part.kind === 'text' ? [part.text] : []).join('\n\n')
  const branch = async (): Promise<void> => {
    const { session_id: id } = await branchSession(api, sessionId, exchange.turn.endIndex ?? undefined, conversation.session.peek()?.title)
    navigate(places.session(id))
  }
  const retry = async (pick?: ModelPick): Promise<void> => {
    const resent = await retryLast(conversation, { keepOld: true, ...(pick === undefined ? {} : { pick }) })
    if (resent !== null && !resent.isSent) giveBack(resent)
  }
  const canRetry = isLast && canChange && user !== null && user.index !== null && conversation.mode.value === 'idle'
  return (
    <div class='answer-actions'>
      {hasText ? <CopyButton size='small' text={text} label={w.copyAnswer} /> : null}
      {hasText && settings.values.value.tts_enabled === true ? <SpeakButton id={exchange.key} text={text} /> : null}
      {/* What went wrong has its own button for this. */}
      {canRetry && problem === null ? <Button kind='quiet' size='small' icon={RotateCw} label={w.retryAnswer} onClick={() => { void retry() }} /> : null}
      {canRetry
        ? <Button
            kind='quiet' size='small' icon={Shuffle} label={w.retryWith} aria-haspopup='dialog'
            onClick={() => { isPicking.value = true }}
          />
        : null}
      {conversation.session.value?.temporary === true
        ? null
        : <Button kind='quiet' size='small' icon={GitFork} label={w.branch} onClick={() => { void attempt(branch) }} />}
      <Versions conversation={conversation} sessionId={sessionId} index={user?.index ?? null} isLast={isLast} />
      {model === null || model === conversation.session.value?.model ? null : <span class='answer-model'><bdi>{model}</bdi></span>}
      {isPicking.value
        ? (
          <ModelPicker
            open title={w.retryWith}
            place={{ sessionId, workspace: conversation.session.value?.workspace ?? null }}
            current={model === null ? null : { model, provider: null }}
            onClose={() => { isPicking.value = false }}
            onPick={(picked, provider) => { void retry({ model: picked, provider }) }}
          />)
        : null}
    </div>
  )
}
