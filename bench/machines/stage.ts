import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { asset } from '../../services/ground/assets.js'
import { openEvents } from '../../test/support/events.js'
import { call, type Answer } from '../wire.js'

export interface Begun { session: string, stream: string }

export interface StageOptions { servicePort: number, natsPort: number, folder: string }

/** The three built programs, each of which can be killed and started again in the same folders. */
export class Stage {
  readonly url: string
  readonly #running = new Map<string, ChildProcess>()
  #round = 0

  constructor (readonly options: StageOptions) {
    mkdirSync(options.folder, { recursive: true })
    this.url = `http://127.0.0.1:${options.servicePort}`
  }

  folderOf (name: string): string {
    const path = join(this.options.folder, name)
    mkdirSync(path, { recursive: true })
    return path
  }

  get work (): string { return this.folderOf('work') }

  run (name: string, program: string, words: string[], env: Record<string, string> = {}): ChildProcess {
    const log = openSync(join(this.options.folder, `${name}.log`), 'a')
    const child = spawn(program, words, {
      env: { PATH: process.env['PATH'], HOME: this.options.folder, LOG_LEVEL: 'warn', ...env }, stdio: ['ignore', log, log]
    })
    closeSync(log)
    this.#running.set(name, child)
    return child
  }

  pid (name: string): number { return this.#running.get(name)!.pid! }

  async kill (name: string, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#running.get(name)
    this.#running.delete(name)
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill(signal)
    await gone
  }

  async startNats ({ empty = false } = {}): Promise<void> {
    if (empty) this.#round++
    const port = this.options.natsPort
    this.run('nats', 'nats-server', ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', this.folderOf(`nats-${this.#round}`)])
    await until('nats-server', async () => await answers(port))
  }

  async startService (): Promise<void> {
    this.run('service', process.execPath, [asset('dist/server.js')], {
      SVC_HOME: this.folderOf('home'), HOME: this.folderOf('home'), SVC_WEBUI_PORT: String(this.options.servicePort),
      SVC_WEBUI_DEFAULT_WORKSPACE: this.folderOf('here'), SVC_WEBUI_MAX_UPLOAD_MB: '300', SVC_WEBUI_PROBE_LOCAL: '0',
      SVC_NATS_URL: `nats://127.0.0.1:${this.options.natsPort}`
    })
    await until('the service', async () => (await fetch(`${this.url}/health`)).ok)
  }

  startMachine (name = 'machine'): void {
    const home = this.folderOf('box-home')
    this.run(name, process.execPath, [
      asset('dist/machine/main.js'), '--nats', `nats://127.0.0.1:${this.options.natsPort}`, '--name', 'box', '--workspaces', this.work
    ], { SVC_HOME: home, HOME: home, OFFLINE_DEMO_WORDS_PER_SECOND: '200', SVC_WEBUI_MAX_UPLOAD_MB: '300' })
  }

  async startAll (): Promise<void> {
    await this.startNats()
    await this.startService()
    this.startMachine()
    await this.ready()
  }

  async ready (): Promise<void> { await until('the machine', async () => await this.isReady()) }

  async isReady (): Promise<boolean> {
    const { body } = await this.get('/api/hosts')
    return body.hosts?.some((machine: { name: string | null, state: string }) => machine.name === 'box' && machine.state === 'ready') === true
  }

  /** Returns the agent processes on the machine. */
  agentPids (): number[] { return childrenOf(this.pid('machine')).filter((pid) => commandOf(pid).includes('agent/host/main')) }

  async end (): Promise<void> {
    for (const name of [...this.#running.keys()]) await this.kill(name)
    await delay(300)
    rmSync(this.options.folder, { recursive: true, force: true, maxRetries: 5 })
  }

  get = async (path: string): Promise<Answer> => await call(this.url + path)
  post = async (path: string, body: unknown): Promise<Answer> => await call(this.url + path, 'POST', body)

  async newSession (workspace = `box:${this.work}`): Promise<string> {
    let { status, body } = await this.post('/api/session/new', { workspace })
    // A machine whose connection has returned counts as present, but does not answer yet.
    for (let attempt = 0; attempt < 30 && status === 503; attempt++) {
      await delay(500)
      ;({ status, body } = await this.post('/api/session/new', { workspace }))
    }
    if (status !== 200) throw new Error(`no session: ${status} ${JSON.stringify(body)}`)
    return body.session.session_id as string
  }

  async begin (message: string, session?: string): Promise<Begun> {
    session ??= await this.newSession()
    const { status, body } = await this.post('/api/chat/start', { session_id: session, message })
    if (status !== 200) throw new Error(`no turn: ${status} ${JSON.stringify(body)}`)
    return { session, stream: body.stream_id as string }
  }

  /** Returns the frames of a turn once it has ended. */
  async frames ({ stream }: Begun, withinMs = 120_000): Promise<Awaited<ReturnType<typeof openEvents>>['frames']> {
    const reader = await openEvents(`${this.url}/api/chat/stream?stream_id=${stream}&after_seq=0`)
    const limit = delay(withinMs, 'late' as const, { ref: false })
    if (await Promise.race([reader.ended, limit]) === 'late') {
      reader.drop()
      throw new Error(`no end in time; the last frame is ${reader.frames.at(-1)?.event}`)
    }
    const last = reader.frames.at(-1)
    if (!terminal.has(last?.event ?? '')) {
      throw new Error(`it ended with ${last?.event}: ${JSON.stringify(last?.data ?? reader.text).slice(0, 300)}`)
    }
    const gap = reader.frames.flatMap(({ id }) => id === null ? [] : [Number(id.split(':').at(-1))]).findIndex((seq, index) =>
      seq !== index + 1)
    if (gap !== -1) throw new Error(`frame ${gap + 1} is missing or doubled`)
    return reader.frames
  }

  /** Returns null if every number was sent once and in order, in frames without a gap, and the transcript has the same numbers. */
  async wholeTurn (turn: Begun, count: number): Promise<string | null> {
    const frames = await this.frames(turn)
    const told = frames.filter(({ event }) => event === 'token').map(({ data }) => String(data.text)).join('')
    const wanted = numbers(count)
    if (!told.endsWith(wanted)) return `not every number is there once: … ${told.slice(-120)} ${sorry(frames)}`
    return String((await this.messages(turn)).at(-1)?.content).endsWith(wanted) ? null : 'the transcript is another than what was told'
  }

  /** Returns null if the turn ended and said why, with the beginning of its output, the same in frames and transcript. */
  async honestTurn (turn: Begun, count: number): Promise<string | null> {
    const frames = await this.frames(turn)
    const told = frames.filter(({ event }) => event === 'token').map(({ data }) => String(data.text)).join('')
    const beginning = /\n\n(1[\d ]*)$/.exec(told)?.[1] ?? ''
    if (!numbers(count).startsWith(beginning)) return `what was told is no beginning: … ${told.slice(-100)}`
    if (beginning !== numbers(count) && sorry(frames) === '') return 'it ended without a word'
    const kept = (await this.messages(turn)).filter(({ role }: { role: string }) => role === 'assistant').map(({
      content
    }: { content: string }) => content).join('\n')
    return String(kept).includes(beginning) ? null : `the transcript lacks what was told: ${String(kept).slice(-100)}`
  }

  async messages ({ session }: Pick<Begun, 'session'>): Promise<Array<{ role: string, content: string }>> {
    return (await this.get(`/api/session?session_id=${session}`)).body.session.messages
  }

  async pending (session: string, kind: 'approval' | 'clarify' = 'approval'): Promise<Record<string, string> | null> {
    return (await this.get(`/api/${kind}/pending?session_id=${session}`)).body.pending ?? null
  }
}

const terminal = new Set(['stream_end', 'apperror', 'cancel'])

/** Returns the error messages of a turn. */
export const sorry = (frames: ReadonlyArray<{ event: string, data: Record<string, unknown> }>): string =>
  frames.filter(({ event }) => event === 'apperror').map(({ data }) => String(data['message'])).join(' / ')

export const numbers = (count: number): string => Array.from({ length: count }, (_, index) => String(index + 1)).join(' ')

export async function until (what: string, holds: () => Promise<boolean> | boolean, withinMs = 60_000): Promise<void> {
  const untilMs = performance.now() + withinMs
  while (performance.now() < untilMs) {
    try {
      if (await holds()) return
    } catch {}
    await delay(100)
  }
  throw new Error(`${what} did not come`)
}

async function answers (port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('data', () => { socket.destroy(); resolve(true) })
    socket.on('error', () => resolve(false))
  })
}

export function processes (): number[] { return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number) }

export function commandOf (pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
  } catch {
    return ''
  }
}

function childrenOf (parent: number): number[] {
  return processes().filter((pid) => {
    try {
      return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')[1]) === parent
    } catch {
      return false
    }
  })
}
