import { Conflict, DomainError, RelayFailed } from '../../../ground/errors.js'
import { type ForgeSeat } from '../client.js'
import { type Pull } from '../forge.js'
import { fieldsOf, lineOf, listOf } from '../parsing.js'
import { maskedText } from '../texts.js'

/** Returns the value. Throws RelayFailed if the answer lacks it. */
export function required<T> ({ name }: ForgeSeat, value: T | null): T {
  if (value === null) throw new RelayFailed(`The answer of ${name} cannot be read`, 'forge_unreadable')
  return value
}

/** Returns the data of a GraphQL answer; its refusals have status 200. Throws Conflict (`forge_refused`). */
export function dataOf ({ name }: ForgeSeat, answer: unknown): Record<string, unknown> {
  const { data, errors } = fieldsOf(answer)
  const [first] = listOf(errors)
  if (first !== undefined) throw new Conflict(`${name} refused: ${maskedText(lineOf(fieldsOf(first)['message'])) || 'no reason given'}`, 'forge_refused')
  return fieldsOf(data)
}

/** The beginning of a title that marks a draft on GitLab and Gitea. */
export const draftPrefix = /^\s*(?:\[?(?:draft|wip)\]?\s*:|\[(?:draft|wip)\]|\(draft\))\s*/i

/** Returns the pull requests in a list; anything else is skipped. */
export const pullsIn = (said: unknown, pullOf: (each: unknown) => Pull | null): Pull[] => listOf(said).flatMap((each) => pullOf(each) ?? [])

/** Returns the open one of a branch's pull requests, else the latest; null if there is none. */
export const ofBranch = (pulls: readonly Pull[]): Pull | null => pulls.find(({ state }) => state === 'open') ?? pulls[0] ?? null

/** Runs what was requested besides opening a pull request; an error becomes a note. */
export async function notingErrors (notes: string[], what: string, work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof DomainError)) throw error
    notes.push(`${what}: ${error.message}`)
  })
}
