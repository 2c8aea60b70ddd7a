import { join } from 'node:path'
import { type Domain, gitFoldersOf, isSpecial } from './ignore-rules.js'
import { type Plumbing } from './plumbing.js'

const limitMs = 5_000
/** Files that git opens to read an index. */
const opened = ['HEAD', 'config', 'config.worktree', 'commondir', 'index']
const none = new Uint8Array()

/**
 * Returns the files of a domain that the user's repository tracks, including ignored ones, each ended by a null character. The
 * repository's index is only read, and no program that its settings name is run. Returns nothing for an unreadable index.
 */
export async function trackedFiles ({ git }: Plumbing, { top, prefix }: Domain, signal: AbortSignal): Promise<Uint8Array> {
  const folders = await gitFoldersOf(top)
  if (folders === null) return none
  const places = [...opened.map((name) => join(folders.own, name)), join(folders.common, 'config')]
  if ((await Promise.all(places.map(isSpecial))).includes(true)) return none
  try {
    const args = ['ls-files', '--cached', '-z', ...(prefix === '' ? [] : ['--', prefix])]
    return (await git({ gitDir: folders.own, workTree: top, args, signal, limitMs, cut: true })).stdout
  } catch (error) {
    if (signal.aborted) throw error
    return none
  }
}
