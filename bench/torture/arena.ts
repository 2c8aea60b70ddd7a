import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { spawnServer, type ServerProcess } from '../../test/support/server.js'
import { isAlive, startEndpoint } from '../processes.js'
import { call } from '../wire.js'
import { type Random } from './random.js'
import { type Tally } from './tally.js'

/** Enough for a busy machine and a large database; scenarios about the duration measure it themselves. */
const startLimitMs = 120_000
const stopLimitMs = 12_000

export interface ServiceOptions {
  env?: Record<string, string>
  /** Home of the service, if not the scenario's own; a scenario with two services needs two. */
  home?: string
  /** Program, or a whole command, if not that of the run. */
  program?: string | [string, ...string[]]
}

export interface Arena {
  /** The scenario's own folder, removed afterwards. */
  folder: string
  random: Random
  tally: Tally
  short: boolean
  /** How often repeated parts are repeated. */
  rounds: number
  /** Starts a service on the folder; `url` is empty if it did not come up. */
  service (options?: ServiceOptions): Promise<ServerProcess>
  /** Starts a service that must come up; throws with its output otherwise. */
  ready (options?: ServiceOptions): Promise<ServerProcess>
  /** Stops a service in an orderly way, by force if it takes too long (which is a finding). */
  stop (service: ServerProcess): Promise<void>
  /** Starts the model endpoint of the benchmarks, in its own process. */
  endpoint (tokensPerSecond: number): Promise<{ url: string }>
  /** Mounts an empty in-memory file system below the folder. */
  tmpfs (name: string, sizeMb: number): string
  /** Registers a callback for the end of the scenario; the last one registered runs first. */
  later (callback: () => unknown): void
  databaseFile (home?: string): string
  workspace (home?: string): string
}

export interface ArenaOptions { folder: string, random: Random, tally: Tally, short: boolean, rounds: number, entry?: string }

/** Starts everything that a scenario needs, so that it can be ended whatever happens. */
export function createArena ({ folder, random, tally, short, rounds, entry }: ArenaOptions): Arena & { end (): Promise<void> } {
  const endings: Array<() => unknown> = []
  mkdirSync(folder, { recursive: true })
  const arena: Arena = {
    folder, random, tally, short, rounds,
    async service ({ env = {}, home = folder, program = entry } = {}) {
      mkdirSync(join(home, 'tmp'), { recursive: true })
      const starting = spawnServer({ teardown: (callback) => endings.push(callback), fail: (message) => tally.wrong(message) }, home,
        { TMPDIR: join(home, 'tmp'), LOG_LEVEL: 'error', ...env }, program)
      const service = await Promise.race([starting, delay(startLimitMs, null, { ref: false })])
      if (service === null) throw new Error(`the service neither came up nor ended within ${startLimitMs / 1000} s`)
      tally.tried('starts')
      return service
    },
    async ready (options) {
      const service = await arena.service(options)
      if (service.url === '') throw new Error(`the service did not come up: ${service.output().slice(-1_000)}`)
      return service
    },
    async stop (service) {
      const ended = await Promise.race([service.end('SIGTERM'), delay(stopLimitMs, null, { ref: false })])
      if (ended === null) {
        tally.wrong(`an orderly stop took more than ${stopLimitMs / 1000} s`)
        await service.crash()
      } else if (ended !== 0) tally.wrong(`an orderly stop ended with ${ended}: ${service.output().slice(-300)}`)
    },
    async endpoint (tokensPerSecond) {
      const endpoint = await startEndpoint(tokensPerSecond)
      endings.push(() => endpoint.stop())
      return endpoint
    },
    tmpfs (name, sizeMb) {
      const place = join(folder, name)
      mkdirSync(place)
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMb}m`, 'torture', place])
      return place
    },
    later (callback) { endings.push(callback) },
    databaseFile: (home = folder) => join(home, 'home', 'webui', 'service.db'),
    workspace: (home = folder) => join(home, 'workspace')
  }
  return {
    ...arena,
    async end () {
      for (const ending of endings.reverse()) await ending()
    }
  }
}

/** Returns the process id of the agent's host, once it runs. */
export async function hostPid (service: ServerProcess): Promise<number> {
  for (let tries = 0; tries < 500; tries++) {
    const { agent } = (await call(`${service.url}/api/system/health`)).body as { agent: { pid: number | null, running: boolean } }
    if (agent.running && agent.pid !== null) return agent.pid
    await delay(20)
  }
  throw new Error('the agent process never ran')
}

/** Whether a process ends by itself within the time. */
export async function endsWithin (pid: number, limitMs: number): Promise<boolean> {
  const until = performance.now() + limitMs
  while (isAlive(pid)) {
    if (performance.now() > until) return false
    await delay(20)
  }
  return true
}

/** Returns processes that have this folder in their environment: all that were started for it, by whatever means. */
export function processesOf (folder: string): Array<{ pid: number, command: string }> {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((name) => {
    const pid = Number(name)
    if (pid === process.pid) return []
    try {
      const isMarked = readFileSync(`/proc/${name}/environ`, 'latin1').split('\0').some((entry) =>
        /^(HOME|TMPDIR|TORTURE)=/.test(entry) && isBelow(entry.slice(entry.indexOf('=') + 1), folder))
      return isMarked && isAlive(pid)
        ? [{ pid, command: readFileSync(`/proc/${name}/cmdline`, 'latin1').replaceAll('\0', ' ').trim().slice(0, 240) }]
        : []
    } catch {
      return []
    }
  })
}

export function mountsOf (folder: string): string[] {
  return readFileSync('/proc/self/mounts', 'utf8').split('\n').map((line) => line.split(' ')[1] ?? '').filter((place) =>
    isBelow(place, folder))
}

const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`)

/**
 * Ends and removes everything below the folder, and returns what should not have been there any more. Synchronous, so that it
 * also works in a signal handler.
 */
export function sweep (folder: string): string[] {
  const found: string[] = []
  for (let pass = 0; pass < 20; pass++) {
    const processes = processesOf(folder)
    for (const { pid, command } of processes) {
      if (pass === 0) found.push(`process ${pid} (${command})`)
      try {
        process.kill(pid, 'SIGKILL')
      } catch {}
    }
    if (processes.length === 0) break
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
  }
  for (const place of mountsOf(folder).reverse()) execFileSync('umount', ['--lazy', place])
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  if (existsSync(folder)) found.push(`folder ${folder}`)
  return found
}

/** Returns files that only an interrupted write leaves: beside edited files, and in temporary folders. */
export function scratchFiles (home: string): string[] {
  const found: string[] = []
  const walk = (folder: string, every: boolean): void => {
    if (!existsSync(folder)) return
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (every || /^\.agent-.*\.tmp$|\.tmp$/.test(
        entry.name
      )) found.push(`${path.slice(home.length + 1)} (${statSync(path, { throwIfNoEntry: false })?.size ?? 0} bytes)`)
      else if (entry.isDirectory() && entry.name !== '.git') walk(path, every)
    }
  }
  walk(join(home, 'workspace'), false)
  walk(join(home, 'home'), false)
  walk(join(home, 'tmp'), true)
  return found
}
