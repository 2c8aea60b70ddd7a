// Runs before a start: an update replaces packages and build by renaming folders (services/areas/updates/exchange.ts), and
// after a power cut between two renames, a folder may be missing. Moves the folder that the update was about to move to its
// place; the start then completes the update or reverts it. Needs nothing but Node, because the packages may be what is
// missing. No error here prevents the start.
import { lstatSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'

const folder = '.update'
// If output cannot be written, for example because the disk is full, messages are dropped.
for (const output of [process.stdout, process.stderr]) output.on('error', () => {})
const entryAt = (path) => lstatSync(path, { throwIfNoEntry: false })
const isFolder = (path) => entryAt(path)?.isDirectory() === true

for (const name of ['node_modules', 'dist']) {
  // A dangling link was made by a person: its disk is not mounted now.
  if (entryAt(name) !== undefined) continue
  try {
    // During an update, the new folder has not been moved yet; during a reversal, the folder from before.
    const found = ['next', 'before'].flatMap((place) => attempts().map((attempt) => join(attempt, place, name))).find(isFolder)
    if (found === undefined) continue
    renameSync(found, name)
    console.log(`An update was interrupted: ${name} is in its place again.`)
  } catch (error) {
    console.error(`What updates have left in ${folder} could not be looked at (${error.code ?? error}). If ${name} is there, move it back: its place is the folder of the service.`)
  }
}

/**
 * Returns the folders of interrupted updates. If an update has not moved anything yet, nothing is missing. Earlier versions
 * had no folder per update.
 */
function attempts () {
  return isFolder(folder)
    ? [folder, ...readdirSync(folder).map((name) => join(folder, name))].filter((attempt) => isFolder(join(attempt, 'before')))
    : []
}
