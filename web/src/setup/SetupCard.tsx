import { useEffect } from 'preact/hooks'
import { link, settings } from '../app.js'
import { type Conversation } from '../core/conversation/conversation.js'
import { catalog } from '../models/store.js'
import { Button } from '../ui/Button.js'
import { lazy } from '../ui/lazy.js'
import { words } from '../words/index.js'
import './setup.css'

const ConnectModel = lazy(async () => (await import('./ConnectModel.js')).ConnectModel, {
  waiting: null, missing: () => null, isBrief: true
})

/** In an empty chat: offers to connect a model while only the demo answers, and examples of what to ask. */
export function SetupCard ({ conversation }: { conversation: Pick<Conversation, 'send'> }) {
  useEffect(() => {
    void catalog.refresh()
    return link.onFrame(({ event }) => { if (event === 'snapshot' || event === 'profile') void catalog.refresh() })
  }, [])
  const known = catalog.value.value
  const { onboarding_completed: isPutAway, hide_empty_state_suggestions: isPlain } = settings.values.value
  if (known === undefined) return null
  const isDemo = known.active_provider === null || known.active_provider === 'offline-demo'
  const w = words.value.setup
  return (
    <div class='setup'>
      {!isDemo || isPutAway === true ? null : <ConnectModel />}
      {isPlain === true
        ? null
        : (
          <section class='setup-examples' aria-label={w.hello}>
            <h2>{w.hello}</h2>
            {(isDemo ? w.demoExamples : w.examples).map((text) => (
              <Button key={text} class='setup-example' onClick={() => { void conversation.send({ text }) }}>{text}</Button>
            ))}
          </section>
          )}
    </div>
  )
}
