import { useEffect, useRef } from 'preact/hooks'
import { link, prompts, settings } from '../app.js'
import { keyOf, laterOf } from '../away/entries.js'
import { LaterRow, RunningRow } from '../away/NowRows.js'
import { type OpenChat } from '../conversation/open-chat.js'
import { catalog } from '../models/store.js'
import { isDemo } from '../setup/demo.js'
import { SetupCard } from '../setup/lazy-cards.js'
import { isOffline } from '../shell/ConnectionNote.js'
import { places } from '../shell/places.js'
import { ErrorState } from '../ui/ErrorState.js'
import { Link } from '../ui/Link.js'
import { lazy } from '../ui/lazy.js'
import { words } from '../words/index.js'
import { failedAlone, FinishedRows } from './FinishedRows.js'
import { home, homeFailure, refreshHome, waitingCount, waitingSessions, type Home } from './store.js'
import { finished } from './visit.js'

const WaitingRows = lazy(async () => (await import('../inbox/WaitingRows.js')).WaitingRows, { waiting: null, isBrief: true })

/** The content below the composer: what waits, what finished, what runs and comes next; if there is none of that, examples. */
export function StartBody ({ isHome, opened }: { isHome: boolean, opened: OpenChat }) {
  useEffect(() => { if (catalog.value.peek() === undefined) void catalog.refresh() }, [])
  // Once shown, the card stays, because it reports the outcome.
  const isSettingUp = useRef(false)
  if (isDemo.value === true) isSettingUp.current = true
  const setup = isSettingUp.current ? <SetupCard conversation={opened.conversation} /> : null
  if (!isHome) return <div class='start-body'>{setup}</div>
  const { value } = home
  const waiting = prompts.waiting.value.toReversed()
  const failed = failedAlone(value, finished.value)
  const isQuiet = waitingCount.value === 0 && finished.value.length === 0 && failed.length === 0
  return (
    <div class='start-body'>
      {waitingCount.value === 0 ? null : <WaitingRows waiting={waiting} title={words.value.homeRows.waiting} />}
      {finished.value.length + failed.length === 0 ? null : <FinishedRows rows={finished.value} failed={failed} />}
      {value === null ? null : <Now home={value} />}
      {/* Without a connection, the note above says so, and everything is read again when it is back. */}
      {value === null && homeFailure.value !== null && link.state.value === 'open' && !isOffline.value
        ? <ErrorState error={homeFailure.value} onRetry={() => { void refreshHome() }} />
        : null}
      {setup}
      {isQuiet && value !== null && isDemo.value === false && setup === null && settings.values.value.hide_empty_state_suggestions !== true
        ? <Examples opened={opened} />
        : null}
    </div>
  )
}

/** Lists running turns, queued work, and the next task. */
function Now ({ home }: { home: Home }) {
  const working = home.running.filter(({ session_id: id }) => !waitingSessions.value.has(id))
  const later = laterOf(home)
  if (working.length + later.length === 0) return null
  const w = words.value
  const title = working.length === 0 ? w.away.later : w.homeRows.now
  return (
    <section class='start-section' aria-label={title}>
      <header class='start-section-head'>
        <h2>{title}</h2>
        <Link href={places.away} class='start-quiet-button'>{w.away.all}</Link>
      </header>
      <ul class='start-rows'>
        {working.map((turn) => <RunningRow key={turn.session_id} turn={turn} />)}
        {later.map((entry) => <LaterRow key={keyOf(entry)} entry={entry} />)}
      </ul>
    </section>
  )
}

/** Examples of messages; a picked one goes into the box, where it can be changed. */
function Examples ({ opened }: { opened: OpenChat }) {
  const w = words.value.homeRows
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
