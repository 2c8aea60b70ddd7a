import { api } from '../app.js'
import { type Wire } from '../core/service/api.js'
import { places } from '../shell/places.js'
import { Button } from '../ui/Button.js'
import { Icon } from '../ui/Icon.js'
import { Link } from '../ui/Link.js'
import { Check, CircleAlert, CircleDashed, LoaderCircle, RefreshCw, X } from '../ui/icons.js'
import { ResourceState } from '../ui/Loaded.js'
import { type LucideIcon } from '../ui/lucide.js'
import { useReading } from '../ui/use-reading.js'
import { screenWords } from '../words/index.js'
import { times } from '../words/times.js'
import { type Hook } from './hooks.js'

type Call = Wire<'HookLogEntry'>

/** The last calls of a hook: which were accepted, which were not and why, and the chats of those that began a run. */
export function Calls ({ hook }: { hook: Hook }) {
  const { id, calls, last_call_at: lastAt, last_run_at: lastRunAt } = hook
  const log = useReading(async () => (await api.get('/api/hooks/calls', { id })).calls, [id], [calls, lastAt, lastRunAt])
  const w = screenWords.value.hooks
  return (
    <section class='task-results' aria-label={w.lastCalls}>
      <header class='hook-calls-head'>
        <h2 class='task-question'>{w.lastCalls}</h2>
        <Button kind='quiet' size='small' icon={RefreshCw} label={w.refresh} busy={log.isLoading.value} onClick={() => { void log.refresh() }} />
      </header>
      <ResourceState of={log}>
        {(list) => list.length === 0
          ? <p class='task-note'>{w.noCalls}</p>
          : <ul class='hook-calls'>{list.map((call, index) => <CallRow key={`${call.at} ${index}`} call={call} />)}</ul>}
      </ResourceState>
    </section>
  )
}

function CallRow ({ call }: { call: Call }) {
  const w = screenWords.value.hooks
  const { icon, kind } = markOf(call)
  const text = call.outcome === 'started' ? w.runs[runOf(call)] : w.outcomes[call.outcome]
  return (
    <li class='hook-call'>
      <Icon of={icon} class={kind} />
      <span class='hook-call-text'>
        {call.event === null ? null : <><b><bdi>{call.event}</bdi></b> </>}
        {text}{call.count === 1 ? '' : ` ${w.times(call.count)}`}
      </span>
      {call.session_id === null ? null : <Link href={places.session(call.session_id)} class='hook-call-open'>{w.openRun}</Link>}
      <time dateTime={new Date(call.at * 1_000).toISOString()} title={times.full(call.at)}>{times.at(call.at)}</time>
    </li>
  )
}

function runOf ({ state, status }: Call): 'queued' | 'running' | 'done' | 'failed' | 'unknown' {
  if (state === 'queued' || state === 'running') return state
  if (state === null) return 'unknown'
  return status === 'ok' ? 'done' : 'failed'
}

function markOf (call: Call): { icon: LucideIcon, kind: string } {
  if (call.outcome === 'refused' || call.outcome === 'invalid' || call.outcome === 'busy') return { icon: CircleAlert, kind: 'task-bad' }
  if (call.outcome !== 'started') return { icon: CircleDashed, kind: 'hook-quiet' }
  const run = runOf(call)
  if (run === 'failed') return { icon: X, kind: 'task-bad' }
  return run === 'done' ? { icon: Check, kind: 'task-good' } : { icon: LoaderCircle, kind: 'hook-quiet' }
}
