// Whether a build has to be made again. A stamp lies beside what was built: a hash of what it was made of, and the sizes of what was made.
// It is void once a source has changed or a built file is missing or cut off, for another Node, and if the build was not finished.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, normalize } from 'node:path'

/** Name of stamps. It marks a folder as one of a build. */
export const stampFile = '.stamp'
/** What every build depends on. The versions of packages are those that are installed, which need not be those of package-lock.json. */
const common = ['package.json', 'package-lock.json', 'node_modules/.package-lock.json', 'scripts/build.js', 'scripts/stamps.js']

/** Returns whether the files that `outputs` returns were made of those that `sources` returns, by the stamp at a path. */
export function isCurrent ({ stamp, sources, outputs }) {
  const { from, made } = readStamp(stamp)
  return from === hashOfSources(sources()) && made === hashOfSizes(outputs().filter((path) => path !== stamp))
}

/** Has `make` make a build, and stamps it. A source that changes meanwhile counts as changed afterwards. Throws what `make` throws. */
export function makeCurrent ({ stamp, sources, outputs }, make) {
  if (existsSync(stamp)) writeFileSync(stamp, '')
  const from = hashOfSources(sources())
  make()
  writeFileSync(stamp, JSON.stringify({ from, made: hashOfSizes(outputs().filter((path) => path !== stamp)) }))
}

/** Returns a hash of files by what they hold, and of their names without that of the `folder` they are in. */
export function hashOf (files, folder = '') {
  const hash = createHash('sha256')
  for (const path of files) hash.update(path.slice(folder.length)).update('\0').update(readFileSync(path)).update('\0')
  return hash.digest('hex')
}

/** Returns the files that paths name, and those below the folders that they name, sorted. Leaves out links, and what does not exist. */
export function filesOf (paths) {
  return paths.flatMap((path) => {
    const entry = statSync(path, { throwIfNoEntry: false })
    if (entry?.isDirectory() !== true) return entry === undefined ? [] : [normalize(path)]
    return readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
  }).toSorted()
}

const hashOfSources = (files) => `${process.version} ${hashOf([...filesOf(common), ...files])}`

/** Not what they hold: that would take as long again as all the rest. */
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
