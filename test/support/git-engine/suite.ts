import type t from '#test'
import { type FileChange, type GitEngine } from '../../../services/workspace/git/engine.js'
import { needsGit } from '../git-repository.js'

/** Operations that an engine may lack; it answers each with `missing_git` then. */
export const operations = ['discard', 'selected', 'checkout', 'stash-checkout', 'remotes'] as const
/** Kinds of repositories that it may leave alone in the same way. */
export const kinds = ['submodules', 'worktrees', 'sha256', 'index-kinds', 'sparse', 'converted'] as const
/** What it may tell or do in a plainer way. */
export const niceties = ['renames', 'conflicts', 'modes', 'intended', 'merges', 'folders', 'log-of-folder', 'locks', 'names', 'detached', 'large-counts'] as const

export type Ability = typeof operations[number] | typeof kinds[number] | typeof niceties[number]

export interface EngineSuite {
  t: typeof t
  name: string
  engine: GitEngine
  can: (ability: Ability) => boolean
  /** Options of a test that is skipped by name for want of git or of an ability. */
  needs: (...abilities: Ability[]) => { skip?: string }
  files: (folder: string) => Promise<FileChange[]>
  /** A line for each changed file. */
  brief: (folder: string) => Promise<string[]>
}

export const everything: ReadonlySet<Ability> = new Set<Ability>([...operations, ...kinds, ...niceties])

export function engineSuite (test: typeof t, name: string, engine: GitEngine, abilities: ReadonlySet<Ability>): EngineSuite {
  const files = async (folder: string) => (await engine.status(folder))?.files ?? []
  return {
    t: test,
    name,
    engine,
    can: (ability) => abilities.has(ability),
    needs: (...needed) => {
      const missing = needed.filter((ability) => !abilities.has(ability))
      return missing.length === 0 ? needsGit : { skip: `${name} lacks ${missing.join(', ')}` }
    },
    files,
    brief: async (folder) => (await files(folder)).map(({ status, path, staged, unstaged }) => `${status} ${path}${staged ? ' staged' : ''}${unstaged ? ' unstaged' : ''}`)
  }
}
