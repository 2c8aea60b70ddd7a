import { useSignal } from '@preact/signals'
import { chatTitle } from '../shell/chat-title.js'
import { places } from '../shell/places.js'
import { Button } from '../ui/Button.js'
import { Icon } from '../ui/Icon.js'
import { Link } from '../ui/Link.js'
import { Check, CircleAlert, CircleStop } from '../ui/icons.js'
import { type LucideIcon } from '../ui/lucide.js'
import { lazy } from '../ui/lazy.js'
import { language, words } from '../words/index.js'
import { times } from '../words/times.js'
import { type Home } from './store.js'
import { markAllSeen, type Finished } from './visit.js'
import './rows.css'

/** Until its words are loaded, a row says in one word what has happened, and the service's own sentence if they cannot be. */
const ProblemText = lazy(async () => (await import('./ProblemText.js')).ProblemText, {
  waiting: <Failed />, missing: (_, { problem }) => <bdi lang='en'>{problem.message}</bdi>
})

/** How many rows are shown at first; the rest are shown on request. */
const firstFew = 6
const icons: Record<Finished['state'], LucideIcon> = { done: Check, failed: CircleAlert, stopped: CircleStop }

/** Returns failed runs that had no turn; for the others the turn is listed. */
export const failedAlone = (home: Home | null, rows: readonly Finished[]): Home['failed_runs'] =>
  (home?.failed_runs ?? []).filter(({ job_id: id }) => !rows.some((one) => one.job_id === id))

/** Lists what has ended since the last visit, one row for each chat and task. */
export function FinishedRows ({ rows, failed }: { rows: readonly Finished[], failed: Home['failed_runs'] }) {
  const isWhole = useSignal(false)
  const w = words.value.homeRows
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
            key={`task ${id}`} to={places.tasks} state='failed' title={name} text={error === '' ? w.failedTask : error}
            problem={error === '' ? null : { type: null, message: error }} atS={at} files={0}
          />
        ))}
        {shown.map((one) => (
          <FinishedRow
            key={one.session_id} to={places.session(one.session_id)} state={one.state}
            title={chatTitle(one.title)} text={one.excerpt} problem={one.problem} atS={one.finished_at}
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

function FinishedRow ({ to, state, title, text, problem, atS, files }: {
  to: string
  state: Finished['state']
  title: string
  text: string
  /** Shown in place of the text, which is in English. */
  problem: Finished['problem']
  atS: number
  files: number
}) {
  const w = words.value.homeRows
  return (
    <li>
      <Link href={to} class='start-row'>
        <span class={`start-mark start-mark-${state}`}><Icon of={icons[state]} label={w.states[state]} /></span>
        <span class='start-row-text'>
          <span class='start-row-title'><bdi>{title}</bdi></span>
          {problem !== null && language.value !== 'en'
            ? <span class='start-row-line'><ProblemText problem={problem} /></span>
            : text === '' ? null : <span class='start-row-line'><bdi>{text}</bdi></span>}
        </span>
        <span class='start-row-end' title={times.full(atS)}>{times.at(atS)}{files === 0 ? null : <span>{w.files(files)}</span>}</span>
      </Link>
    </li>
  )
}

function Failed () {
  return <>{words.value.homeRows.states.failed}</>
}
