// Before a start: an update exchanges packages and build by renaming folders (services/updates/exchange.ts), and a power cut between
// two of them leaves none in the place. Puts there what the update was about to; the start then brings it to its end, or takes it back.
// Needs nothing but Node, as the packages may be what is missing.
import { existsSync, lstatSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'

const folder = '.update'
const isFolder = (path) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
// Of an attempt that has put nothing aside nothing can be missing. Earlier versions had no folder for each.
const begun = existsSync(folder) ? [folder, ...readdirSync(folder).map((name) => join(folder, name))].filter((attempt) => isFolder(join(attempt, 'before'))) : []

for (const name of ['node_modules', 'dist']) {
  if (existsSync(name)) continue
  // On the way forward the new one has not been moved yet; on the way back it is the one from before.
  const found = ['next', 'before'].flatMap((place) => begun.map((attempt) => join(attempt, place, name))).find(isFolder)
  if (found === undefined) continue
  renameSync(found, name)
  console.log(`An update was interrupted: ${name} is in its place again.`)
}
