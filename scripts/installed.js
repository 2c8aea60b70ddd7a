// Checks what a build needs of node_modules, without using any package: a clone is often started before they are installed, or with those
// of another machine or an earlier version.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const packages = 'node_modules'
/** npm writes this file when everything is installed. */
const installedFile = join(packages, '.package-lock.json')
const mend = 'Run npm ci in the folder of the service, then try again.'

/** Returns a sentence that says why nothing can be built; null if a build is possible. */
export function whatIsMissing () {
  if (!existsSync(installedFile)) return `The packages are not installed. ${mend}`
  const kind = `${process.platform}-${process.arch}`
  const there = kindsOf(join(packages, '@esbuild'))
  return there.length > 0 && !there.includes(kind)
    ? `The packages in ${packages} are for another kind of machine (${there.join(', ')}) than this one (${kind}). ${mend}`
    : null
}

/** Returns a sentence that says that packages differ from the lock file, which may be why a build failed; null if they match. */
export function packagesThatDiffer () {
  const [wanted, installed] = ['package-lock.json', installedFile].map((file) => JSON.parse(readFileSync(file, 'utf8')).packages)
  const others = Object.entries(wanted).filter(([path, { version, optional, peer }]) => path.startsWith(packages) &&
    (installed[path] === undefined ? !optional && !peer : installed[path].version !== version))
  return others.length === 0 ? null : `The packages are not those of package-lock.json (${others.length === 1 ? '1 differs' : `${others.length} differ`}). ${mend}`
}

const kindsOf = (folder) => existsSync(folder) ? readdirSync(folder) : []
