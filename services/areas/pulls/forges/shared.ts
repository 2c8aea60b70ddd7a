import { Conflict, DomainError, RelayFailed } from '../../../ground/errors.js'
import { type ForgeSeat } from '../client.js'
import { type Pull } from '../forge.js'
import { fieldsOf, lineOf, listOf } from '../reading.js'
import { shown } from '../texts.js'

/** Throws RelayFailed for an answer without what makes it one. */
export function found<T> ({ name }: ForgeSeat, value: T | null): T {
  if (value === null) throw new RelayFailed(`The answer of ${name} cannot be read`, 'forge_unreadable')
  return value
}

/** The data of an answer of GraphQL, which refuses with status 200. Throws Conflict (`forge_refused`). */
export function done ({ name }: ForgeSeat, answer: unknown): Record<string, unknown> {
  const { data, errors } = fieldsOf(answer)
  const [first] = listOf(errors)
  if (first !== undefined) throw new Conflict(`${name} refused: ${shown(lineOf(fieldsOf(first)['message'])) || 'no reason given'}`, 'forge_refused')
  return fieldsOf(data)
}

/** The beginning of a title by which GitLab and Gitea know a draft. */
export const draftPrefix = /^\s*(?:\[?(?:draft|wip)\]?\s*:|\[(?:draft|wip)\]|\(draft\))\s*/i

/** The pull requests in a list; what is none is left out. */
export const pullsIn = (said: unknown, pullOf: (each: unknown) => Pull | null): Pull[] => listOf(said).flatMap((each) => pullOf(each) ?? [])

/** The open one of those of a branch, else the latest; null: there is none. */
export const ofBranch = (pulls: readonly Pull[]): Pull | null => pulls.find(({ state }) => state === 'open') ?? pulls[0] ?? null

/** Does what is wanted besides opening a pull request; what fails becomes a note. */
export async function noted (notes: string[], what: string, work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof DomainError)) throw error
    notes.push(`${what}: ${error.message}`)
  })
}
