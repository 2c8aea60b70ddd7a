import { dirname, delimiter } from 'node:path'
import { proxyVariables } from '../../ground/proxy/outgoing.js'
import { redact } from '../../ground/redaction/index.js'
import { capture } from '../../ground/process/capture.js'
import { pickVariables, searchPath } from '../../ground/process/environment.js'
import { refuseWithoutRoom, UpdateFailed } from './failure.js'
import { type Log } from '../../ground/log.js'

/** Where npm finds its network, settings and cache; nothing else of the service's environment, which contains keys. */
const passedOn = [
  'HOME', 'TMPDIR', 'XDG_CONFIG_HOME',
  'npm_config_registry', 'npm_config_cache', 'npm_config_userconfig', 'npm_config_globalconfig'
]
const loggedCharacters = 4_000

export interface NpmOptions {
  /** That of the service, from which npm gets what it needs. */
  environment: NodeJS.ProcessEnv
  folder: string
  timeoutMs: number
  /** Variables by which npm is found after this process was killed. */
  mark: Record<string, string>
  signal: AbortSignal
  log: Log
  /** How many characters of the end of the output are kept. */
  keptCharacters?: number
}

/** Returns the environment of programs that build or try a version. The Node that runs this service comes first in PATH. */
export function programEnvironment (environment: NodeJS.ProcessEnv): Record<string, string> {
  return {
    ...pickVariables(environment, passedOn), ...proxyVariables(true), PATH: [dirname(process.execPath), searchPath(environment.PATH)].join(delimiter), LANG: 'C.UTF-8'
  }
}

/** What codes of npm mean for the person who updates. */
const meanings: Readonly<Record<string, string>> = {
  E401: 'npm is not signed in at the registry',
  E403: 'npm may not use the registry',
  E404: 'the registry has no such package',
  ENOTFOUND: 'the name of the registry cannot be resolved',
  EAI_AGAIN: 'the name of the registry cannot be resolved at the moment',
  ECONNREFUSED: 'nothing listens at the address of the registry',
  ETIMEDOUT: 'the registry did not answer in time'
}

/** Runs npm to its end, at a low priority. Returns the end of its output. Throws UpdateFailed with `failure`; the log has the details. */
export async function runNpm (
  args: readonly string[], failure: string,
  { environment, folder, timeoutMs, mark, signal, log, keptCharacters = loggedCharacters }: NpmOptions
): Promise<string> {
  let said = ''
  const keep = (chunk: Buffer): void => { said = (said + chunk.toString()).slice(-keptCharacters) }
  try {
    const { exitCode, ended, stderr } = await capture('npm', args, {
      cwd: folder, timeoutMs,
      env: { ...programEnvironment(environment), ...mark, npm_config_loglevel: 'error', npm_config_update_notifier: 'false' },
      signal, niceness: 5, maxOutputBytes: 256 * 1024 * 1024, onOutput: keep
    })
    if (exitCode === 0 && ended === 'exit') return said
    log('npm failed', { command: args.join(' '), exitCode, ended, output: redact(said.slice(-loggedCharacters) + stderr.slice(-loggedCharacters)) })
    if (ended === 'abort') throw new UpdateFailed('The service is stopping')
    refuseWithoutRoom(said + stderr)
    if (ended === 'timeout') throw new UpdateFailed(`${failure}: it took longer than ${timeoutMs / 60_000} minutes`)
    const code = /npm (?:ERR!|error) code ([A-Z]\w{1,30})/.exec(stderr)?.[1]
    const meaning = code === undefined ? undefined : meanings[code]
    const why = code === undefined ? '' : meaning === undefined ? ` (${code})` : `: ${meaning} (${code})`
    throw new UpdateFailed(`${failure}${why}. The log of the service has the details`)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw new UpdateFailed('npm is not installed where this service runs')
    }
    throw error
  }
}
