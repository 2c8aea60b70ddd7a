import { spawn, type ChildProcess } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Duplex } from 'node:stream'
import { authorVariables } from '../../ground/process/environment.js'
import { asset, fromSource } from '../../ground/assets.js'
import { type HostConnection, type HostTransport } from './connection.js'
import { channelFd } from '../json-lines.js'
import { protocolVersion } from '../protocol.js'
import { type HostOptions } from '../host/host.js'
import { hostsFolder, type Standby } from '../standby.js'
import { type SandboxKind } from '../sandbox/index.js'
import { hostMark, markVariable } from '../../ground/process/processes.js'
import { findHosts } from './found-hosts.js'
import { createMarks, killLeftovers, startGuardian } from './guardian.js'
import { connectTo } from './host-process.js'

export interface ForkOptions {
  profileHome: (profile: string) => string
  serviceRoots: string[]
  /** Home of the default profile, which says how connections leave this machine. */
  defaultHome?: string
  /** Identifies this service: the mark of its processes is made from it, and only one service at a time uses it. */
  stateDir: string
  boundaryFolder?: string
  /** `container`: the container is the boundary for commands. Default: commands have their own sandbox, where that works. */
  sandboxKind?: SandboxKind
  otherHomes?: string[]
  /** The port that the service listens on. */
  servicePort?: number
  /** The service's environment; the host gets an allow-list of it. */
  env: Record<string, string>
  /** Names of variables that hold keys, as the operator chose them (`key_env` of config.yaml). */
  keyVariables?: (profile: string) => string[]
  timing?: HostOptions['timing']
  mcpTiming?: HostOptions['mcpTiming']
  demoWordsPerSecond?: number
  /** Compiled entry of the host; only tests that run from source name another. */
  entry?: string
  onStderr?: (line: string) => void
  /** How long hosts with turns outlive the service; absent: they end with it. */
  outliveMs?: number | undefined
  /** Called with the number of processes of an earlier service that were found and killed. */
  onLeftovers?: (count: number) => void
}

const passed = new Set([
  'PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'TERM', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE',
  'SSL_CERT_DIR', ...authorVariables, 'OLLAMA_HOST', 'OFFLINE_DEMO_WORDS_PER_SECOND'
])
const proxyName = /^(?:https?|all|no)_proxy$/i

/** Returns the part of the service's environment that a host may have: what it needs to run and the providers' keys, no other secret. */
function hostEnvironment (env: Record<string, string>, keyVariables: string[] = []): Record<string, string> {
  const allowed: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    if (name.startsWith('SVC_')) continue
    if (passed.has(name) || proxyName.test(name) || keyVariables.includes(name) || /_(API_KEY|BASE_URL)(_FILE)?$/.test(name)) allowed[name] = value
  }
  return allowed
}

/**
 * Starts one child process per profile. It speaks lines of JSON: over a pipe with the service that started it, over a socket with later
 * ones. Hosts, and their commands outside the sandbox, carry a mark in their environment by which they are found and killed: when a host
 * ends, when this process ends and they are not to outlive it, and when the next service starts on the same state folder.
 */
export function forkTransport (options: ForkOptions): HostTransport {
  const { stateDir, outliveMs } = options
  const outlives = outliveMs !== undefined
  const marks = createMarks(stateDir)
  const start = startOf(options)
  const found = outlives
    ? findHosts(stateDir, (profile) => fitOf(start(profile)))
    : Promise.resolve({ hosts: [], areAllMet: false, marks: [], killed: 0 })
  const leftovers = found.then(async ({ marks: spared, killed }) => {
    const count = killed + await killLeftovers(marks, (mark) => spared.some((prefix) => mark.startsWith(prefix)))
    if (count > 0) options.onLeftovers?.(count)
    if (!outlives) await rm(hostsFolder(stateDir), { recursive: true, force: true })
  })
  let letGuardianGo: (() => void) | null = null
  const transport: HostTransport = (profile) => {
    const { file, args, parameters, env } = start(profile)
    // A host that outlives the service starts its own guardian.
    if (!outlives) letGuardianGo ??= startGuardian(marks.service, options.env['PATH'])
    const commandMark = `${marks.service}${randomBytes(6).toString('hex')}.`
    const standby: Standby | undefined = outlives
      ? { folder: join(hostsFolder(stateDir), randomBytes(6).toString('hex')), profile, fit: fitOf(start(profile)), waitMs: outliveMs }
      : undefined
    const child = spawn(file, [...args, JSON.stringify({ ...parameters, commandMark, standby })], {
      env: { ...env, [markVariable]: `${commandMark}${hostMark}` },
      // Its own session: it gets no signals of the service's terminal, and does not end with that.
      detached: outlives,
      // Not Node's own channel: its reader throws where nothing can catch it if a host writes anything but JSON.
      stdio: ['ignore', 'ignore', 'pipe', 'pipe']
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => options.onStderr?.(text.trim()))
    return connect(child, commandMark, outlives)
  }
  return Object.assign(transport, {
    ...(outlives && { findHosts: async () => await found }),
    async close () {
      await leftovers
      letGuardianGo?.()
    }
  })
}

/**
 * Bounds the heap, and its young generation, which would otherwise take forty megabytes after a hundred turns. Compiles WebAssembly with
 * the baseline compiler only: the single module is the HTTP parser of `fetch`, and optimising it costs ten megabytes for no noticeable
 * gain.
 */
const engineOptions = ['--max-old-space-size=1024', '--max-semi-space-size=4', '--liftoff-only']

/** Returns the function that tells how the host of a profile is started, except for its mark. */
function startOf (options: ForkOptions) {
  // When the service runs from source (npm run dev), so does the host, with the same loader.
  const isSource = options.entry === undefined && fromSource
  const entry = options.entry ?? asset(`services/agent/host/main.${isSource ? 'ts' : 'js'}`)
  const { defaultHome, serviceRoots, otherHomes, boundaryFolder, sandboxKind, timing, mcpTiming, demoWordsPerSecond, servicePort } = options
  return (profile: string) => ({
    file: process.execPath,
    args: [...engineOptions, ...(isSource ? process.execArgv : []), entry],
    parameters: {
      profileHome: options.profileHome(profile), defaultHome, serviceRoots, otherHomes, boundaryFolder, sandboxKind, timing, mcpTiming,
      demoWordsPerSecond, servicePort
    },
    env: hostEnvironment(options.env, options.keyVariables?.(profile)),
    entry
  })
}

/** Returns a hash that differs between builds, settings and keys. It reveals none of them. */
function fitOf ({ file, args, parameters, env, entry }: ReturnType<ReturnType<typeof startOf>>): string {
  const { mtimeMs, ino } = statSync(entry)
  return createHash('sha256').update(JSON.stringify([protocolVersion, mtimeMs, ino, file, args, parameters, env])).digest('base64url')
}

function connect (child: ChildProcess, mark: string, outlives: boolean): HostConnection {
  // Missing if the service has no file descriptors left.
  const end = child.stdio?.[channelFd]
  const { connection, gone } = connectTo({
    pid: child.pid ?? null,
    channel: end instanceof Duplex ? end : new Duplex({ read () { this.push(null) }, write: (_chunk, _encoding, done) => done() }),
    mark,
    kill () { child.kill('SIGKILL') },
    release: outlives
      ? () => {
          child.stderr?.destroy()
          child.unref()
        }
      : undefined
  })
  child.on('exit', (code, signal) => gone(signal === null ? `exit code ${code}` : `signal ${signal}`))
  child.on('error', (error) => gone(error.message))
  return connection
}
