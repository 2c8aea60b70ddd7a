import { useState } from 'preact/hooks'
import { type Conversation } from '../core/conversation/conversation.js'
import { type Turn } from '../core/turn/turn.js'
import { ModelPicker } from '../models/ModelPicker.js'
import { Button } from '../ui/Button.js'
import { screenWords } from '../words/index.js'
import { times } from '../words/times.js'

/** Shows what a turn waits for, and until when. Offers to continue it, with this model or another one, or to stop it. */
export function ParkedCard ({ parked: { provider, resumesAtS, problem }, conversation }: {
  parked: NonNullable<Turn['parked']>
  conversation: Conversation
}) {
  const [isPicking, setPicking] = useState(false)
  const w = screenWords.value.chat.parked
  const sessionId = conversation.sessionId.value
  const isForPerson = resumesAtS === null || problem !== null
  return (
    <section class='parked' aria-label={problem === null ? w.name : w.cannot(provider)} data-waits={isForPerson || undefined}>
      <div class='parked-text' role='status'>
        <p>{problem !== null ? w.cannot(provider) : resumesAtS === null ? w.asks(provider) : w.until(provider, times.at(resumesAtS))}</p>
        {problem === null ? null : <p class='parked-why'>{problem}</p>}
      </div>
      {conversation.session.value?.read_only === true
        ? null
        : (
          <div class='parked-choices'>
            <Button size='small' kind='primary' onClick={() => { void conversation.resume() }}>{w.now}</Button>
            {isForPerson && problem === null
              ? <Button size='small' onClick={() => { void conversation.resume({ now: false }) }}>{w.wait}</Button>
              : null}
            <Button size='small' onClick={() => setPicking(true)}>{w.withAnother}</Button>
            <Button size='small' kind='quiet' onClick={() => { void conversation.stop() }}>{w.stop}</Button>
          </div>
          )}
      <ModelPicker
        open={isPicking} onClose={() => setPicking(false)} title={w.another}
        {...(sessionId === null ? {} : { place: { sessionId, workspace: conversation.session.value?.workspace ?? '' } })}
        onPick={(model, provider) => { void conversation.resume({ pick: { model, provider } }) }}
      />
    </section>
  )
}
