import { fork, type ChildProcess } from 'node:child_process'
import { asset, fromSource } from '../../assets.js'
import { type HostConnection, type HostTransport } from '../runtime.js'
import { type FromHost, type ToHost } from '../protocol.js'
import { type HostOptions } from '../host/host.js'

export interface ForkOptions {
  profileHome: (profile: string) => string
  serviceRoots: string[]
  otherHomes?: string[]
  /** The service's environment; the host gets an allow-list of it. */
  env: Record<string, string>
  /** Variables that hold keys under names of the operator's own (`key_env` of config.yaml). */
  keyVariables?: (profile: string) => string[]
  timing?: HostOptions['timing']
  demoWordsPerSecond?: number
  /** Compiled entry of the host; only tests that run from source name another. */
  entry?: string
  onStderr?: (line: string) => void
}

const passed = new Set(['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'TERM', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'OLLAMA_HOST', 'OFFLINE_DEMO_WORDS_PER_SECOND'])
const stopGraceMs = 1_500

/** What a host may know of the service's environment: how to run, and the providers' keys; none of the service's own secrets. */
export function hostEnvironment (env: Record<string, string>, keyVariables: string[] = []): Record<string, string> {
  const allowed: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    if (name.startsWith('SVC_')) continue
    if (passed.has(name) || keyVariables.includes(name) || /_(API_KEY|BASE_URL)(_FILE)?$/.test(name)) allowed[name] = value
  }
  return allowed
}

/** One child process per profile, spoken to over Node's IPC channel. */
export function forkTransport (options: ForkOptions): HostTransport {
  // Run from source (npm run dev), the host is source as well and needs the same loader.
  const isSource = options.entry === undefined && fromSource
  const entry = options.entry ?? asset(`services/agent/host/main.${isSource ? 'ts' : 'js'}`)
  return (profile) => {
    const { serviceRoots, otherHomes, timing, demoWordsPerSecond } = options
    const parameters = JSON.stringify({ profileHome: options.profileHome(profile), serviceRoots, otherHomes, timing, demoWordsPerSecond })
    const child = fork(entry, [parameters], {
      env: hostEnvironment(options.env, options.keyVariables?.(profile)),
      execArgv: ['--max-old-space-size=1024', ...(isSource ? process.execArgv : [])],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      serialization: 'json'
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => options.onStderr?.(text.trim()))
    return connect(child)
  }
}

function connect (child: ChildProcess): HostConnection {
  const exitListeners: Array<(reason: string) => void> = []
  let gone = false
  const leave = (reason: string): void => {
    if (gone) return
    gone = true
    // Declared dead, it must not go on working beside its successor.
    child.kill('SIGKILL')
    for (const listener of exitListeners) listener(reason)
  }
  child.on('exit', (code, signal) => leave(signal === null ? `exit code ${code}` : `signal ${signal}`))
  child.on('error', (error) => leave(error.message))
  return {
    pid: child.pid ?? null,
    send (message: ToHost) {
      if (child.connected) child.send(message, (error) => { if (error !== null) leave(error.message) })
    },
    onMessage (listener) { child.on('message', (message) => listener(message as FromHost)) },
    onExit (listener) { exitListeners.push(listener) },
    stop () {
      if (child.connected) child.disconnect()
      setTimeout(() => { if (!gone) child.kill('SIGKILL') }, stopGraceMs).unref()
    },
    kill () { child.kill('SIGKILL') }
  }
}
