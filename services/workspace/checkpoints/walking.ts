import { lstat } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { within } from '../../ground/files/containment.js'
import { type Workers } from '../../ground/workers/index.js'
import { type SnapshotFailed } from './failures.js'
import { type Domain } from './ignore-rules.js'
import { type Plumbing } from './plumbing.js'

/** A walk that takes longer may be blocked by a pipe. */
const suspiciousMs = 1_000

export interface Walk {
  domain: Domain
  /** Places (absolute) that are skipped. */
  closed: readonly string[]
  signal: AbortSignal
}

/**
 * Lets git walk through a domain, unless it would open a pipe there and block for ever. The folders above the workspace
 * are checked first; all others only if git takes long, because this check is a walk too. Rejects with
 * SnapshotFailed (`blocked`).
 */
export async function walking<T> (
  { domain: { top, prefix, at }, closed, signal }: Walk, { plumbing, workers }: { plumbing: Plumbing, workers: Workers },
  work: (signal: AbortSignal) => Promise<T>
): Promise<T> {
  const start = join(top, prefix, '.')
  const refused = (path: string): SnapshotFailed =>
    plumbing.failed('blocked', within(start, path) ? join(at, relative(start, path)) : basename(path))
  const special = await specialAbove(start, top)
  if (special !== null) throw refused(special)
  const blocked = new AbortController()
  const timer = setTimeout(() => {
    workers.run('findSpecial', { top: start, closed }).then((found) => {
      if (found !== null) blocked.abort(refused(found))
    }, () => {}) // if the check fails, the time limit ends the walk
  }, suspiciousMs)
  try {
    return await work(AbortSignal.any([signal, blocked.signal]))
  } finally {
    clearTimeout(timer)
  }
}

/** Returns a rule file that is a pipe or a device, in `start` or a folder between it and `top`; null if there is none. */
async function specialAbove (start: string, top: string): Promise<string | null> {
  for (let folder = start; ; folder = dirname(folder)) {
    for (const name of ['.gitignore', '.gitattributes']) {
      const entry = await lstat(join(folder, name)).catch(() => null)
      if (entry !== null && !entry.isFile() && !entry.isDirectory() && !entry.isSymbolicLink()) return join(folder, name)
    }
    if (folder.length <= top.length) return null
  }
}
