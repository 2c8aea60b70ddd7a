import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { dist } from './assets.js'
import { fieldsOf } from './fields.js'
import { inContainer } from './process/container.js'
import { shellLine } from './text/shell-line.js'
import { tried } from './tried.js'

/**
 * Returns the kind of release that scripts/release.js noted beside a build, or null if it was built here. An unreadable note gives an
 * unknown kind.
 */
export function releaseKind (dist: string): string | null {
  const note = join(dirname(dist), 'distribution.json')
  if (!existsSync(note)) return null
  return tried(() => String(fieldsOf(JSON.parse(readFileSync(note, 'utf8'))).kind), '')
}

/** Whether this process runs a published release, not a clone. */
export const isPublished = dist !== null && releaseKind(dist) !== null

/** How a package manager installed the program; `copy`: in an unknown way. */
export type PackagedAs = 'npm-global' | 'npm-local' | 'npx' | 'pnpm' | 'bun' | 'copy'

/** Where package managers install programs; the first match counts. A global installation of npm has no mark of its own. */
const ways: ReadonlyArray<{ as: PackagedAs, path: RegExp }> = [
  { as: 'npx', path: /\/_npx\/[^/]+\/node_modules\// },
  { as: 'pnpm', path: /\/pnpm\/(?:[^/]+\/)*global\// },
  { as: 'bun', path: /\/\.bun\/install\/global\/node_modules\// }
]

/** Returns how the package in a folder was installed. */
export function packagedAs (root: string): PackagedAs {
  const way = ways.find(({ path }) => path.test(`${root}/`))
  if (way !== undefined) return way.as
  const above = /^(.*)\/node_modules\/(?:@[^/]+\/)?[^/]+$/.exec(root)?.[1]
  if (above === undefined) return 'copy'
  return existsSync(join(above, 'package.json')) ? 'npm-local' : 'npm-global'
}

/**
 * Returns the shell line that runs a command of the program, such as `restore backup-NAME`, for the way in which this one was installed.
 */
export function commandLine (command: string, { folder = dist, isContainer = inContainer } = {}): string {
  const kind = folder === null ? null : releaseKind(folder)
  if (folder === null || kind === null) return command === 'start' ? 'npm start' : `node scripts/cli.js ${command}`
  const root = dirname(folder)
  switch (kind) {
    case 'npm': return `${['npx', 'npm-local'].includes(packagedAs(root)) ? 'npx ' : ''}agent-web-service ${command}`
    case 'archive': return `${shellLine([join(dirname(root), 'bin', 'agent-web-service')])} ${command}`
    case 'program': if (isContainer()) return containerLine(command)
  }
  return `node dist/cli/main.js ${command}`
}

/** Returns the line for the container of docker-compose.yml. The service is its first process, so the container starts and ends with it. */
function containerLine (command: string): string {
  if (command === 'start') return 'docker compose up --detach'
  if (command === 'stop') return 'docker compose stop'
  return `docker compose ${/^restore\b/.test(command) ? 'run --rm' : 'exec'} agent node dist/cli/main.js ${command}`
}
