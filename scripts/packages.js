// Finds the packages that a package needs at run time, and the package that a file belongs to.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Listed as dependencies, but needed only to compile. */
const compilers = new Set(['node-addon-api'])

export const manifestOf = (folder, name = 'package.json') => JSON.parse(readFileSync(join(folder, name), 'utf8'))

/**
 * Returns the folders of the packages that the one in `folder` needs, including indirect ones, looking from `place` upwards.
 * Throws if one is missing.
 */
export function packagesOf (folder, place = '.', found = new Set()) {
  const { dependencies = {}, optionalDependencies = {} } = manifestOf(folder)
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    if (compilers.has(name)) continue
    const path = installed(name, place)
    if (path === undefined && !(name in optionalDependencies)) throw new Error(`${name}, which ${folder} needs, is not installed: npm ci`)
    if (path === undefined || found.has(path)) continue
    found.add(path)
    packagesOf(path, path, found)
  }
  return [...found]
}

/** Returns the folder of the package that a file belongs to; undefined for files of no package. */
export const packageOf = (path) => /^(.*\bnode_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]

function installed (name, place) {
  const path = join(place, 'node_modules', name)
  if (existsSync(join(path, 'package.json'))) return path
  return place === '.' ? undefined : installed(name, dirname(place))
}
