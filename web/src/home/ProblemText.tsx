import { sayProblem } from '../conversation/say-problem.js'
import { type Problem } from '../core/turn/turn.js'
import { screenWords } from '../words/index.js'

/** Says why a turn or a task failed. A sentence that only English has follows the name of the problem. */
export function ProblemText ({ problem }: { problem: Pick<Problem, 'type' | 'message' | 'about'> }) {
  const said = sayProblem(problem)
  if (said !== null) return <bdi>{said}</bdi>
  const { label, labelled, said: translated } = screenWords.value.problems
  const name = problem.type !== null && Object.hasOwn(label, problem.type) ? label[problem.type as keyof typeof label] : label.error
  return <><bdi>{labelled(name)}</bdi> <bdi lang={translated === null ? undefined : 'en'}>{problem.message}</bdi></>
}
