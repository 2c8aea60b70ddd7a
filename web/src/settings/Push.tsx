import { useEffect, useState } from 'preact/hooks'
import { api } from '../app.js'
import { type Wire } from '../core/api.js'
import { createResource } from '../core/resource.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { Switch } from '../ui/Field.js'
import { toast } from '../ui/Toast.js'
import { screenWords } from '../words/index.js'
import { Loaded } from './Loaded.js'
import { canPush, pushRegistration, subscribedHere, subscribeHere } from './push-here.js'

const push = createResource(async () => await api.get('/api/push'))
const wishes = ['approvals', 'questions', 'finished_turns', 'finished_jobs'] as const

/** Which browsers are told what happens while no window is open. */
export function Push () {
  return (
    <>
      <h3>{screenWords.value.settings.push.title}</h3>
      <Loaded of={push}>{(status) => <Browsers status={status} />}</Loaded>
    </>
  )
}

type Here = { can: 'unable' | 'noWorker' | 'denied' | 'yes', subscription: PushSubscription | null, id: string | null }

function Browsers ({ status }: { status: Wire<'PushStatus'> }) {
  const [here, setHere] = useState<Here | null>(null)
  const [isBusy, setBusy] = useState(false)
  const w = screenWords.value.settings.push
  const look = async (): Promise<void> => {
    if (!canPush()) return setHere({ can: 'unable', subscription: null, id: null })
    const registration = await pushRegistration()
    if (registration === null) return setHere({ can: 'noWorker', subscription: null, id: null })
    setHere({ can: Notification.permission === 'denied' ? 'denied' : 'yes', ...await subscribedHere(registration) })
  }
  useEffect(() => { void look() }, [])
  const subscribe = async (): Promise<void> => {
    const registration = await pushRegistration()
    if (registration === null || status.public_key === null) return
    setBusy(true)
    const key = status.public_key
    await attempt(async () => {
      const made = await subscribeHere(registration, key)
      if (made === null) return toast(w.failed, { kind: 'bad' })
      await api.post('/api/push/subscriptions', made)
      toast(w.added, { kind: 'good' })
    })
    await Promise.all([look(), push.refresh()])
    setBusy(false)
  }
  const isListed = status.subscriptions.some(({ id }) => id === here?.id)
  return (
    <>
      {!status.available
        ? <p class='settings-note'>{w.unavailable(status.reason ?? '')}</p>
        : here === null
          ? null
          : here.can !== 'yes'
            ? <p class='settings-note'>{w[here.can]}</p>
            : isListed ? null : <div><Button kind='primary' busy={isBusy} onClick={() => { void subscribe() }}>{w.subscribe}</Button></div>}
      <ul class='settings-list'>{status.subscriptions.map((subscription) => <Browser key={subscription.id} subscription={subscription} mine={subscription.id === here?.id ? here.subscription : null} />)}</ul>
    </>
  )
}

function Browser ({ subscription, mine }: { subscription: Wire<'PushSubscription'>, mine: PushSubscription | null }) {
  const w = screenWords.value.settings.push
  const { id, preferences } = subscription
  const remove = async (): Promise<void> => {
    const isDone = await attempt(async () => await api.change('delete', '/api/push/subscriptions', {}, { id }))
    if (isDone) toast(w.removed)
    if (isDone) await mine?.unsubscribe()
    await push.refresh()
  }
  const prefer = async (wish: typeof wishes[number], isWanted: boolean): Promise<void> => {
    const { endpoint, keys } = mine!.toJSON()
    await attempt(async () => await api.post('/api/push/subscriptions', { endpoint: endpoint!, keys: { p256dh: keys!.p256dh!, auth: keys!.auth! }, preferences: { ...preferences, [wish]: isWanted } }))
    await push.refresh()
  }
  const name = mine !== null ? w.here : subscription.user_agent ?? subscription.service
  return (
    <li class='provider'>
      <div class='provider-head'><h3 class='provider-name'>{name}</h3><Button kind='danger' label={`${w.unsubscribe}: ${name}`} onClick={() => { void remove() }}>{w.unsubscribe}</Button></div>
      {subscription.last_error === null ? null : <p class='provider-bad'>{w.lastError(subscription.last_error)}</p>}
      {wishes.map((wish) => <Switch key={wish} label={w.wishes[wish]} checked={preferences[wish]} disabled={mine === null} onChecked={(isWanted) => { void prefer(wish, isWanted) }} />)}
    </li>
  )
}
