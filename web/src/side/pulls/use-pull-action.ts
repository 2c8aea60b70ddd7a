import { ApiError } from '../../core/service/api.js'
import { screenWords } from '../../words/index.js'
import { sentence, useAction, type Action } from '../action.js'

/** Returns the message of a refusal, in the words of pull requests. Any other error is a fault of the app, and is thrown. */
export function refusal (error: unknown): string {
  const code = error instanceof ApiError ? error.code ?? '' : ''
  return screenWords.value.pulls.refused[code] ?? sentence(error)
}

/** The operations of one view on a pull request, with their errors. */
export function usePullAction (): Action {
  const action = useAction()
  const run: Action['run'] = async (name, work) => {
    let problem: string | null = null
    await action.run(name, async () => {
      await work().catch((error: unknown) => { problem = refusal(error) })
    })
    if (problem !== null) action.tell(problem)
  }
  return { ...action, run }
}
