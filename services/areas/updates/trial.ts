import { randomBytes } from 'node:crypto'
import { constants, copyFileSync, mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { protocolVersion } from '../../agent/protocol.js'
import { fieldsOf } from '../../ground/fields.js'
import { listenOnLoopback } from '../../ground/network/port-of.js'
import { capture } from '../../ground/process/capture.js'
import { pickVariables } from '../../ground/process/environment.js'
import { databaseFile } from '../../ground/database/index.js'
import { type Log } from '../../ground/log.js'
import { redact } from '../../ground/redaction/index.js'
import { configurationArgument, trialArgument } from './arguments.js'
import { refuseWithoutRoom, UpdateFailed } from './failure.js'
import { programEnvironment } from './programs.js'

export interface TrialOptions {
  /** That of the service. */
  environment: NodeJS.ProcessEnv
  /** The folder of the built version. */
  version: string
  /** The folder for its state, removed afterwards. */
  folder: string
  /** A copy of the database, which the version migrates; null: none. */
  database: string | null
  /** Variables by which it is found after this process was killed. */
  mark: Record<string, string>
  signal: AbortSignal
  log: Log
  /** How long it may make no progress. */
  timeoutMs?: number
}

const usualLimitMs = 120_000
const configurationLimitMs = 30_000
const pauseMs = 100
/** No migration takes longer. */
const longestMs = 24 * 60 * 60_000
const loggedCharacters = 4_000

/**
 * Starts a version on a port of its own, with folders of its own and none of the service's keys, and waits until it reports that it is
 * healthy. It migrates the copy of the database, and then serves an empty one, so that jobs and turns of the copy do not run a second time.
 * Throws UpdateFailed.
 */
export async function tryVersion (
  { environment, version, folder, database, mark, signal, log, timeoutMs = usualLimitMs }: TrialOptions
): Promise<void> {
  const [home, stateDir, workspace] = [join(folder, 'home'), join(folder, 'state'), join(folder, 'workspace')]
  const stopping = new AbortController()
  try {
    for (const each of [home, stateDir, workspace]) mkdirSync(each, { recursive: true, mode: 0o700 })
    if (database !== null) copyFileSync(database, databaseFile(stateDir), constants.COPYFILE_FICLONE)
    const port = await freePort()
    const ended = capture(process.execPath, [...process.execArgv, join(version, 'dist', 'server.js'), trialArgument], {
      cwd: folder,
      env: {
        ...programEnvironment(environment),
        ...mark,
        HOME: home,
        SVC_HOME: home,
        SVC_WEBUI_STATE_DIR: stateDir,
        SVC_WEBUI_DEFAULT_WORKSPACE: workspace,
        SVC_WEBUI_HOST: '127.0.0.1',
        SVC_WEBUI_PORT: String(port),
        SVC_WEBUI_PROBE_LOCAL: '0',
        SVC_WEBUI_BACKUP_HOURS: '0',
        // Other users of this machine must not be able to use it.
        SVC_WEBUI_PASSWORD: randomBytes(24).toString('base64url'),
        LOG_LEVEL: 'warn'
      },
      signal: AbortSignal.any([signal, stopping.signal]),
      timeoutMs: longestMs,
      maxOutputBytes: 16 * 1024 * 1024
    })
    const state = await Promise.race([wellAt(port, timeoutMs, stopping.signal), ended.then(() => 'ended' as const, () => 'ended' as const)])
    stopping.abort()
    if (state === 'well') return
    const { stdout, stderr, exitCode, ended: why } = await ended
    log('the new version did not start', {
      exitCode, ended: why, output: redact(stdout.toString().slice(-loggedCharacters) + stderr.slice(-loggedCharacters))
    })
    if (signal.aborted) throw new UpdateFailed('The service is stopping')
    refuseWithoutRoom(stdout.toString() + stderr)
    throw new UpdateFailed(state === 'late'
      ? 'The new version did not come up in time'
      : 'The new version did not start. The log of the service has the details')
  } finally {
    stopping.abort()
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Lets a version read the configuration of this process, which differs from that of its trial. The version will get this environment
 * anyway. Resolves with the version of the protocol that it speaks with agent processes; null if it does not say. Throws UpdateFailed.
 */
export async function tryConfiguration (
  { environment, version, signal, log }: Pick<TrialOptions, 'environment' | 'version' | 'signal' | 'log'>
): Promise<number | null> {
  const {
    stdout, stderr, exitCode, ended
  } = await capture(process.execPath, [...process.execArgv, join(version, 'dist', 'server.js'), configurationArgument], {
    cwd: process.cwd(), env: pickVariables(environment, Object.keys(environment)), signal, timeoutMs: configurationLimitMs,
    maxOutputBytes: 1024 * 1024
  })
  if (signal.aborted) throw new UpdateFailed('The service is stopping')
  if (exitCode === 0) return protocolIn(stdout.toString())
  log('the new version does not accept the configuration', {
    exitCode, ended, output: redact(stdout.toString().slice(-loggedCharacters) + stderr.slice(-loggedCharacters))
  })
  refuseWithoutRoom(stdout.toString() + stderr)
  throw new UpdateFailed('The new version does not accept the configuration of this service. The log of the service has the details')
}

/** Returns the line with which this version tells a previous one its protocol version for agent processes. */
export const protocolLine = (): string => JSON.stringify({ protocol: protocolVersion })

function protocolIn (output: string): number | null {
  const said = /^\{"protocol":(\d+)\}$/m.exec(output)?.[1]
  return said === undefined ? null : Number(said)
}

/** `late`: for this long it neither came up nor made progress with its database. */
async function wellAt (port: number, limitMs: number, signal: AbortSignal): Promise<'well' | 'late'> {
  let furthest = 0
  for (let sinceMs = performance.now(); !signal.aborted && performance.now() - sinceMs < limitMs; await delay(pauseMs)) {
    try {
      const response = await fetch(`http://127.0.0.1:${port}/health`, { signal: AbortSignal.any([signal, AbortSignal.timeout(5_000)]) })
      if (response.ok) return 'well'
      const { progress } = fieldsOf(await response.json())
      if (typeof progress !== 'number' || progress <= furthest) continue
      furthest = progress
      sinceMs = performance.now()
    } catch {} // it does not listen yet
  }
  return 'late'
}

async function freePort (): Promise<number> {
  const server = createServer()
  const port = await listenOnLoopback(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}
