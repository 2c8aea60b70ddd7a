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
import { visibleProse } from '../../ground/visible.js'
import { JsonLines } from '../json-lines.js'

export interface PipeOptions {
  file: string
  args: readonly string[]
  cwd: string
  /** The whole environment. */
  env: Readonly<Record<string, string>>
  /** What the mark of its processes begins with; by it they are found when this process is gone. */
  mark?: string | undefined
  /** The variable in which it is told the number that its processes are known by as well. */
  numberIn?: string | undefined
  /** Called once when it has ended, or could not be started. */
  release?: (() => Promise<void>) | undefined
  /** Sees each message first; true: it is dealt with. */
  onMessage: (message: Readonly<Record<string, unknown>>) => boolean
}

/** Images and long files travel as one line each. */
const longestMessageChars = 32 * 1024 * 1024
/** So many lines that are no messages are left; then it is no agent that speaks there. */
const mostGarbage = 1_000
const mostUnreadBytes = 64 * 1024 * 1024
/** With so much on the way nothing more is fetched for it. */
const mostBehindBytes = 4 * 1024 * 1024
const graceMs = 500
const drainMs = 250
const keptStderr = 2_000

/** A program that speaks the protocol over its standard input and output; it leads a process group and ends with all of it. */
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
  /** Resolves when nothing more will come. */
  readonly closed = this.#closed.promise
  #incoming!: ReadableStreamDefaultController<AnyMessage>

  private constructor (child: ChildProcessWithoutNullStreams, private readonly options: PipeOptions) {
    this.#child = child
    this.#exited = new Promise((resolve) => { child.once('exit', resolve) })
    this.#duplex = Duplex.from({ readable: child.stdout, writable: child.stdin })
    const errors = new StringDecoder('utf8')
    child.stderr.on('data', (chunk: Buffer) => { this.#errors = (this.#errors + errors.write(chunk)).slice(-keptStderr) })
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => {}) // its end is told of by itself
    // What it has said before its end is read; a grandchild may hold the pipe open for ever.
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

  /** How it ended, as the end of a sentence. */
  get ending (): string {
    const { exitCode, signalCode } = this.#child
    const how = this.#why ??
      (exitCode !== null ? `exit code ${exitCode}` : signalCode !== null ? `signal ${signalCode}` : 'it closed its output')
    const last = visibleProse(redact(this.#errors)).split('\n').map((line) => line.trim()).filter((line) => line !== '').at(-1)
    return last === undefined ? how : `${how}; it said last: ${last.slice(0, 300)}`
  }

  /** Reads no further until the promise is through, so that a slow disk holds up the agent and fills no memory. */
  hold (until: Promise<void>): void {
    this.#duplex.pause()
    void until.then(() => { if (!this.#isClosed) this.#duplex.resume() })
  }

  /** Resolves when it has read most of what it was sent, or is gone. */
  async caughtUp (): Promise<void> {
    while (!this.#isClosed && this.#duplex.writableLength > mostBehindBytes) {
      await new Promise<void>((resolve) => {
        this.#duplex.once('drain', resolve)
        void this.closed.then(resolve)
      })
    }
  }

  /** Has it stand still with all that it has started. Resolves with whether it does. */
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

  /** Resolves when nothing of its process group is left. */
  async close (why?: string): Promise<void> {
    const { pid } = this.#child
    if (!this.#isClosed) {
      this.#isClosed = true
      this.#why ??= why ?? null
      this.#lines.close()
      try {
        this.#incoming.close()
      } catch {}
      // Whatever the program has left behind ends with it; how it ended is known by then.
      if (pid !== undefined) await endGroup(pid, { graceMs, abruptly: this.#isStopped })
      // Also what has left its group.
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

  #send (message: AnyMessage): void {
    if (this.#duplex.writableLength > mostUnreadBytes) void this.close('it does not read what it is sent')
    else this.#lines.send(message)
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

/** The rest of its form is for the library to check. */
const isMessage = (value: unknown): value is AnyMessage & Record<string, unknown> => isRecord(value) && value['jsonrpc'] === '2.0'
