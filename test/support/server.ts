import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { asset } from '../../services/ground/assets.js'
import { type TestLike } from './app.js'
import { openEvents } from './events.js'
import { assertTemporary } from './temporary.js'

const builtEntry = asset('dist/server.js')

export interface ServerProcess {
  url: string
  pid: number
  /** Everything it printed, both channels. */
  output (): string
  json (path: string, body?: unknown, headers?: Record<string, string>): Promise<any> // eslint-disable-line @typescript-eslint/no-explicit-any -- what the wire carries is what a test looks into
  events: (path: string, headers?: Record<string, string>) => ReturnType<typeof openEvents>
  /** Sends a signal and waits for the end; the exit code, or the signal's name. */
  end (signal: NodeJS.Signals): Promise<number | string>
  exited: Promise<number | string>
}

/** The compiled service as a process of its own, by its entry or a whole command; `url` is empty when it did not come up. */
export async function spawnServer (
  t: TestLike, folder: string, environment: Record<string, string> = {}, entry: string | [string, ...string[]] = builtEntry
): Promise<ServerProcess> {
  mkdirSync(join(folder, 'workspace'), { recursive: true })
  const [program, ...args] = typeof entry === 'string' ? [process.execPath, entry] as const : entry
  const child = spawn(program, args, {
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      SVC_HOME: join(folder, 'home'),
      SVC_WEBUI_DEFAULT_WORKSPACE: join(folder, 'workspace'),
      SVC_WEBUI_PORT: '0',
      SVC_WEBUI_PROBE_LOCAL: '0',
      SVC_WEBUI_SANDBOX: '0',
      ...environment
    },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  let output = ''
  for (const channel of [child.stdout, child.stderr]) channel.setEncoding('utf8').on('data', (text: string) => { output += text })
  const exited = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string)
  t.teardown(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await exited
  })
  const url = await new Promise<string>((resolve) => {
    const look = () => {
      const found = /Ready at (http:\/\/\S+)/.exec(output)?.[1]
      if (found !== undefined) resolve(found)
    }
    child.stdout.on('data', look)
    void exited.then(() => resolve(''))
  })
  return {
    url,
    pid: child.pid!,
    output: () => output,
    exited,
    async json (path, body, headers = {}) {
      // It updates what it was started from.
      if (path.startsWith('/api/updates/') && body !== undefined) assertTemporary(typeof entry === 'string' ? entry : entry.at(-1)!)
      const response = await fetch(url + path, body === undefined
        ? { headers }
        : { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) })
      return await response.json()
    },
    events: (path, headers) => openEvents(url + path, headers),
    async end (signal) {
      child.kill(signal)
      return await exited
    }
  }
}
