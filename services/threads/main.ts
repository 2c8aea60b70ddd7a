import * as domain from '../ground/errors.js'
import { type Order, type Outcome } from '../ground/workers/index.js'
import { tasks } from './tasks.js'

/** The entry of every worker thread. */
export default async function work ({ task, input }: Order): Promise<Outcome> {
  try {
    const run = await tasks[task]() as (input: unknown) => unknown
    return { result: await run(input) }
  } catch (error) {
    // Of an error that crosses as it is, only the message would arrive.
    const failure = error instanceof domain.DomainError ? error : domain.systemFailure(error)
    if (failure !== null) {
      return { failure: { kind: kindOf(failure), message: failure.message, code: failure.code, details: failure.details } }
    }
    throw error
  }
}

/** Not its name: bundling may change that. */
function kindOf (error: domain.DomainError): string {
  return Object.entries(domain).find(([, type]) => error.constructor === type)?.[0] ?? 'DomainError'
}
