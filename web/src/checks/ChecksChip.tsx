import { Button } from '../ui/Button.js'
import { screenWords } from '../words/index.js'
import { isBad, isOpen, latestRuns, problemCount, run, showChecks, useChecks, type CheckRun } from './checks.js'
import './checks.css'

/** Shows the results of the folder's checks since a turn, or offers to run them, beside its changes. */
export function ChecksChip ({ sessionId, sinceS }: { sessionId: string, sinceS: number }) {
  const checks = useChecks(sessionId).value.value
  if (checks?.available !== true) return null
  const w = screenWords.value.checks
  const runs = latestRuns(checks).filter(({ created_at: at }) => at >= sinceS)
  if (runs.length > 0) return <Button size='small' kind='quiet' class={runs.some(isBad) ? 'checks-chip-bad' : ''} onClick={showChecks}>{summary(runs)}</Button>
  const wanted = checks.checks.filter(({ after_turn: after, changed_script: changed }) => after !== 'off' && changed === null)
  if (wanted.length > 0) {
    const begin = (): void => {
      showChecks()
      void run(sessionId, wanted.map(({ id }) => id))
    }
    return <Button size='small' kind='quiet' onClick={begin}>{w.runAll}</Button>
  }
  return checks.checks.length === 0 && checks.proposals.length > 0
    ? <Button size='small' kind='quiet' onClick={showChecks}>{w.setUp}</Button>
    : null
}

function summary (runs: readonly CheckRun[]): string {
  const w = screenWords.value.checks
  const bad = runs.filter(isBad)
  const [one] = bad
  if (runs.some(isOpen)) return w.running
  if (one === undefined) return runs.every(({ state }) => state === 'passed') ? w.allPassed : w.title
  const problems = bad.reduce((sum, found) => sum + problemCount(found), 0)
  return problems === 0 ? w.failed(bad.map(({ name }) => name).join(', ')) : w.problems(problems, bad.length === 1 ? one.files : null)
}
