import { Badge } from '../ui/Badge.js'
import { Counts } from '../ui/DiffView.js'
import { Spinner } from '../ui/Spinner.js'
import { screenWords } from '../words/index.js'
import { times } from '../words/times.js'
import { isAtWork, type Attempt } from './attempts.js'

/** Shows the state of an attempt. */
export function StateCell ({ attempt }: { attempt: Attempt }) {
  const w = screenWords.value.attempts
  const { state, waits_for_you: waits } = attempt
  if (waits) return <Badge kind='wait'>{w.waitsForYou}</Badge>
  if (isAtWork(attempt)) return <span class='attempts-state'><Spinner size={14} /> {w.states[state]}</span>
  return <Badge kind={state === 'failed' || state === 'stopped' ? 'bad' : 'neutral'}>{w.states[state]}</Badge>
}

export function CheckCell ({ attempt: { check_passed: passed } }: { attempt: Attempt }) {
  const w = screenWords.value.attempts
  if (passed === null) return <span>{w.noCheck}</span>
  return <Badge kind={passed ? 'good' : 'bad'}>{passed ? w.passed : w.failed}</Badge>
}

/** Shows the numbers of changed files and lines. */
export function ChangesCell ({ attempt: { files, additions, deletions } }: { attempt: Attempt }) {
  const w = screenWords.value.attempts
  if (files === null) return <span>–</span>
  if (files === 0) return <span>{w.noChange}</span>
  return <span class='attempts-changes'>{w.files(files)} <Counts added={additions ?? 0} removed={deletions ?? 0} /></span>
}

/** Returns how long an attempt has worked. */
export function timeOf ({ started_at: from, ended_at: to }: Attempt): string {
  return from === null ? '–' : times.span((to ?? Date.now() / 1_000) - from)
}
