import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder that holds package.json: the project's root in the source tree, the build's folder otherwise. */
const root = ((): string => {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder)
  return folder
})()

/**
 * The folder `dist` that this process runs from, or null if it runs from sources. A build is a folder of its own inside `dist`, or all of
 * it (scripts/builds.js).
 */
export const dist: string | null = ((): string | null => {
  if (basename(root) === 'dist') return root
  const above = dirname(dirname(root))
  return basename(dirname(root)) === 'builds' && basename(above) === 'dist' ? above : null
})()

/**
 * Returns a build's folder `dist` and the folders of the packages that it needs: beside it, and where npm installed it among other
 * packages.
 */
export function rootsOf (dist: string): string[] {
  const packages = /^.*\/node_modules(?=\/(?:@[^/]+\/)?[^/]+$)/.exec(dirname(dist))?.[0]
  return [dist, join(dirname(dist), 'node_modules'), ...packages === undefined ? [] : [packages]]
}

/** Folders that the service consists of. The agent writes nothing there. */
export const programRoots: readonly string[] = dist === null ? [root] : rootsOf(dist)

/** Files that `npm start` reads in the folder of a build. */
export const startFiles: readonly string[] = dist === null ? [] : ['package.json', '.npmrc'].map((name) => join(dirname(dist), name))

/** Whether this process runs the TypeScript sources (tests, npm run dev) rather than a build. */
export const fromSource = import.meta.url.endsWith('.ts')

/** Returns the path of a file or folder that ships with the service, named from the project's root. */
export const asset = (path: string): string => join(root, path)
