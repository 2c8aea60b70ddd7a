import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { Duplex } from 'node:stream'
import { authorVariables } from '../../ground/process/environment.js'
import { asset, fromSource } from '../../ground/assets.js'
import { type HostConnection, type HostTransport } from './connection.js'
import { channelFd, JsonLines } from '../json-lines.js'
import { type ToHost } from '../protocol.js'
import { type HostOptions } from '../host/host.js'
import { type SandboxKind } from '../sandbox/index.js'
import { hostMark, killMarked, markVariable } from '../../ground/process/processes.js'
import { createMarks, killLeftovers, startGuardian } from './guardian.js'

export interface ForkOptions {
  profileHome: (profile: string) => string
  serviceRoots: string[]
  /** Names this service among others: its processes carry a mark made of it, and one service at a time uses it. */
  stateDir: string
  boundaryFolder?: string
  /** `container`: the container is the boundary for commands. Default: a sandbox of their own, where that works. */
  sandboxKind?: SandboxKind
  otherHomes?: string[]
  /** The service's environment; the host gets an allow-list of it. */
  env: Record<string, string>
  /** Variables that hold keys under names of the operator's own (`key_env` of config.yaml). */
  keyVariables?: (profile: string) => string[]
  timing?: HostOptions['timing']
  mcpTiming?: HostOptions['mcpTiming']
  demoWordsPerSecond?: number
  /** Compiled entry of the host; only tests that run from source name another. */
  entry?: string
  onStderr?: (line: string) => void
  /** So many processes of a service before this one were found running, and killed. */
  onLeftovers?: (count: number) => void
}

const passed = new Set([
  'PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'TERM', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE',
  'SSL_CERT_DIR', ...authorVariables, 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'OLLAMA_HOST', 'OFFLINE_DEMO_WORDS_PER_SECOND'
])
const stopGraceMs = 1_500
/** Far beyond what a host says at once: a summary of a long conversation, the text of a step. */
const longestMessageChars = 64 * 1_024 * 1_024

/** What a host may know of the service's environment: how to run, and the providers' keys; none of the service's own secrets. */
function hostEnvironment (env: Record<string, string>, keyVariables: string[] = []): Record<string, string> {
  const allowed: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    if (name.startsWith('SVC_')) continue
    if (passed.has(name) || keyVariables.includes(name) || /_(API_KEY|BASE_URL)(_FILE)?$/.test(name)) allowed[name] = value
  }
  return allowed
}

/**
 * One child process per profile, spoken to in lines of JSON over a pipe. Hosts and the commands they run outside the sandbox
 * carry a mark in their environment, by which they are found and killed: when a host ends, when this process does, and
 * when the next service starts on the same state folder.
 */
export function forkTransport (options: ForkOptions): HostTransport {
  // Run from source (npm run dev), the host is source as well and needs the same loader.
  const isSource = options.entry === undefined && fromSource
  const entry = options.entry ?? asset(`services/agent/host/main.${isSource ? 'ts' : 'js'}`)
  const marks = createMarks(options.stateDir)
  const leftovers = killLeftovers(marks).then((count) => { if (count > 0) options.onLeftovers?.(count) })
  let letGuardianGo: (() => void) | null = null
  const transport: HostTransport = (profile) => {
    const { serviceRoots, otherHomes, boundaryFolder, sandboxKind, timing, mcpTiming, demoWordsPerSecond } = options
    letGuardianGo ??= startGuardian(marks, options.env['PATH'])
    const commandMark = `${marks.service}${randomBytes(6).toString('hex')}.`
    const parameters = JSON.stringify({
      profileHome: options.profileHome(profile), serviceRoots, otherHomes, boundaryFolder, sandboxKind, commandMark, timing, mcpTiming,
      demoWordsPerSecond
    })
    const child = spawn(process.execPath, ['--max-old-space-size=1024', ...(isSource ? process.execArgv : []), entry, parameters], {
      env: { ...hostEnvironment(options.env, options.keyVariables?.(profile)), [markVariable]: `${commandMark}${hostMark}` },
      // Not Node's own channel, whose reader throws where nobody can catch it when a host writes no JSON.
      stdio: ['ignore', 'ignore', 'pipe', 'pipe']
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => options.onStderr?.(text.trim()))
    return connect(child, commandMark)
  }
  return Object.assign(transport, {
    async close () {
      await leftovers
      letGuardianGo?.()
    }
  })
}

function connect (child: ChildProcess, commandMark: string): HostConnection {
  const exitListeners: Array<(reason: string) => void> = []
  let gone = false
  let ended!: () => void
  const isOver = new Promise<void>((resolve) => { ended = resolve })
  const leave = (reason: string): void => {
    if (gone) return
    gone = true
    // Declared dead, it must not go on working beside its successor.
    child.kill('SIGKILL')
    for (const listener of exitListeners) listener(reason)
    // However it ended, its commands end with it; also those that would not listen, or that it had no time for.
    void killMarked(commandMark).then(ended)
  }
  let listener: (message: unknown) => void = () => {}
  // There is none when the service has no descriptors left.
  const end = child.stdio?.[channelFd]
  const channel = end instanceof Duplex ? end : new Duplex({ read () { this.push(null) }, write: (_chunk, _encoding, done) => done() })
  // A host without its channel is of no use; its exit follows.
  const lines = new JsonLines(channel, {
    message: (message) => listener(message), closed: () => { child.kill('SIGKILL') }
  }, longestMessageChars)
  child.on('exit', (code, signal) => leave(signal === null ? `exit code ${code}` : `signal ${signal}`))
  child.on('error', (error) => leave(error.message))
  return {
    pid: child.pid ?? null,
    send: (message: ToHost) => lines.send(message),
    onMessage (take) { listener = take },
    onExit (gone) { exitListeners.push(gone) },
    stop () {
      lines.close()
      // Also a host that is stopped, and cannot do anything about it.
      const timer = setTimeout(() => { if (!gone) child.kill('SIGKILL') }, stopGraceMs)
      void isOver.then(() => clearTimeout(timer))
      return isOver
    },
    kill () { child.kill('SIGKILL') }
  }
}
