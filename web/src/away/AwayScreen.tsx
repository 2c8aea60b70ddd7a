import { prompts } from '../app.js'
import { failedAlone, FinishedRows } from '../home/FinishedRows.js'
import { home, homeFailure, refreshHome, waitingCount, waitingSessions, type Home } from '../home/store.js'
import { finished, useVisit } from '../home/visit.js'
import { WaitingRows } from '../inbox/WaitingRows.js'
import { Page } from '../shell/Page.js'
import { EmptyState } from '../ui/EmptyState.js'
import { ErrorState } from '../ui/ErrorState.js'
import { Check } from '../ui/icons.js'
import { Skeleton } from '../ui/Skeleton.js'
import { words } from '../words/index.js'
import { keyOf, laterOf } from './entries.js'
import { LaterRow, RunningRow } from './NowRows.js'
import { sayAll } from './say.js'
import { useNow } from './use-now.js'
import './away.css'

/** Shows what waits for the person, what runs, what continues when, and what ended since the last visit: each as a sentence with a link. */
export function AwayScreen () {
  useVisit()
  const { value } = home
  return (
    <Page title={words.value.shell.away}>
      {value !== null
        ? <Overview home={value} />
        : homeFailure.value === null
          ? <Skeleton lines={6} />
          : <ErrorState error={homeFailure.value} onRetry={() => { void refreshHome() }} />}
    </Page>
  )
}

function Overview ({ home }: { home: Home }) {
  const nowS = useNow()
  const w = words.value.away
  const waiting = prompts.waiting.value.toReversed()
  const running = home.running.filter(({ session_id: id }) => !waitingSessions.value.has(id))
  const later = laterOf(home)
  const failed = failedAlone(home, finished.value)
  const queued = home.queued + home.queues.reduce((sum, { count }) => sum + count, 0)
  const all = sayAll({ waiting: waitingCount.value, running: running.length, queued, ended: finished.value.length + failed.length })
  return (
    <div class='away'>
      {all === ''
        ? later.length === 0 ? <EmptyState icon={Check} title={w.empty}>{w.emptyText}</EmptyState> : null
        : <p class='away-all' role='status'>{all}</p>}
      {waitingCount.value === 0 ? null : <WaitingRows waiting={waiting} title={words.value.homeRows.waiting} />}
      {running.length === 0
        ? null
        : (
          <section class='start-section' aria-label={words.value.homeRows.now}>
            <header class='start-section-head'><h2>{words.value.homeRows.now}</h2></header>
            <ul class='start-rows'>{running.map((turn) => <RunningRow key={turn.session_id} turn={turn} nowS={nowS} />)}</ul>
          </section>
          )}
      {later.length === 0
        ? null
        : (
          <section class='start-section' aria-label={w.later}>
            <header class='start-section-head'><h2>{w.later}</h2></header>
            <ul class='start-rows'>{later.map((entry) => <LaterRow key={keyOf(entry)} entry={entry} />)}</ul>
          </section>
          )}
      {finished.value.length + failed.length === 0 ? null : <FinishedRows rows={finished.value} failed={failed} />}
    </div>
  )
}
