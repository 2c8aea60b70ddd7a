import type t from '#test'
import { type GitEngine } from '../../../services/workspace/git/engine.js'
import { checkoutsSuite } from './checkouts.js'
import { commitsSuite } from './commits.js'
import { editsSuite } from './edits.js'
import { readsSuite } from './reads.js'
import { refusalsSuite } from './refusals.js'
import { engineSuite, everything, type Ability } from './suite.js'

export { type Ability } from './suite.js'

/** Tests what both engines do alike, on real repositories, and that an engine refuses what it cannot do. `can`: everything by default. */
export function gitEngineSuite (test: typeof t, name: string, engine: GitEngine, can: ReadonlySet<Ability> = everything): void {
  const suite = engineSuite(test, name, engine, can)
  for (const part of [readsSuite, editsSuite, commitsSuite, checkoutsSuite, refusalsSuite]) part(suite)
}
