import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { StringDecoder } from 'node:string_decoder'
import { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { type AnyMessage, type Stream } from '@agentclientprotocol/sdk'
import { isRecord } from '../../ground/fields.js'
import { endGroup } from '../../ground/process/ending.js'
import { killMarked, killNumbered, markVariable, numberOf } from '../../ground/process/processes.js'
import { continueTree, stopTree } from '../../ground/process/tree.js'
import { redact } from '../../ground/redaction/index.js'
import { visibleProse } from '../../ground/text/visible.js'
import { JsonLines } from '../json-lines.js'

export interface PipeOptions {
  file: string
  args: readonly string[]
  cwd: string
  /** The whole environment. */
  env: Readonly<Record<string, string>>
  /** Prefix of the mark of its processes, by which they are found when this process is gone. */
  mark?: string | undefined
  /** The variable that holds the number by which its processes are also found. */
  numberIn?: string | undefined
  /** Called once when it has ended, or could not be started. */
  release?: (() => Promise<void>) | undefined
  /** Called with each message first; returns true if it has handled the message. */
  onMessage: (message: Readonly<Record<string, unknown>>) => boolean
}

/** Large enough for images and long files, each of which is sent as one line. */
const longestMessageChars = 32 * 1024 * 1024
/** How many lines that are not messages are ignored; after that the program is not an agent, and is ended. */
const mostGarbage = 1_000
const mostUnreadBytes = 64 * 1024 * 1024
/** With this much still unread by the agent, no more files are read for it. */
const mostBehindBytes = 4 * 1024 * 1024
const graceMs = 500
const drainMs = 250
const keptStderr = 2_000

/** A program that uses the protocol over its standard input and output. It leads a process group, which is ended with it. */
export class AgentPipe {
  readonly stream: Stream
  readonly #child: ChildProcessWithoutNullStreams
  readonly #exited: Promise<unknown>
  readonly #duplex: Duplex
  readonly #lines: JsonLines
  #errors = ''
  #garbage = 0
  #isClosed = false
  #isStopped = false
  #why: string | null = null
  readonly #closed = Promise.withResolvers<void>()
  /** Resolves when it has ended. */
  readonly closed = this.#closed.promise
  #incoming!: ReadableStreamDefaultController<AnyMessage>

  private constructor (child: ChildProcessWithoutNullStreams, private readonly options: PipeOptions) {
    this.#child = child
    this.#exited = new Promise((resolve) => { child.once('exit', resolve) })
    this.#duplex = Duplex.from({ readable: child.stdout, writable: child.stdin })
    const errors = new StringDecoder('utf8')
    child.stderr.on('data', (chunk: Buffer) => { this.#errors = (this.#errors + errors.write(chunk)).slice(-keptStderr) })
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => {}) // its end is reported by `exit`
    // What it sent before its end is still read, but not forever: a grandchild may keep the pipe open.
    child.once('exit', () => { setTimeout(() => { void this.close() }, drainMs).unref() })
    this.stream = {
      readable: new ReadableStream<AnyMessage>({ start: (controller) => { this.#incoming = controller } }),
      writable: new WritableStream<AnyMessage>({ write: (message) => this.#send(message) })
    }
    this.#lines = new JsonLines(this.#duplex, {
      message: (message) => this.#take(message),
      closed: (reason) => { void this.close(reason === 'a message without end' ? 'it sent a message without end' : undefined) }
    }, longestMessageChars)
  }

  /** Rejects with the system's error (`ENOENT`, …) when the program cannot be started. */
  static async start (options: PipeOptions): Promise<AgentPipe> {
    const { file, args, cwd, env, mark, numberIn, release } = options
    const own = mark === undefined && numberIn === undefined ? undefined : `${mark ?? ''}${randomUUID()}`
    const marked = own === undefined
      ? env
      : { ...env, [markVariable]: own, ...numberIn === undefined ? {} : { [numberIn]: String(numberOf(own)) } }
    const child = spawn(file, args, { cwd, env: marked, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', reject)
    }).catch(async (error: unknown) => {
      await release?.()
      throw error
    })
    return new AgentPipe(child, { ...options, mark: own })
  }

  get pid (): number | undefined { return this.#child.pid }

  get isClosed (): boolean { return this.#isClosed }

  /** Why it ended, as the end of a sentence. */
  get ending (): string {
    const { exitCode, signalCode } = this.#child
    const how = this.#why ??
      (exitCode !== null ? `exit code ${exitCode}` : signalCode !== null ? `signal ${signalCode}` : 'it closed its output')
    const last = visibleProse(redact(this.#errors)).split('\n').map((line) => line.trim()).filter((line) => line !== '').at(-1)
    return last === undefined ? how : `${how}; it said last: ${last.slice(0, 300)}`
  }

  /** Stops reading until the promise resolves, so that a slow disk slows the agent down instead of filling the memory. */
  hold (until: Promise<void>): void {
    this.#duplex.pause()
    void until.then(() => { if (!this.#isClosed) this.#duplex.resume() })
  }

  /** Resolves when it has read most of what it was sent, or is gone. */
  async caughtUp (): Promise<void> {
    for (;;) {
      await this.#lines.sent()
      if (this.#isClosed || this.#duplex.writableLength <= mostBehindBytes) return
      await new Promise<void>((resolve) => {
        this.#duplex.once('drain', resolve)
        void this.closed.then(resolve)
      })
    }
  }

  /** Pauses it and all processes that it has started. Resolves with whether that worked. */
  async stop (): Promise<boolean> {
    const { pid } = this.#child
    this.#isStopped = true
    return pid !== undefined && await stopTree(pid)
  }

  continue (): void {
    const { pid } = this.#child
    if (this.#isStopped && pid !== undefined) continueTree(pid)
    this.#isStopped = false
  }

  /** Ends it. Resolves when all of its processes have ended. */
  async close (why?: string): Promise<void> {
    const { pid } = this.#child
    if (!this.#isClosed) {
      this.#isClosed = true
      this.#why ??= why ?? null
      this.#lines.close()
      try {
        this.#incoming.close()
      } catch {}
      // Processes that the program has left behind end with it; its exit code is known by then.
      if (pid !== undefined) await endGroup(pid, { graceMs, abruptly: this.#isStopped })
      // Also ends processes that have left its group.
      const { mark, numberIn, release } = this.options
      if (mark !== undefined) await killMarked(mark)
      if (mark !== undefined && numberIn !== undefined) await killNumbered(numberOf(mark))
      await Promise.race([this.#exited, delay(graceMs, undefined, { ref: false })])
      for (const stream of this.#child.stdio) stream?.destroy()
      await release?.()
      this.#closed.resolve()
      return
    }
    await this.closed
  }

  /** Resolves when the message is in the stream, so that the next one is measured with it. */
  async #send (message: AnyMessage): Promise<void> {
    if (this.#duplex.writableLength > mostUnreadBytes) void this.close('it does not read what it is sent')
    else this.#lines.send(message)
    await this.#lines.sent()
  }

  #take (message: unknown): void {
    if (this.#isClosed) return
    if (!isMessage(message)) {
      if (++this.#garbage > mostGarbage) void this.close('it prints what is no message of the protocol')
      return
    }
    if (!this.options.onMessage(message)) this.#incoming.enqueue(message)
  }
}

/** Whether a value may be a message. The library checks the rest. */
const isMessage = (value: unknown): value is AnyMessage & Record<string, unknown> => isRecord(value) && value['jsonrpc'] === '2.0'
