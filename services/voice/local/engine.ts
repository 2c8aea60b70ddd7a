import { spawn, type ChildProcess } from 'node:child_process'
import { createRequire } from 'node:module'
import { arch, platform, setPriority } from 'node:os'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { asset, fromSource } from '../../ground/assets.js'
import { searchPath } from '../../ground/process/environment.js'
import { RelayFailed, Unavailable } from '../../ground/errors.js'
import { type SpeechModel } from './model.js'
import { type Sound } from './sound.js'

/** What a process of the engine is for. */
export interface Order {
  /** Name or path of what it loads. */
  module: string
  model: SpeechModel
  /** As the model knows it; empty: it finds out. */
  language: string
}
/** `samples` in base64. */
export interface Piece { rate: number, samples: string }
export type Reply = { ready: true } | { text: string } | { failure: 'package' | 'model' | 'piece' }

export interface EngineOptions {
  /** Of the service, as the system has it. */
  path: string | undefined
  /** What has to be installed, as it is asked for; the first is what is loaded. */
  modules?: readonly [string, ...string[]]
  /** After so long without a recording the process ends, and with it what the model takes of the memory. */
  idleMs?: number
}

const binary = `sherpa-onnx-${platform() === 'win32' ? 'win' : platform()}-${arch()}/sherpa-onnx.node`
const usualIdleMs = 5 * 60_000
const niceness = 5

/**
 * A model that listens, in a process of its own, which is started for the first recording and loads the optional package: what native code does
 * to a process happens there. One recording at a time is for the caller to see to.
 */
export function createEngine ({ path, modules = ['sherpa-onnx-node', binary], idleMs = usualIdleMs }: EngineOptions) {
  let running: EngineProcess | null = null
  let idle: NodeJS.Timeout | undefined

  function end (): void {
    clearTimeout(idle)
    running?.end()
    running = null
  }

  return {
    /** Throws Unavailable where the package is not installed. Nothing is loaded for that. */
    assertInstalled (): void {
      try {
        for (const name of modules) createRequire(import.meta.url).resolve(name)
      } catch {
        throw missing()
      }
    },

    /**
     * What is said in pieces of a recording, in their order. Throws Unavailable when package or model cannot be loaded, RelayFailed when the
     * process fails, when `limit` is aborted, which ends the process, and when `signal` is, behind the piece that is being heard.
     */
    async hear (model: SpeechModel, language: string, sounds: Iterable<Sound>, { signal, limit }: { signal: AbortSignal, limit: AbortSignal }): Promise<string[]> {
      clearTimeout(idle)
      const order: Order = { module: modules[0], model, language }
      const key = JSON.stringify(order)
      if (running === null || running.key !== key || running.isOver) {
        end()
        running = new EngineProcess(key, path)
      }
      const mine = running
      const stop = (): void => mine.end()
      limit.addEventListener('abort', stop, { once: true })
      try {
        await mine.ready
        const texts: string[] = []
        for (const sound of sounds) {
          if (signal.aborted) throw new RelayFailed('Nobody waits for this recording any more')
          texts.push(await mine.hear(sound))
        }
        return texts
      } catch (error) {
        if (limit.aborted) throw new RelayFailed('The speech engine on this machine took too long for this recording')
        throw error
      } finally {
        limit.removeEventListener('abort', stop)
        if (running === mine) idle = setTimeout(end, idleMs).unref()
      }
    },

    /** Ends the process. */
    close: end
  }
}

export type Engine = ReturnType<typeof createEngine>

const missing = (): Unavailable => new Unavailable('Speech to text is not set up: stt.provider: local in config.yaml needs the package sherpa-onnx-node, which is not installed where the service runs, or not for its kind of machine')

class EngineProcess {
  readonly key: string
  /** Rejects as {@link Engine.hear}. */
  readonly ready: Promise<void>
  isOver = false

  readonly #child: ChildProcess
  readonly #replies: AsyncIterator<string>

  constructor (key: string, path: string | undefined) {
    this.key = key
    const entry = asset(`services/voice/local/main.${fromSource ? 'ts' : 'js'}`)
    // Nothing of the service's environment, but where the sources' loader needs it.
    const env = fromSource ? process.env : { PATH: searchPath(path), LC_ALL: 'C.UTF-8' }
    const child = spawn(process.execPath, ['--max-old-space-size=256', ...(fromSource ? process.execArgv : []), entry, key], { cwd: '/', env, stdio: ['pipe', 'ignore', 'ignore', 'pipe'] })
    this.#child = child
    child.once('exit', () => { this.isOver = true })
    child.once('error', () => { this.isOver = true })
    child.stdin?.on('error', () => {})
    // There is none when the service has no descriptors left.
    const replies = child.stdio?.[3] as Readable | null | undefined ?? Readable.from([])
    replies.on('error', () => {})
    this.#replies = createInterface({ input: replies })[Symbol.asyncIterator]()
    try {
      if (child.pid !== undefined) setPriority(child.pid, niceness)
    } catch {} // it has ended, or the system does not permit it
    this.ready = this.#load()
    this.ready.catch(() => this.end())
  }

  async hear ({ rate, samples }: Sound): Promise<string> {
    this.#child.stdin?.write(`${JSON.stringify({ rate, samples: samples.toString('base64') } satisfies Piece)}\n`)
    const reply = await this.#reply()
    if (reply !== null && 'text' in reply && typeof reply.text === 'string') return reply.text
    this.end()
    throw new RelayFailed('The speech engine on this machine failed at this recording')
  }

  end (): void {
    this.isOver = true
    this.#child.kill('SIGKILL')
  }

  async #load (): Promise<void> {
    const reply = await this.#reply()
    if (reply !== null && 'ready' in reply) return
    if (reply !== null && 'failure' in reply && reply.failure === 'package') throw new Unavailable('Speech to text does not work: the package sherpa-onnx-node, which stt.provider: local in config.yaml needs, is installed but cannot be loaded on this machine')
    throw new Unavailable('Speech to text does not work: the model in the folder that stt.model_dir in config.yaml names cannot be loaded')
  }

  /** Null when it has ended, or says what nobody understands. */
  async #reply (): Promise<Reply | null> {
    const { done, value } = await this.#replies.next()
    if (done === true) return null
    try {
      return JSON.parse(value) as Reply
    } catch {
      return null
    }
  }
}
