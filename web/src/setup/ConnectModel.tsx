import { useEffect, useRef, useState } from 'preact/hooks'
import { api } from '../app.js'
import { type Conversation } from '../core/conversation/conversation.js'
import { catalog } from '../models/store.js'
import { places } from '../shell/places.js'
import { announce } from '../ui/Announcer.js'
import { Link } from '../ui/Link.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { Icon } from '../ui/Icon.js'
import { Check } from '../ui/icons.js'
import { lazy } from '../ui/lazy.js'
import { toast } from '../ui/toasts.js'
import { words } from '../words/index.js'
import { isDemo } from './demo.js'
import { KeyForm } from './KeyForm.js'
import { OnThisMachine } from './OnThisMachine.js'

const PickDefault = lazy(async () => (await import('./PickDefault.js')).PickDefault, { waiting: null })

type Talk = Pick<Conversation, 'send'>

/** Connects a model in one step: by a key, a server, or an agent on this machine. Then offers a first turn with it. */
export function ConnectModel ({ conversation, onLater = putAway }: { conversation: Talk, onLater?: () => void }) {
  const [connected, setConnected] = useState<string | null>(null)
  const w = words.value.setup
  if (connected !== null) return <Connected name={connected} conversation={conversation} />
  // Another window has connected a model.
  if (isDemo.value !== true) return null
  return (
    <section class='setup-card' aria-labelledby='setup-title'>
      <h2 id='setup-title'>{w.title}</h2>
      <p class='setup-note'>{w.note}</p>
      <KeyForm onConnected={setConnected} />
      <OnThisMachine onConnected={setConnected} />
      <div class='setup-foot'>
        <Link href={places.models}>{w.others}</Link>
        <Button kind='quiet' onClick={onLater}>{w.later}</Button>
      </div>
    </section>
  )
}

/** Hides the card on all devices, and offers to undo that. */
function putAway (): void {
  const set = async (isDone: boolean) => await attempt(async () => await api.post('/api/settings', { onboarding_completed: isDone }))
  void set(true).then((isSet) => {
    const { setup, common } = words.peek()
    if (isSet) toast(setup.put, { action: { text: common.undo, onPick: () => { void set(false) } } })
  })
}

/** Shows which model answers now. Nothing is spent until the person sends a message. */
function Connected ({ name, conversation }: { name: string, conversation: Talk }) {
  const [isPicking, setPicking] = useState(false)
  const greet = useRef<HTMLButtonElement>(null)
  const w = words.value.setup
  useEffect(() => {
    announce(w.connected(name))
    // The form that had the focus is gone.
    greet.current?.focus()
  }, [])
  const reply = catalog.value.value
  const row = reply?.groups.flatMap(({ models, extra_models: extra }) => [...models, ...extra]).find(({ id }) => id === reply.default_model)
  const model = row?.label ?? reply?.default_model
  return (
    <section class='setup-card' aria-labelledby='setup-connected'>
      <h2 id='setup-connected' class='setup-done'><Icon of={Check} /> {w.connected(name)}</h2>
      {model == null || isDemo.value === true ? null : <p class='setup-note'><bdi>{w.answersNow(model)}</bdi></p>}
      <div class='setup-ways'>
        <Button kind='primary' buttonRef={greet} onClick={() => { void conversation.send({ text: w.greeting }) }}>{w.greet}</Button>
        <Button kind='quiet' onClick={() => setPicking(true)}>{w.another}</Button>
      </div>
      <p class='setup-note'>{w.greetNote(name)}</p>
      {isPicking ? <PickDefault onClose={() => setPicking(false)} /> : null}
    </section>
  )
}
