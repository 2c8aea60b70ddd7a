import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { dist } from './assets.js'
import { fieldsOf } from './fields.js'
import { inContainer } from './process/container.js'
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

/**
 * Returns the shell line that runs a command of the program, such as `restore backup-NAME`, for the way in which this one was installed.
 */
export function commandLine (command: string, { folder = dist, isContainer = inContainer } = {}): string {
  const kind = folder === null ? null : releaseKind(folder)
  if (folder === null || kind === null) return scriptLine(command)
  if (kind === 'program' && isContainer()) return `docker compose exec agent node dist/cli/main.js ${command}`
  if (kind === 'npm') return `${/\/_npx\//.test(folder) ? 'npx ' : ''}agent-web-service ${command}`
  return kind === 'archive' ? `bin/agent-web-service ${command}` : `node dist/cli/main.js ${command}`
}

/** Commands that are scripts of package.json. */
const scripts = new Set(['acp', 'audit', 'backup', 'doctor', 'machine', 'restore'])

/** Returns the line for a clone, where some commands are scripts of package.json. */
function scriptLine (command: string): string {
  const [name = '', ...rest] = command.split(' ')
  if (command === 'start') return 'npm start'
  return scripts.has(name) ? ['npm run', name, ...rest.length === 0 ? [] : ['--', ...rest]].join(' ') : `node scripts/cli.js ${command}`
}
