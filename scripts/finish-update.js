// Before a start: an update exchanges packages and build by renaming folders (services/areas/updates/exchange.ts), and a power cut between
// two of them leaves none in the place. Puts there what the update was about to; the start then brings it to its end, or takes it back.
// Needs nothing but Node, as the packages may be what is missing. Whatever it finds, it keeps no start from happening.
import { lstatSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'

const folder = '.update'
// Where nothing can be written to, as on a full disk, nobody is told.
for (const output of [process.stdout, process.stderr]) output.on('error', () => {})
const entryAt = (path) => lstatSync(path, { throwIfNoEntry: false })
const isFolder = (path) => entryAt(path)?.isDirectory() === true

for (const name of ['node_modules', 'dist']) {
  // A link that leads nowhere is a person's: its disk is not there now.
  if (entryAt(name) !== undefined) continue
  try {
    // On the way forward the new one has not been moved yet; on the way back it is the one from before.
    const found = ['next', 'before'].flatMap((place) => attempts().map((attempt) => join(attempt, place, name))).find(isFolder)
    if (found === undefined) continue
    renameSync(found, name)
    console.log(`An update was interrupted: ${name} is in its place again.`)
  } catch (error) {
    console.error(`What updates have left in ${folder} could not be looked at (${error.code ?? error}). If ${name} is there, move it back: its place is the folder of the service.`)
  }
}

/** Of one that has put nothing aside nothing can be missing. Earlier versions had no folder for each. */
function attempts () {
  return isFolder(folder)
    ? [folder, ...readdirSync(folder).map((name) => join(folder, name))].filter((attempt) => isFolder(join(attempt, 'before')))
    : []
}
