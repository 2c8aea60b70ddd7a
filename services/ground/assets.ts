import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder that holds package.json: the project's own in the source tree, dist in a built one. */
const root = ((): string => {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder)
  return folder
})()

/**
 * The folder `dist` that this process runs from, null where it runs from sources: a build is in a folder of its own
 * there, or is all of it (scripts/builds.js).
 */
export const dist: string | null = ((): string | null => {
  if (basename(root) === 'dist') return root
  const above = dirname(dirname(root))
  return basename(dirname(root)) === 'builds' && basename(above) === 'dist' ? above : null
})()

/** A build in the folder `dist`, and where the packages lie that it needs: beside it, and where npm has installed it beside them. */
export function rootsOf (dist: string): string[] {
  const packages = /^.*\/node_modules(?=\/(?:@[^/]+\/)?[^/]+$)/.exec(dirname(dist))?.[0]
  return [dist, join(dirname(dist), 'node_modules'), ...packages === undefined ? [] : [packages]]
}

/** What the service is made of. The agent writes nothing there. */
export const programRoots: readonly string[] = dist === null ? [root] : rootsOf(dist)

/** What `npm start` goes by in the folder of what was built. */
export const startFiles: readonly string[] = dist === null ? [] : ['package.json', '.npmrc'].map((name) => join(dirname(dist), name))

/** Whether this process runs the TypeScript sources (tests, npm run dev) rather than what was built from them. */
export const fromSource = import.meta.url.endsWith('.ts')

/** Path of a file or folder that the service brings along, named from the project's root. */
export const asset = (path: string): string => join(root, path)
