import * as domain from '../ground/errors.js'
import { type Order, type Outcome } from '../ground/workers/index.js'
import { tasks } from './tasks.js'

/** The entry of every worker thread. */
export default async function work ({ task, input }: Order): Promise<Outcome> {
  const run = await tasks[task]() as (input: unknown) => unknown
  try {
    return { result: await run(input) }
  } catch (error) {
    if (error instanceof domain.DomainError) return { failure: { kind: kindOf(error), message: error.message, code: error.code, details: error.details } }
    throw error
  }
}

/** Not its name: bundling may change that. */
function kindOf (error: domain.DomainError): string {
  return Object.entries(domain).find(([, type]) => error.constructor === type)?.[0] ?? 'DomainError'
}
