import { type Stats } from 'node:fs'
import { lstat, readFile, rename, unlink } from 'node:fs/promises'
import { Conflict, Forbidden, Invalid } from '../../ground/errors.js'
import { type Workers } from '../../ground/workers/index.js'
import { isForeignTrash, moveEntry, refuseOwn } from './entries.js'
import { explain } from './failures.js'
import { holdsClosed, type Spot, type Territory } from '../place/place.js'
import { type Queue } from '../../ground/concurrency/queue.js'
import { temporaryName } from '../../ground/files/temporary.js'
import { type UnfinishedFolders } from './unfinished.js'

export const removalLimitMs = 300_000

/** Returns the stats of a spot that may be deleted; throws if it may not. A folder may be deleted only with `recursive`. */
export async function deletable (territory: Territory, spot: Spot, { recursive }: { recursive: boolean }): Promise<Stats> {
  if (!await isForeignTrash(spot)) refuseOwn(spot.path)
  const stats = await lstat(spot.at).catch(explain('File not found'))
  if (stats.isDirectory() && !recursive) {
    throw new Invalid('This is a folder. Send recursive to delete it with its contents', 'is_folder')
  }
  if (holdsClosed(territory, spot.real)) throw new Forbidden('This folder contains files of the service and cannot be deleted')
  if (stats.isDirectory() && (await mountPoints()).some((mount) => mount === spot.real || mount.startsWith(`${spot.real}/`))) {
    throw new Conflict('A disk is mounted in this folder. Unmount it first', 'mounted')
  }
  return stats
}

/**
 * Permanently removes the entry at a spot; for a symlink, only the link. A folder first gets a hidden name. If it cannot be removed
 * completely, the rest gets its name back, and Conflict (`not_removed`) is thrown. Throws what deletable throws.
 */
export async function removeForGood (
  territory: Territory, spot: Spot, options: { recursive: boolean },
  tools: { workers: Workers, inTurn: Queue, unfinished: UnfinishedFolders }
): Promise<void> {
  const stats = await deletable(territory, spot, options)
  if (stats.isDirectory()) await removeFolder(territory, spot, tools)
  else await unlink(spot.at).catch(explain('File not found'))
  await spot.folder.sync().catch(() => {})
}

async function removeFolder (
  territory: Territory, spot: Spot, { workers, inTurn, unfinished }: { workers: Workers, inTurn: Queue, unfinished: UnfinishedFolders }
): Promise<void> {
  const folder = spot.path.slice(0, -spot.name.length - 1) || '.'
  const name = temporaryName()
  const hidden = { at: `${spot.base}/${name}`, base: spot.base, name }
  await unfinished.during({ root: territory.root, folder, name }, async () => {
    await rename(spot.at, hidden.at).catch(explain('File not found'))
    const isRemoved = await inTurn('slow', () =>
      workers.run('removeTrees', { territory, folder, names: [name] }, { timeoutMs: removalLimitMs }))
      .then(({ removed }) => removed === 1, () => false)
    if (isRemoved) return
    await moveEntry(hidden, spot)
    throw new Conflict('Not everything in this folder could be removed', 'not_removed')
  })
}

/** Returns the real paths where disks are mounted; empty if the system does not tell. */
async function mountPoints (): Promise<string[]> {
  const table = await readFile('/proc/self/mountinfo', 'utf8').catch(() => '')
  return table.split('\n').map((line) => line.split(' ')[4] ?? '').filter((path) => path !== '')
    .map((path) => path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8))))
}
