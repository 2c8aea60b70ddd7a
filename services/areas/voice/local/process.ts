import { spawn, type ChildProcess } from 'node:child_process'
import { createRequire } from 'node:module'
import { arch, platform, setPriority } from 'node:os'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { asset, fromSource } from '../../../ground/assets.js'
import { searchPath } from '../../../ground/process/environment.js'
import { RelayFailed, Unavailable } from '../../../ground/errors.js'
import { parseJson } from '../../../ground/text/parse-json.js'
import { isRecord } from '../../../ground/fields.js'
import { type SpeechModel } from './model.js'
import { type VoiceModel } from './voice-model.js'

/** The task of a process. `module`: name or path of the package to load. `language`: as the model names it; empty: the model detects it. */
export type Order =
  | { task: 'hear', module: string, model: SpeechModel, language: string }
  | { task: 'speak', module: string, model: VoiceModel }

/** A request, one per line: a piece of a recording, or a sentence. `samples` in base64. */
export type Ask = { rate: number, samples: string } | { text: string, speaker: number, speed: number }
/** Any number of `partial` replies come before the answer to a request. */
export type Reply = { ready: true } | { partial: string } | Answer | { failure: 'package' | 'model' | 'piece' }
interface Answer { text?: unknown, rate?: unknown, samples?: unknown }

/** What people are told when something is missing or fails. */
export interface Words {
  /** The package is not installed. */
  missing: string
  /** The package is installed, but cannot be loaded. */
  unloadable: string
  /** The model cannot be loaded. */
  model: string
  failed: string
  tooLong: string
}

export interface ModelProcessOptions {
  /** PATH of the service. */
  path: string | undefined
  /** The modules that must be installed, as they are imported; the first one is loaded. */
  modules?: Modules | undefined
  /** The process ends after this long without work, which frees the memory of the model. */
  idleMs?: number | undefined
}
type Modules = readonly [string, ...string[]]

/** Sends one request to the process. Throws RelayFailed when that fails; the process has then ended. */
export type Asking = (ask: Ask, onPartial?: (text: string) => void) => Promise<Answer>

const binary = `sherpa-onnx-${platform() === 'win32' ? 'win' : platform()}-${arch()}/sherpa-onnx.node`
const usualIdleMs = 5 * 60_000
const niceness = 5

/**
 * A model in a process of its own, which is started for the first piece of work and loads the optional package, so that a crash of native
 * code does not affect the service. The caller has to take care that it gets one piece of work at a time.
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
    /** The module that the process loads. */
    module: modules[0],

    /** Throws Unavailable if the package is not installed. Does not load it. */
    assertInstalled (): void {
      try {
        for (const name of modules) createRequire(import.meta.url).resolve(name)
      } catch {
        throw new Unavailable(words.missing)
      }
    },

    /**
     * Does some work with the model of an order. Throws Unavailable when package or model cannot be loaded, RelayFailed when the process
     * fails or `limit` is aborted, which ends the process, and whatever `work` throws.
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
  /** Rejects with the errors of `use`. */
  readonly ready: Promise<void>
  isOver = false

  readonly #child: ChildProcess
  readonly #replies: AsyncIterator<string>

  constructor (readonly key: string, path: string | undefined, private readonly words: Words) {
    const entry = asset(`services/areas/voice/local/main.${fromSource ? 'ts' : 'js'}`)
    // Without the service's environment, except when running from sources, because their loader needs it.
    const env = fromSource ? {} : { env: { PATH: searchPath(path), LC_ALL: 'C.UTF-8' } }
    const child = spawn(process.execPath, ['--max-old-space-size=256', ...(fromSource ? process.execArgv : []), entry, key], {
      cwd: '/', ...env, stdio: ['pipe', 'ignore', 'ignore', 'pipe']
    })
    this.#child = child
    child.once('exit', () => { this.isOver = true })
    child.once('error', () => { this.isOver = true })
    child.stdin?.on('error', () => {})
    // It is missing when the service has no file descriptors left.
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

  /** Returns null when the process has ended, or its reply is invalid. */
  async #reply (): Promise<Reply | null> {
    const { done, value } = await this.#replies.next()
    const reply = done === true ? null : parseJson(value)
    return isRecord(reply) ? reply as Reply : null
  }
}
