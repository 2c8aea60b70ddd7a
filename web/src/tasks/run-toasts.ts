import { navigate } from 'wouter-preact/use-browser-location'
import { type Wire } from '../core/service/api.js'
import { places } from '../shell/places.js'
import { tellOnce } from '../shell/tell-once.js'
import { toast } from '../ui/toasts.js'
import { loadScreenWords, screenWords } from '../words/index.js'

/** Reports that a run has ended or was skipped, if its task asks for that. */
export async function tellOfRun (change: Wire<'CronChange'>): Promise<void> {
  await loadScreenWords()
  await tellOnce(`${change.job_id} ${change.event} ${change.at}`, change.at * 1_000, () => {
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
