import { useEffect } from 'preact/hooks'
import { type Wire } from '../core/service/api.js'
import { type PushState } from '../core/settings/push.js'
import { push } from '../shell/push.js'
import { Button } from '../ui/Button.js'
import { ErrorState } from '../ui/ErrorState.js'
import { Switch } from '../ui/Field.js'
import { helpOn } from '../ui/help.js'
import { Icon } from '../ui/Icon.js'
import { CircleAlert } from '../ui/icons.js'
import { Skeleton } from '../ui/Skeleton.js'
import { screenWords } from '../words/index.js'
import { Part } from './Part.js'

const wishes = ['approvals', 'questions', 'finished_turns', 'finished_jobs', 'pull_requests'] as const

/** Sets which browsers are notified while no window is open; offered only if that can work. */
export function Push () {
  useEffect(() => {
    void push.refresh()
    // The person may have allowed it in the browser's settings meanwhile.
    const look = (): void => { if (document.visibilityState === 'visible') void push.refresh() }
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])
  const problem = push.problem.value
  const state = push.state.value
  return (
    <Part name='push'>
      {problem === null ? null : <ErrorState error={problem} busy={push.isBusy.value} onRetry={() => { void push.refresh() }} />}
      <Here state={state} />
      <ul class='settings-list'>
        {push.subscriptions.value.map((subscription) => (
          <Browser
            key={subscription.id} subscription={subscription}
            isHere={state.kind === 'on' && state.subscription.id === subscription.id}
          />
        ))}
      </ul>
    </Part>
  )
}

function Here ({ state }: { state: PushState }) {
  const w = screenWords.value.settings.push
  switch (state.kind) {
    case 'unknown': return push.problem.value === null ? <Skeleton lines={2} /> : null
    case 'impossible':
      return (
        <div class='push-obstacle'>
          <Icon of={CircleAlert} />
          <div>
            <p>{state.obstacle === 'service' ? serviceObstacle(state) : w.obstacles[state.obstacle]}</p>
            <p class='settings-link'><a href={helpOn('phone')} target='_blank' rel='noreferrer'>{w.guide}</a></p>
          </div>
        </div>
      )
    case 'off':
      return <div><Button kind='primary' busy={push.isBusy.value} onClick={() => { void push.subscribe() }}>{w.subscribe}</Button></div>
    case 'on': return <p class='provider-good' role='status'>{w.added}</p>
  }
}

/** Returns why the service cannot notify, in the app's language if it has words for the reason. */
function serviceObstacle ({ code, reason }: { code: string | null, reason: string | null }): string {
  const { unavailable } = screenWords.value.settings.push
  return code === 'no_contact' || code === 'no_keys' ? unavailable[code] : `${reason ?? ''}.`
}

function Browser ({ subscription, isHere }: { subscription: Wire<'PushSubscription'>, isHere: boolean }) {
  const w = screenWords.value.settings.push
  const { id, preferences, user_agent: agent, service, last_error: lastError } = subscription
  const name = isHere ? w.here : agent ?? service
  return (
    <li class='provider'>
      <div class='provider-head'>
        <h3 class='provider-name'>{name}</h3>
        <Button
          kind='danger' label={`${w.unsubscribe}: ${name}`} busy={push.isBusy.value}
          onClick={() => { void (isHere ? push.unsubscribe() : push.remove(id)) }}
        >
          {w.unsubscribe}
        </Button>
      </div>
      {lastError === null ? null : <p class='provider-bad'>{w.lastError(lastError)}</p>}
      {wishes.map((wish) => (
        <Switch
          key={wish} label={w.wishes[wish]} checked={preferences[wish]} disabled={!isHere}
          onChecked={(isWanted) => { void push.prefer({ ...preferences, [wish]: isWanted }) }}
        />
      ))}
      {isHere ? null : <p class='settings-note'>{w.elsewhere}</p>}
    </li>
  )
}
