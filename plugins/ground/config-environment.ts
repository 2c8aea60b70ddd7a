import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { longestPassword } from '../../schemas/auth.js'
import { isStartedAnywhere } from '../../services/areas/updates/published-form.js'
import { dist } from '../../services/ground/assets.js'
import { codeOf } from '../../services/ground/errors.js'
import { parseDotenv } from '../../services/ground/home/dotenv.js'
import { similar } from '../../services/ground/home/similar.js'
import { tried } from '../../services/ground/tried.js'
import { secrets, variables } from './config-variables.js'

/** More than any key, token or header has. */
const mostSecretBytes = 65_536

/** Returns the environment with the variables of the `.env` file in the current folder; the real environment wins. */
export const localEnvironment = (): NodeJS.ProcessEnv => ({ ...dotenvIn('.'), ...process.env })

/**
 * Returns the variables of the `.env` file in the folder a program is started in; none if there is no file. A program that is installed for
 * all folders reads none: the `.env` of a project, which anybody may have written, could open the service to others.
 */
export const dotenvIn = (folder: string): Record<string, string> =>
  dist !== null && isStartedAnywhere(dist) ? {} : tried(() => parseDotenv(readFileSync(join(folder, '.env'), 'utf8')), {})

/** Returns a sentence for each variable that is named like those of the service, but is none, such as a misspelt one. */
export function unknownVariables (environment: NodeJS.ProcessEnv): string[] {
  const known = [...variables, ...[...secrets].map((name) => `${name}_FILE`)]
  return Object.keys(environment).filter((name) => name.startsWith('SVC_') && !known.includes(name)).flatMap((name) => {
    // The other prefix comes first: HOST is near HOME, and an address must not become the name of a folder.
    const other = name.startsWith('SVC_WEBUI_') ? name.replace('SVC_WEBUI_', 'SVC_') : name.replace('SVC_', 'SVC_WEBUI_')
    const meant = known.includes(other) ? other : similar(name, known)
    if (meant === undefined && !name.startsWith('SVC_WEBUI_')) return []
    return [`${name} is not a variable of the service, and has no effect.${meant === undefined ? '' : ` Did you mean ${meant}?`}`]
  })
}

/** Replaces each `NAME_FILE` with `NAME` and the file's text, for names of secrets. Adds a problem for each file that cannot be read. */
export function withSecretFiles (environment: NodeJS.ProcessEnv, problems: string[]): Record<string, string> {
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment)) if (value !== undefined) env[name] = value
  for (const [name, path] of Object.entries(env)) {
    const secret = name.slice(0, -'_FILE'.length)
    if (!name.endsWith('_FILE') || !(secrets.has(secret) || /_(API_KEY|TOKEN)$/.test(secret))) continue
    if (env[secret] !== undefined && env[secret] !== '') {
      problems.push(`${secret} and ${name} are both set: keep one`)
      continue
    }
    const read = readSecret(path, secret)
    if ('problem' in read) problems.push(`${name}: ${path} ${read.problem}`)
    else env[secret] = read.secret
  }
  return env
}

/**
 * Returns the value of a variable that a file contains, without the white space around it; or what is wrong with the file, in words that
 * follow its path.
 */
export function readSecret (path: string, name: string): { secret: string } | { problem: string } {
  try {
    const whole = readAtMost(path, mostSecretBytes)
    if (whole === null) return { problem: `is larger than ${mostSecretBytes / 1024} KiB: name the file that contains only the secret` }
    const text = whole.trim()
    if (text === '' && secrets.has(name)) return { problem: 'is empty: write the secret to it' }
    if (name !== 'SVC_WEBUI_PASSWORD') return { secret: text }
    const password = passwordOf(text)
    if (password.length <= longestPassword) return { secret: password }
    return { problem: `has a first line of more than ${longestPassword} characters: name the file that contains only the password` }
  } catch (error) {
    return { problem: unreadable[codeOf(error) ?? ''] ?? 'cannot be read' }
  }
}

/** Returns the text of a file, which may be a pipe; null if it is longer. */
function readAtMost (path: string, mostBytes: number): string | null {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(mostBytes + 1)
    let length = 0
    for (let read = -1; read !== 0 && length < bytes.length; length += read) read = readSync(file, bytes, { offset: length })
    return length > mostBytes ? null : bytes.toString('utf8', 0, length)
  } finally {
    closeSync(file)
  }
}

/** Returns the password in a text: its first line that is not empty, without the white space around it. */
export const passwordOf = (text: string): string => text.trim().split('\n', 1).join('').trimEnd()

const unreadable: Record<string, string> = {
  ENOENT: 'does not exist: correct the path, or write the secret to this file',
  EACCES: 'cannot be read by the user of the service: change its owner or its permissions (chown, chmod)',
  EISDIR: 'is a folder, not a file. Docker creates a folder if the file to mount is missing: remove the folder, then write the file'
}
