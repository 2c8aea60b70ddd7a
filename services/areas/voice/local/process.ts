import { spawn, type ChildProcess } from 'node:child_process'
import { createRequire } from 'node:module'
import { arch, platform, setPriority } from 'node:os'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { asset, fromSource } from '../../../ground/assets.js'
import { searchPath } from '../../../ground/process/environment.js'
import { RelayFailed, Unavailable } from '../../../ground/errors.js'
import { type SpeechModel } from './model.js'
import { type VoiceModel } from './voice-model.js'

/** What a process is for. `module`: name or path of what it loads. `language`: as the model knows it; empty: it finds out. */
export type Order =
  | { task: 'hear', module: string, model: SpeechModel, language: string }
  | { task: 'speak', module: string, model: VoiceModel }

/** What it is asked, a line each: a piece of a recording, or a sentence. `samples` in base64. */
export type Ask = { rate: number, samples: string } | { text: string, speaker: number, speed: number }
/** Behind any number of `partial` ones comes the answer to what was asked. */
export type Reply = { ready: true } | { partial: string } | Answer | { failure: 'package' | 'model' | 'piece' }
interface Answer { text?: unknown, rate?: unknown, samples?: unknown }

/** What people are told where something is missing or fails. */
export interface Words {
  /** The package is not installed. */
  missing: string
  /** It is, and cannot be loaded. */
  unloadable: string
  /** The model cannot be loaded. */
  model: string
  failed: string
  tooLong: string
}

export interface ModelProcessOptions {
  /** Of the service, as the system has it. */
  path: string | undefined
  /** What has to be installed, as it is asked for; the first is what is loaded. */
  modules?: Modules | undefined
  /** After so long without work the process ends, and with it what the model takes of the memory. */
  idleMs?: number | undefined
}
type Modules = readonly [string, ...string[]]

/** Asks the process one thing. Throws RelayFailed when that fails; the process is then over. */
export type Asking = (ask: Ask, onPartial?: (text: string) => void) => Promise<Answer>

const binary = `sherpa-onnx-${platform() === 'win32' ? 'win' : platform()}-${arch()}/sherpa-onnx.node`
const usualIdleMs = 5 * 60_000
const niceness = 5

/**
 * A model in a process of its own, which is started for the first piece of work and loads the optional package: what native code does
 * to a process happens there. One piece of work at a time is for the caller to see to.
 */
export function createModelProcess (
  { path, modules = ['sherpa-onnx-node', binary], idleMs = usualIdleMs }: ModelProcessOptions, words: Words
) {
  let running: ModelProcess | null = null
  let idle: NodeJS.Timeout | undefined

  function end (): void {
    clearTimeout(idle)
    running?.end()
    running = null
  }

  return {
    /** What it loads. */
    module: modules[0],

    /** Throws Unavailable where the package is not installed. Nothing is loaded for that. */
    assertInstalled (): void {
      try {
        for (const name of modules) createRequire(import.meta.url).resolve(name)
      } catch {
        throw new Unavailable(words.missing)
      }
    },

    /**
     * Does some work with the model of an order. Throws Unavailable when package or model cannot be loaded, RelayFailed when the process
     * fails or `limit` is aborted, which ends the process, and what `work` throws.
     */
    async use<T> (order: Order, limit: AbortSignal, work: (ask: Asking) => Promise<T>): Promise<T> {
      clearTimeout(idle)
      const key = JSON.stringify(order)
      if (running === null || running.key !== key || running.isOver) {
        end()
        running = new ModelProcess(key, path, words)
      }
      const mine = running
      const stop = (): void => mine.end()
      if (limit.aborted) stop()
      limit.addEventListener('abort', stop, { once: true })
      try {
        await mine.ready
        return await work(async (ask, onPartial) => await mine.ask(ask, onPartial))
      } catch (error) {
        if (limit.aborted) throw new RelayFailed(words.tooLong)
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

class ModelProcess {
  /** Rejects as `use` does. */
  readonly ready: Promise<void>
  isOver = false

  readonly #child: ChildProcess
  readonly #replies: AsyncIterator<string>

  constructor (readonly key: string, path: string | undefined, private readonly words: Words) {
    const entry = asset(`services/areas/voice/local/main.${fromSource ? 'ts' : 'js'}`)
    // Nothing of the service's environment, but where the sources' loader needs it.
    const env = fromSource ? {} : { env: { PATH: searchPath(path), LC_ALL: 'C.UTF-8' } }
    const child = spawn(process.execPath, ['--max-old-space-size=256', ...(fromSource ? process.execArgv : []), entry, key], {
      cwd: '/', ...env, stdio: ['pipe', 'ignore', 'ignore', 'pipe']
    })
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

  async ask (ask: Ask, onPartial: (text: string) => void = () => {}): Promise<Answer> {
    this.#child.stdin?.write(`${JSON.stringify(ask)}\n`)
    for (;;) {
      const reply = await this.#reply()
      if (reply === null || 'failure' in reply || 'ready' in reply) break
      if (!('partial' in reply)) return reply
      onPartial(String(reply.partial))
    }
    this.end()
    throw new RelayFailed(this.words.failed)
  }

  end (): void {
    this.isOver = true
    this.#child.kill('SIGKILL')
  }

  async #load (): Promise<void> {
    const reply = await this.#reply()
    if (reply !== null && 'ready' in reply) return
    throw new Unavailable(reply !== null && 'failure' in reply && reply.failure === 'package' ? this.words.unloadable : this.words.model)
  }

  /** Null when it has ended, or says what nobody understands. */
  async #reply (): Promise<Reply | null> {
    const { done, value } = await this.#replies.next()
    if (done === true) return null
    try {
      const reply: unknown = JSON.parse(value)
      return typeof reply === 'object' ? reply as Reply | null : null
    } catch {
      return null
    }
  }
}
