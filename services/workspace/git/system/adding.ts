import { lstat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Invalid } from '../../../ground/errors.js'
import { gitText } from '../run.js'
import { type Change } from './changes.js'
import { fromInput, pathList } from './paths.js'
import { change, emptyTree, type Repository } from './repository.js'

/** Whether an untracked entry is a repository of its own, about which git knows nothing else. */
export const isForeignRepository = ({ kind, path }: Change): boolean => kind === 'untracked' && path.endsWith('/')

/**
 * Updates an index (with `environment`, the one that it names) from the work tree, for files that differ. `git add` never gets a path
 * that covers a submodule: it would compare the contents inside, and run programs that the submodule's settings name. So each file is
 * named, a submodule is recorded by the commit that it reports, and repositories that git does not know are skipped.
 *
 * Throws Invalid (`git_failed`) for a submodule that cannot be recorded like this, and what gitText throws.
 */
export async function addChanges (repository: Repository, changes: readonly Change[], environment?: Record<string, string>): Promise<void> {
  const present: string[] = []
  const entries: string[] = []
  const nothing = '0'.repeat((await emptyTree(repository)).length)
  for (const each of changes) {
    if (isForeignRepository(each)) continue
    const { path } = each
    const kind = each.inTree === 'D' && each.kind !== 'conflict' ? 'gone' : await kindOf(repository, path)
    if (kind === 'gone') entries.push(`0 ${nothing}\t${path}`)
    else if (each.isSubmodule) entries.push(`160000 ${await submoduleHead(repository, path, kind)}\t${path}`)
    else if (kind === 'file') present.push(path)
  }
  const options = environment === undefined ? {} : { environment }
  // Removals first, because a folder may have replaced a file.
  if (entries.length > 0) {
    await change(repository, ['update-index', '-z', '--index-info'], { ...options, input: entries.map((entry) => `${entry}\0`).join('') })
  }
  if (present.length > 0) await change(repository, ['add', '--all', ...fromInput], { ...options, input: pathList(present) })
}

type Kind = 'file' | 'folder' | 'gone'

async function kindOf ({ top }: Repository, path: string): Promise<Kind> {
  const found = await lstat(join(top, path)).catch(() => null)
  return found === null ? 'gone' : found.isDirectory() ? 'folder' : 'file'
}

/** Returns the commit that a submodule is at. Reading its name runs no program. */
async function submoduleHead ({ top }: Repository, path: string, kind: Kind): Promise<string> {
  const place = join(top, path)
  if (kind !== 'folder') throw new Invalid(`${path} was a submodule and is now a file. Use git in a terminal`, 'git_failed')
  // Without the ceiling, a folder that is no longer a repository would return the commit of the surrounding one.
  return await gitText(place, ['rev-parse', '--verify', 'HEAD^{commit}'], { environment: { GIT_CEILING_DIRECTORIES: dirname(place) } })
}
