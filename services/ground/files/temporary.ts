import { randomBytes } from 'node:crypto'
import { lstat, readdir, unlink } from 'node:fs/promises'
import { type Clock } from '../time/clock.js'

/** The same for this whole process: a file with it in its name is being worked on. */
const ours = randomBytes(4).toString('hex')
const pattern = /^\.agent-[0-9a-f]{16}\.tmp$/
const keptForMs = 3_600_000
const mostFolders = 1_000

/** Returns a name for an unfinished file. Listings leave such names out. */
export const temporaryName = (): string => `.agent-${ours}${randomBytes(4).toString('hex')}.tmp`

/** Whether an entry is unfinished work of this service, or was left by a crash. */
export const isTemporary = (name: string): boolean => pattern.test(name)

/** Whether it is the work of this very process (and this thread of it). */
export const isOurs = (name: string): boolean => name.includes(ours)

/**
 * Removes files that a crash has left in folders. Checks each folder once, when it is first written to, and removes only files that are too
 * old to be in use. Unfinished folders are removed at the next start of the service, or with the next extraction into the same folder.
 */
export function createTidying ({ clock }: { clock: Clock }) {
  const tidied = new Set<string>()

  /** Tidies the folder `real`; `base` is a path that means it for as long as the call takes. Never rejects. */
  return async function tidy (base: string, real: string): Promise<void> {
    if (tidied.has(real)) return
    if (tidied.size >= mostFolders) tidied.clear()
    tidied.add(real)
    for (const name of await readdir(base).catch(() => [])) {
      if (!isTemporary(name) || isOurs(name)) continue
      const stats = await lstat(`${base}/${name}`).catch(() => null)
      if (stats?.isFile() === true && stats.mtimeMs < clock.now() - keptForMs) await unlink(`${base}/${name}`).catch(() => {})
    }
  }
}
