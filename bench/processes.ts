import { fork, spawn, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { asset, fromSource } from '../services/ground/assets.js'
import { prepareWorkspace, workspaceOf } from './seed.js'
import { call } from './wire.js'

export interface Service {
  url: string
  pid: number
  /** Time from the start of the process to the first answer of `/health`. */
  startedInMs: number
  /** Process id of the agent host. */
  hostPid (): Promise<number>
  /** Asks the service to stop, and kills it if it does not. */
  stop (): Promise<void>
  /** kill -9. */
  kill (): Promise<void>
}

export interface ServiceOptions {
  home: string
  /** Address of the model endpoint; without one the built-in demo answers. */
  modelUrl?: string
  /** Pace of the demo; 0 = at once. */
  demoWordsPerSecond?: number
  /** Compiled entry of the service. */
  entry?: string
  /** Options of Node, such as `--cpu-prof`. */
  nodeOptions?: string[]
  /** Further variables of the service. */
  variables?: Readonly<Record<string, string>>
  /** Called with its output. Default: errors are printed. */
  onOutput?: (text: string) => void
}

const startLimitMs = 60_000
const stopLimitMs = 8_000
const builtEntry = asset('dist/server.js')

/** Starts the real service as a child process on a free port of 127.0.0.1. */
export async function startService ({
  home, modelUrl, demoWordsPerSecond, entry = builtEntry, nodeOptions = [], variables = {}, onOutput
}: ServiceOptions): Promise<Service> {
  prepareWorkspace(home)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const startMs = performance.now()
  const child = spawn(process.execPath, ['--max-semi-space-size=4', ...nodeOptions, entry], {
    env: {
      PATH: process.env.PATH,
      // Same value as in npm start.
      MALLOC_ARENA_MAX: '2',
      HOME: home,
      SVC_HOME: home,
      SVC_WEBUI_DEFAULT_WORKSPACE: workspaceOf(home),
      SVC_WEBUI_PROBE_LOCAL: '0',
      SVC_WEBUI_PORT: String(port),
      LOG_LEVEL: 'error',
      ...variables,
      ...(demoWordsPerSecond === undefined ? {} : { OFFLINE_DEMO_WORDS_PER_SECOND: String(demoWordsPerSecond) }),
      ...(modelUrl === undefined ? {} : { OPENAI_API_KEY: 'bench', OPENAI_BASE_URL: modelUrl })
    },
    stdio: onOutput === undefined ? ['ignore', 'ignore', 'inherit'] : ['ignore', 'pipe', 'pipe']
  })
  for (const channel of [child.stdout, child.stderr]) channel?.setEncoding('utf8').on('data', (text: string) => onOutput?.(text))
  await firstAnswer(`${url}/health`, child)
  const startedInMs = performance.now() - startMs
  const gone = new Promise<void>((resolve) => child.on('exit', () => resolve()))
  return {
    url,
    pid: child.pid!,
    startedInMs,
    async hostPid () {
      for (;;) {
        const { agent } = (await call(`${url}/api/system/health`)).body as { agent: { pid: number | null, running: boolean } }
        if (agent.pid !== null && agent.running) return agent.pid
        await delay(20)
      }
    },
    async stop () {
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), stopLimitMs)
      await gone
      clearTimeout(timer)
    },
    async kill () {
      child.kill('SIGKILL')
      await gone
    }
  }
}

/** Waits for the first answer at `url`. */
export async function firstAnswer (url: string, child: ChildProcess): Promise<void> {
  const limit = performance.now() + startLimitMs
  while (performance.now() < limit) {
    if (child.exitCode !== null) throw new Error(`the process ended with ${child.exitCode} before it answered`)
    if (await call(url).then(({ status }) => status === 200, () => false)) return
    await delay(3)
  }
  throw new Error(`no answer of ${url} within ${startLimitMs} ms`)
}

export interface Helper { url: string, pid: number, stop (): void }

/** Starts the model endpoint at the given pace; 0 = as fast as it can. */
export async function startEndpoint (tokensPerSecond: number): Promise<Helper> {
  return await startHelper('endpoint', [String(tokensPerSecond)])
}

/** Starts node:http and better-sqlite3 without a framework, on a database that nothing else uses. */
export async function startBare (file: string, longSession: string): Promise<Helper> {
  return await startHelper('bare', [file, longSession])
}

async function startHelper (module: string, args: string[]): Promise<Helper> {
  const child = fork(asset(`bench/${module}.${fromSource ? 'ts' : 'js'}`), args, { execArgv: fromSource ? ['--import', 'tsx'] : [] })
  const url = await new Promise<string>((resolve, reject) => {
    child.once('message', (message) => resolve((message as { url: string }).url))
    child.once('exit', (code) => reject(new Error(`${module} ended with ${code}`)))
  })
  return { url, pid: child.pid!, stop: () => { if (child.connected) child.disconnect() } }
}

export async function freePort (): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** How long after its work the memory of a process is read: at rest, the engine collects garbage and gives memory back within 15 s. */
export const restMs = 20_000

/** Returns the resident memory in MiB. */
export function residentMib (pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

const ticksPerSecond = 100

/** Returns the CPU time of a process with all its threads so far, in milliseconds (in steps of 10). */
export function processorMs (pid: number): number {
  const fields = statFields(pid)
  return (Number(fields[11]) + Number(fields[12])) * 1000 / ticksPerSecond
}

/** Returns false once the process has ended, even if its exit status was not collected yet. */
export function isAlive (pid: number): boolean {
  try {
    return !['Z', 'X'].includes(statFields(pid)[0]!)
  } catch {
    return false
  }
}

/** Returns the fields of /proc/<pid>/stat after the name, which may contain spaces. */
function statFields (pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}
