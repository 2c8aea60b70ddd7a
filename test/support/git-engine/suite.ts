import type t from '#test'
import { type FileChange, type GitEngine } from '../../../services/workspace/git/engine.js'
import { needsGit } from '../git-repository.js'

/** Operations that an engine may lack; it then answers each with `missing_git`. */
export const operations = ['discard', 'selected', 'checkout', 'stash-checkout', 'remotes'] as const
/** Kinds of repositories that it may refuse in the same way. */
export const kinds = ['submodules', 'worktrees', 'sha256', 'index-kinds', 'sparse', 'converted'] as const
/** What it may report or do in a simpler way. */
export const niceties = ['renames', 'conflicts', 'modes', 'intended', 'merges', 'folders', 'log-of-folder', 'locks', 'names', 'detached', 'large-counts'] as const

export type Ability = typeof operations[number] | typeof kinds[number] | typeof niceties[number]

export interface EngineSuite {
  t: typeof t
  name: string
  engine: GitEngine
  can: (ability: Ability) => boolean
  /** Returns options that skip a test by name if git or an ability is missing. */
  needs: (...abilities: Ability[]) => { skip?: string }
  files: (folder: string) => Promise<FileChange[]>
  /** Returns a line for each changed file. */
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
