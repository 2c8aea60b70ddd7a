import { randomBytes } from 'node:crypto'
import { lstat, readdir, unlink } from 'node:fs/promises'
import { type Clock } from './clock.js'

/** The same for all of this process: what bears it is being worked on. */
const ours = randomBytes(4).toString('hex')
const pattern = /^\.agent-[0-9a-f]{16}\.tmp$/
const keptForMs = 3_600_000
const mostFolders = 1_000

/** A name for what is not finished; listings leave it out. */
export const temporaryName = (): string => `.agent-${ours}${randomBytes(4).toString('hex')}.tmp`

/** Whether an entry is the unfinished work of this service, or what a crash has left of it. */
export const isTemporary = (name: string): boolean => pattern.test(name)

/** Whether it is the work of this very process (and this thread of it). */
export const isOurs = (name: string): boolean => name.includes(ours)

/**
 * Removes files that a crash has left in folders: looked for once in each folder that is written to, and only those
 * that nobody can be working on any more. Unfinished folders go when the service starts again, or with the next
 * extraction into the same folder.
 */
export function createTidying ({ clock }: { clock: Clock }) {
  const tidied = new Set<string>()

  /** `base` means the folder `real`, for as long as the call takes. Never rejects. */
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
