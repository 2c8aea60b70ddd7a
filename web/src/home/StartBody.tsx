import { useSignal } from '@preact/signals'
import { type ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { prompts, settings } from '../app.js'
import { Elapsed } from '../conversation/Elapsed.js'
import { type Opened } from '../conversation/opened.js'
import { shownTitle } from '../core/sessions/title.js'
import { WaitingRows } from '../inbox/WaitingRows.js'
import { catalog } from '../models/store.js'
import { isDemo } from '../setup/demo.js'
import { SetupCard } from '../setup/SetupCard.js'
import { places } from '../shell/places.js'
import { Button } from '../ui/Button.js'
import { ErrorState } from '../ui/ErrorState.js'
import { Icon } from '../ui/Icon.js'
import { CalendarClock, Check, CircleAlert, CircleStop, Hourglass } from '../ui/icons.js'
import { type LucideIcon } from '../ui/lucide.js'
import { screenWords, words } from '../words/index.js'
import { times } from '../words/times.js'
import { home, homeFailure, refreshHome, type Home } from './store.js'
import { finished, markAllSeen, type Finished } from './visit.js'

/** What stands below the composer: what waits, what finished, what runs and comes next; without any of that, examples. */
export function StartBody ({ isHome, opened }: { isHome: boolean, opened: Opened }) {
  useEffect(() => { if (catalog.value.peek() === undefined) void catalog.refresh() }, [])
  // Once it was shown it stays, as it says what came of it.
  const isSettingUp = useRef(false)
  if (isDemo.value === true) isSettingUp.current = true
  const setup = isSettingUp.current ? <SetupCard conversation={opened.conversation} /> : null
  if (!isHome) return <div class='start-body'>{setup}</div>
  const { value } = home
  const waiting = prompts.waiting.value.toReversed()
  const failed = (value?.failed_runs ?? []).filter(({ job_id: id }) => !finished.value.some((one) => one.job_id === id))
  const isQuiet = waiting.length === 0 && finished.value.length === 0 && failed.length === 0
  return (
    <div class='start-body'>
      {waiting.length === 0 ? null : <WaitingRows waiting={waiting} title={screenWords.value.homeRows.waiting} />}
      {finished.value.length + failed.length === 0 ? null : <FinishedRows rows={finished.value} failed={failed} />}
      {value === null ? null : <Now home={value} />}
      {value === null && homeFailure.value !== null
        ? <ErrorState error={homeFailure.value} onRetry={() => { void refreshHome() }} />
        : null}
      {setup}
      {isQuiet && value !== null && isDemo.value === false && setup === null && settings.values.value.hide_empty_state_suggestions !== true
        ? <Examples opened={opened} />
        : null}
    </div>
  )
}

/** More than these are shown when they are asked for. */
const firstFew = 6
const icons: Record<Finished['state'], LucideIcon> = { done: Check, failed: CircleAlert, stopped: CircleStop }

function FinishedRows ({ rows, failed }: { rows: readonly Finished[], failed: Home['failed_runs'] }) {
  const isWhole = useSignal(false)
  const w = screenWords.value.homeRows
  const shown = isWhole.value ? rows : rows.slice(0, firstFew)
  return (
    <section class='start-section' aria-label={w.finished}>
      <header class='start-section-head'>
        <h2>{w.finished}</h2>
        <button type='button' class='start-quiet-button' onClick={() => { void markAllSeen() }}>{w.markSeen}</button>
      </header>
      <ul class='start-rows'>
        {failed.map(({ job_id: id, name, at, error }) => (
          <FinishedRow
            key={`task ${id}`} to={places.tasks} state='failed' title={name} text={error === '' ? w.failedTask : error} atS={at} files={0}
          />
        ))}
        {shown.map((one) => (
          <FinishedRow
            key={one.session_id} to={places.session(one.session_id)} state={one.state}
            title={one.title === '' ? words.value.shell.untitled : shownTitle(one.title)} text={one.excerpt} atS={one.finished_at}
            files={one.files_changed}
          />
        ))}
      </ul>
      {shown.length === rows.length
        ? null
        : <Button kind='quiet' onClick={() => { isWhole.value = true }}>{w.showAll(rows.length)}</Button>}
    </section>
  )
}

function FinishedRow ({ to, state, title, text, atS, files }: {
  to: string
  state: Finished['state']
  title: string
  text: string
  atS: number
  files: number
}) {
  const w = screenWords.value.homeRows
  return (
    <li>
      <Link href={to} class='start-row'>
        <span class={`start-mark start-mark-${state}`}><Icon of={icons[state]} label={w.states[state]} /></span>
        <span class='start-row-text'>
          <span class='start-row-title'><bdi>{title}</bdi></span>
          {text === '' ? null : <span class='start-row-line'><bdi>{text}</bdi></span>}
        </span>
        <span class='start-row-end' title={times.full(atS)}>{times.at(atS)}{files === 0 ? null : <span>{w.files(files)}</span>}</span>
      </Link>
    </li>
  )
}

/** What runs, what is queued, and the next task. */
function Now ({ home: { running, queued, queues, next_run: next } }: { home: Home }) {
  const waits = new Set(prompts.waiting.value.map(({ sessionId }) => sessionId))
  const working = running.filter(({ session_id: id }) => !waits.has(id))
  if (working.length === 0 && queued === 0 && queues.length === 0 && next === null) return null
  const w = screenWords.value.homeRows
  return (
    <ul class='start-now' aria-label={w.now}>
      {working.map(({ session_id: id, title, started_at: sinceS, note }) => (
        <NowRow
          key={id} to={places.session(id)}
          mark={<span class='rail-state rail-state-works' role='img' aria-label={words.value.shell.working} />}
          name={title === '' ? words.value.shell.untitled : shownTitle(title)} text={note ?? ''} end={<Elapsed sinceS={sinceS} />}
        />
      ))}
      {queues.map(({ session_id: id, title, count, held }) => (
        <NowRow
          key={`queue ${id}`} to={places.session(id)} mark={<Icon of={Hourglass} />}
          name={title === '' ? words.value.shell.untitled : shownTitle(title)}
          text={held === null ? w.messages(count) : w.messagesHeld(count)} end={null}
        />
      ))}
      {queued === 0
        ? null
        : <NowRow to={places.tasks} mark={<Icon of={Hourglass} />} name={w.queued(queued)} text={w.queuedNote} end={null} />}
      {next === null
        ? null
        : <NowRow to={places.tasks} mark={<Icon of={CalendarClock} />} name={next.name} text={times.next(next.at)} end={w.nextTask} />}
    </ul>
  )
}

const NowRow = ({ to, mark, name, text, end }: {
  to: string
  mark: ComponentChildren
  name: string
  text: string
  end: ComponentChildren
}) =>
  <li>
    <Link href={to} class='start-now-row'>
      <span class='start-mark'>{mark}</span>
      <span class='start-now-text'><b><bdi>{name}</bdi></b> <bdi>{text}</bdi></span>
      <span class='start-row-end'>{end}</span>
    </Link>
  </li>

/** Things to ask; one that is picked goes into the box, where it can be changed. */
function Examples ({ opened }: { opened: Opened }) {
  const w = screenWords.value.homeRows
  const take = (text: string): void => {
    opened.draft.write(text)
    requestAnimationFrame(() => document.getElementById('message')?.focus())
  }
  return (
    <section class='start-section' aria-label={w.tryOne}>
      <ul class='start-examples'>
        {w.examples.map((text) => <li key={text}><button type='button' onClick={() => take(text)}>{text}</button></li>)}
      </ul>
    </section>
  )
}
