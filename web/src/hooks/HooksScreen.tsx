import { useEffect } from 'preact/hooks'
import { useSearch } from 'wouter-preact'
import { navigate } from 'wouter-preact/use-browser-location'
import { CreateButton, PageHeader } from '../shell/Page.js'
import { places } from '../shell/places.js'
import { Ways } from '../tasks/Ways.js'
import { Button } from '../ui/Button.js'
import { EmptyState } from '../ui/EmptyState.js'
import { Icon } from '../ui/Icon.js'
import { Link } from '../ui/Link.js'
import { Webhook } from '../ui/icons.js'
import { ResourceState } from '../ui/Loaded.js'
import { screenWords, words } from '../words/index.js'
import { times } from '../words/times.js'
import { isChanged, newHook } from './hook-form.js'
import { HookPane } from './HookPane.js'
import { followHooks, hooks, leaving, type Hook } from './hooks.js'
import './hooks.css'

/** Hooks: the list, with one of them beside it. */
export function HooksScreen () {
  useEffect(followHooks, [])
  const asked = new URLSearchParams(useSearch()).get('hook')
  const w = screenWords.value.hooks
  const list = (hooks.value.value ?? []).filter(({ id }) => !leaving.value.has(id))
  const isNew = asked === newHook
  // Without a choice, the first one is shown if there is room for both.
  const hook = isNew ? null : list.find(({ id }) => id === asked) ?? (asked === null ? list[0] : undefined)
  const isOpen = asked !== null && (isNew || hook !== undefined)
  const create = (): void => navigate(places.hook(newHook))
  return (
    <>
      <PageHeader title={words.value.shell.hooks}>
        <div class='page-actions'><CreateButton text={w.create} onClick={create} /></div>
      </PageHeader>
      <main class='page task-page' data-open={isOpen || undefined}>
        <Ways now='calls' />
        <ResourceState of={hooks} lines={6}>
          {() => list.length === 0 && !isNew
            ? <EmptyState icon={Webhook} title={w.empty} actions={<Button onClick={create}>{w.create}</Button>}>{w.emptyText}</EmptyState>
            : (
              <div class='task-layout'>
                <div class='task-aside'><HookList list={list} chosen={isNew ? newHook : hook?.id ?? null} /></div>
                {hook === undefined ? <p class='task-note'>{w.gone}</p> : <HookPane key={hook?.id ?? newHook} hook={hook} />}
              </div>)}
        </ResourceState>
      </main>
    </>
  )
}

function HookList ({ list, chosen }: { list: readonly Hook[], chosen: string | null }) {
  const w = screenWords.value.hooks
  return (
    <nav class='task-list' aria-label={w.list}>
      <ul>
        {chosen === newHook || isChanged(null)
          ? <HookRow id={newHook} name={w.create} side={w.isNew} line={null} isChosen={chosen === newHook} />
          : null}
        {list.map((hook) => (
          <HookRow
            key={hook.id} id={hook.id} name={hook.name} isChosen={hook.id === chosen} isWrong={hook.last_status === 'error'}
            side={isChanged(hook) ? w.edited : hook.last_call_at === null ? '' : times.short(hook.last_call_at)} line={lineOf(hook)}
          />
        ))}
      </ul>
    </nav>
  )
}

function HookRow ({ id, name, side, line, isChosen, isWrong = false }: {
  id: string
  name: string
  side: string
  line: string | null
  isChosen: boolean
  isWrong?: boolean
}) {
  return (
    <li>
      <Link href={places.hook(id)} class='task-row' aria-current={isChosen ? 'page' : undefined}>
        <Icon of={Webhook} />
        <span class='task-name'><bdi>{name}</bdi></span>
        <span class='task-side'>{side}</span>
        {line === null ? null : <span class='task-line' data-wrong={isWrong || undefined}><bdi>{line}</bdi></span>}
      </Link>
    </li>
  )
}

function lineOf ({ enabled, calls, last_status: status, events }: Hook): string {
  const w = screenWords.value.hooks
  if (!enabled) return w.paused
  if (status === 'error') return w.lastFailed
  return calls === 0 ? w.neverCalled : events.length === 0 ? w.calls(calls) : `${w.calls(calls)} · ${events.join(', ')}`
}
