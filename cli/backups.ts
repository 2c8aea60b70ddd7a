import { statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { newestBackup } from '../services/areas/backups/index.js'
import { tried } from '../services/ground/tried.js'
import { CommandFailed } from './command.js'

/**
 * Returns the path of a backup, or of a copy of a database. `named`: its path, or only its name if it is one of the service's own backups,
 * which are in `folder`. Throws CommandFailed, with the newest of these, if nothing is there.
 */
export async function backupAt (named: string, folder: string): Promise<string> {
  const places = [resolve(named), ...(basename(named) === named ? [join(folder, named)] : [])]
  const found = places.find(isThere)
  if (found !== undefined) return found
  const newest = await newestBackup(folder).catch(() => null)
  throw new CommandFailed(
    `There is no backup at ${places[0]}. ${newest === null ? `There is none in ${folder} either` : `The newest in ${folder} is ${newest.name}`}`)
}

/** What may not be looked at counts as there: whoever opens it says why it cannot. */
const isThere = (path: string): boolean => tried(() => statSync(path, { throwIfNoEntry: false }) !== undefined, true)
