import { type Problem, type TextPart } from '../core/turn/turn.js'
import { places } from '../shell/places.js'
import { Button } from '../ui/Button.js'
import { Link } from '../ui/Link.js'
import { screenWords, words } from '../words/index.js'
import { sayProblem } from './say-problem.js'

/** Shows why a turn failed and what can be done about it. A sentence of the service that only English has adds what only it knows. */
export function ProblemRow ({ problem, onRetry }: { problem: Problem, onRetry: (() => void) | null }) {
  const { label, labelled, next } = screenWords.value.problems
  const type = isKnown(problem.type, label) ? problem.type : 'error'
  const mend = mendOf(problem)
  const hint = next === null ? problem.hint : next[type]
  const told = sayProblem(problem)
  return (
    <div class='exchange-problem' role='note'>
      {/* A sentence that says all of it needs no name above it. */}
      {told === null ? <p><strong>{labelled(label[type])}</strong> {next === null ? problem.message : hint}</p> : <p>{told}</p>}
      {next !== null && told === null
        ? <p class='exchange-hint' lang='en'>{problem.message}</p>
        : hint === null || mend !== null ? null : <p class='exchange-hint'>{hint}</p>}
      {mend === null ? null : <Link class='button button-plain button-small' href={mend.href}>{mend.text}</Link>}
      {onRetry === null ? null : <Button size='small' onClick={onRetry}>{words.value.common.retry}</Button>}
    </div>
  )
}

/** Shows why an answer is incomplete; one that was only too long can be continued. */
export function CutRow ({ cut: { reason, hint }, onGoOn }: { cut: NonNullable<TextPart['cut']>, onGoOn: (() => void) | null }) {
  const { cut, goOn } = screenWords.value.problems
  return (
    <p class='exchange-event'>
      {isKnown(reason, cut) ? cut[reason] : [cut.other, hint].join(' ')}
      {onGoOn !== null && reason === 'length' ? <Button size='small' onClick={onGoOn}>{goOn}</Button> : null}
    </p>
  )
}

const isKnown = <Type extends string>(type: string | null, label: Readonly<Record<Type, string>>): type is Type =>
  type !== null && Object.hasOwn(label, type)

/** Returns the screen where the problem can be fixed, such as by a key or another model; null if there is none. */
function mendOf ({ type }: Problem): { href: string, text: string } | null {
  const w = screenWords.value.problems
  if (type === 'mode_not_allowed') return { href: `${places.settings}/agents`, text: w.toAgents }
  return type !== null && ['auth_mismatch', 'model_not_found', 'quota_exhausted'].includes(type)
    ? { href: places.models, text: w.toModels }
    : null
}
