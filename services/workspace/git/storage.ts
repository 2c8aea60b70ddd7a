import { lstat, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { ignoring, Invalid } from '../../ground/errors.js'
import { type WorkTree } from './work-tree.js'

/** Often symlinks, and not written by any command that runs here. */
const foreign: ReadonlySet<string> = new Set(['hooks', 'lfs', 'annex'])
/** Folders in which symlinks are refused at every depth. */
const deep = ['refs', 'logs'] as const
const shallow = ['objects', 'info', 'worktrees'] as const

/**
 * Throws Invalid (`git_failed`) if a part of the repository to which git may write is a symlink: git follows it, and would
 * overwrite or append to a file anywhere on the machine. Call it before every command that writes.
 */
export async function refuseLinkedStorage ({ gitDir, commonDir }: Pick<WorkTree, 'gitDir' | 'commonDir'>): Promise<void> {
  for (const root of new Set([gitDir, commonDir])) {
    if ((await lstat(root)).isSymbolicLink()) throw linked(root)
    await refuseLinksIn(root, { isDeep: false, except: foreign })
    for (const name of shallow) await refuseLinksIn(join(root, name), { isDeep: false })
    for (const name of deep) await refuseLinksIn(join(root, name), { isDeep: true })
  }
}

async function refuseLinksIn (folder: string, { isDeep, except }: { isDeep: boolean, except?: ReadonlySet<string> }): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(ignoring('ENOENT', 'ENOTDIR'))
  for (const entry of entries ?? []) {
    if (entry.isSymbolicLink() && except?.has(entry.name) !== true) throw linked(entry.name)
    if (isDeep && entry.isDirectory()) await refuseLinksIn(join(folder, entry.name), { isDeep })
  }
}

function linked (path: string): Invalid {
  return new Invalid(
    `In this repository git's own file ${basename(path)} is a symbolic link, so writing to it would change something elsewhere. Use git in a terminal`,
    'git_failed'
  )
}
