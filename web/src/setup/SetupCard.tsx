import { useEffect } from 'preact/hooks'
import { link, settings } from '../app.js'
import { type Conversation } from '../core/conversation/conversation.js'
import { catalog } from '../models/store.js'
import { words } from '../words/index.js'
import { ConnectModel } from './ConnectModel.js'
import { isDemo } from './demo.js'
import { TourTurns } from './TourTurns.js'

/** Shown in an empty chat: offers to connect a model and the demo's tour while only the demo answers, else examples of messages. */
export function SetupCard ({ conversation }: { conversation: Pick<Conversation, 'send'> }) {
  useEffect(() => {
    if (catalog.value.peek() === undefined) void catalog.refresh()
    return link.onFrame(({ event }) => { if (event === 'snapshot' || event === 'profile') void catalog.refresh() })
  }, [])
  const { onboarding_completed: isPutAway, hide_empty_state_suggestions: isPlain } = settings.values.value
  if (isDemo.value === null) return null
  const w = words.value.setup
  return (
    <div class='setup'>
      {isPutAway === true ? null : <ConnectModel conversation={conversation} />}
      {isPlain === true
        ? null
        : isDemo.value
          ? (
            <section aria-labelledby='setup-tour' class='setup-tour'>
              <h2 id='setup-tour'>{w.tour}</h2>
              <p class='setup-note'>{w.tourNote}</p>
              <TourTurns conversation={conversation} />
            </section>
            )
          : (
            <ul class='setup-turns' aria-label={w.examplesName}>
              {w.examples.map((text) => (
                <li key={text}><button type='button' class='setup-turn' onClick={() => { void conversation.send({ text }) }}>{text}</button></li>
              ))}
            </ul>
            )}
    </div>
  )
}
