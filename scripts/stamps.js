// Decides whether a build must be made again. A stamp lies beside each build: a hash of its sources, and the sizes of its files. It is
// invalid once a source has changed or a built file is missing or cut off, under another Node, and if the build did not finish.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, normalize } from 'node:path'

/** Name of stamps. It marks a folder as a build. */
export const stampFile = '.stamp'
/** Files that every build depends on. Its package versions are the installed ones, which may differ from package-lock.json. */
const common = ['package.json', 'package-lock.json', 'node_modules/.package-lock.json', 'scripts/build.js', 'scripts/stamps.js']

/** Whether the files that `outputs` returns were made of those that `sources` returns, according to the stamp. */
export function isCurrent ({ stamp, sources, outputs }) {
  const { from, made } = readStamp(stamp)
  return from === hashOfSources(sources()) && made === hashOfSizes(outputs().filter((path) => path !== stamp))
}

/**
 * Runs `make`, and writes the stamp of its build. A source that changes meanwhile counts as changed afterwards. Throws what `make` throws.
 */
export function makeCurrent ({ stamp, sources, outputs }, make) {
  if (existsSync(stamp)) writeFileSync(stamp, '')
  const from = hashOfSources(sources())
  make()
  writeFileSync(stamp, JSON.stringify({ from, made: hashOfSizes(outputs().filter((path) => path !== stamp)) }))
}

/** Returns a hash of the contents of files, and of their names without the prefix `folder`. */
export function hashOf (files, folder = '') {
  const hash = createHash('sha256')
  for (const path of files) hash.update(path.slice(folder.length)).update('\0').update(readFileSync(path)).update('\0')
  return hash.digest('hex')
}

/** Returns the files at the paths, and those in folders at the paths, sorted. Skips links, and paths that do not exist. */
export function filesOf (paths) {
  return paths.flatMap((path) => {
    const entry = statSync(path, { throwIfNoEntry: false })
    if (entry?.isDirectory() !== true) return entry === undefined ? [] : [normalize(path)]
    return readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
  }).toSorted()
}

const hashOfSources = (files) => `${process.version} ${hashOf([...filesOf(common), ...files])}`

/** Hashes sizes only: reading the contents would take as long as everything else together. */
function hashOfSizes (files) {
  const hash = createHash('sha256')
  for (const path of files) hash.update(`${path} ${statSync(path, { throwIfNoEntry: false })?.size}\0`)
  return hash.digest('hex')
}

function readStamp (path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return {}
  }
}
