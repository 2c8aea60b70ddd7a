import { navigate } from 'wouter-preact/use-browser-location'
import { personStore } from '../app.js'
import { type Wire } from '../core/service/api.js'
import { createToldOnce, windowPlace } from '../core/device/told-once.js'
import { places } from '../shell/places.js'
import { toast } from '../ui/toasts.js'
import { loadScreenWords, screenWords } from '../words/index.js'

const { locks }: Partial<Navigator> = navigator
const tell = createToldOnce({
  store: personStore,
  place: windowPlace(),
  // Without locks, the windows of a browser still rarely look at the same moment.
  alone: async (act) => locks === undefined ? await act() : await locks.request('told', act)
})

/** Shows that a run has ended or was skipped, if its task wants that. */
export async function tellOfRun (change: Wire<'CronChange'>): Promise<void> {
  await loadScreenWords()
  await tell(`${change.job_id} ${change.event} ${change.at}`, change.at * 1_000, () => {
    const { name, event, status, session_id: sessionId } = change
    const w = screenWords.value.tasks.told
    const isBad = event === 'ended' && status !== 'ok'
    const path = sessionId === null || event === 'skipped' ? places.task(change.job_id) : places.session(sessionId)
    toast(event === 'skipped' ? w.skipped(name ?? '') : isBad ? w.failed(name ?? '') : w.ended(name ?? ''), {
      kind: isBad ? 'bad' : event === 'skipped' ? 'plain' : 'good',
      about: `task ${change.job_id}`,
      ...(location.pathname === path ? {} : { action: { text: w.open, onPick: () => navigate(path) } })
    })
  })
}
