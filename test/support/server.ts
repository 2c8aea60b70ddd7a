import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Readable } from 'node:stream'
import { createMarks } from '../../services/agent/runtime/guardian.js'
import { asset } from '../../services/ground/assets.js'
import { killMarked } from '../../services/ground/process/processes.js'
import { type TestLike } from './app.js'
import { openEvents } from './events.js'
import { eventually, type CardKind } from './eventually.js'
import { assertTemporary } from './temporary.js'

const builtEntry = asset('dist/server.js')

export interface ServerProcess {
  url: string
  pid: number
  /** Returns everything that it printed, on both channels. */
  output (): string
  json (path: string, body?: unknown, headers?: Record<string, string>): Promise<any> // eslint-disable-line @typescript-eslint/no-explicit-any -- what the wire carries is what a test looks into
  /** Waits for an open card of a session. */
  pending (sessionId: string, kind?: CardKind): Promise<any> // eslint-disable-line @typescript-eslint/no-explicit-any -- as above
  /** Answers an approval; without an id, the oldest of the session. */
  respond (sessionId: string, choice: string, approvalId?: string): Promise<any> // eslint-disable-line @typescript-eslint/no-explicit-any -- as above
  events: (path: string, headers?: Record<string, string>) => ReturnType<typeof openEvents>
  /** Sends a signal and waits for the end; returns the exit code, or the signal's name. */
  end (signal: NodeJS.Signals): Promise<number | string>
  /** Its output channels, for tests of a reader that stalls or is gone. */
  channels: Readable[]
  /** Ends it and everything that it started, at once, as a crash of the machine does. */
  crash (): Promise<number | string>
  exited: Promise<number | string>
}

/** Ends processes that services on a state folder have left running: a host outlives a service that a test has killed. */
export async function endHosts (stateDir: string): Promise<void> {
  if (existsSync(stateDir)) await killMarked(createMarks(stateDir).folder)
}

/** Starts the compiled service as a process, by its entry or a whole command; `url` is empty if it did not come up. */
export async function spawnServer (
  t: TestLike, folder: string, environment: Record<string, string> = {}, entry: string | [string, ...string[]] = builtEntry
): Promise<ServerProcess> {
  mkdirSync(join(folder, 'workspace'), { recursive: true })
  const stateDir = environment['SVC_WEBUI_STATE_DIR'] ?? join(environment['SVC_HOME'] ?? join(folder, 'home'), 'webui')
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
  const channels: Readable[] = [child.stdout, child.stderr]
  for (const channel of channels) channel.setEncoding('utf8').on('data', (text: string) => { output += text })
  const exited = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string)
  t.teardown(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await exited
    await endHosts(stateDir)
  })
  const url = await new Promise<string>((resolve) => {
    const look = () => {
      const found = /Ready at (http:\/\/\S+)/.exec(output)?.[1]
      if (found !== undefined) resolve(found)
    }
    child.stdout.on('data', look)
    void exited.then(() => resolve(''))
  })
  const server: ServerProcess = {
    url,
    pid: child.pid!,
    output: () => output,
    exited,
    channels,
    async json (path, body, headers = {}) {
      // An update changes the folder that it was started from.
      if (path.startsWith('/api/updates/') && body !== undefined) assertTemporary(typeof entry === 'string' ? entry : entry.at(-1)!)
      const response = await fetch(url + path, body === undefined
        ? { headers }
        : { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) })
      return await response.json()
    },
    pending: async (sessionId, kind = 'approval') =>
      await eventually(`an open ${kind}`, async () => (await server.json(`/api/${kind}/pending?session_id=${sessionId}`)).pending),
    respond: (sessionId, choice, approvalId) => server.json('/api/approval/respond', { session_id: sessionId, choice, approval_id: approvalId }),
    events: (path, headers) => openEvents(url + path, headers),
    async end (signal) {
      child.kill(signal)
      return await exited
    },
    async crash () {
      child.kill('SIGKILL')
      const ended = await exited
      await endHosts(stateDir)
      return ended
    }
  }
  return server
}
