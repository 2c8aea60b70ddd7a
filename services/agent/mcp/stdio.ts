import { spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { StringDecoder } from 'node:string_decoder'
import { type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client'
import { asError } from '../../ground/errors.js'
import { endGroup } from '../../ground/process/ending.js'
import { markVariable } from '../../ground/process/processes.js'
import { createFloodGate, longestMessageBytes } from './flood.js'

export interface StdioOptions {
  file: string
  args: readonly string[]
  cwd: string
  /** The whole environment. */
  env: Readonly<Record<string, string>>
  /** Prefix of the mark of its processes, by which they are found when this process is gone. */
  mark?: string | undefined
  onStderr: (text: string) => void
  /** Called with a line of its standard output that is not a message. */
  onGarbage: (line: string) => void
}

/** How much may be waiting for a server that does not read its input. */
const mostUnreadBytes = 32 * 1_024 * 1_024
const graceMs = 500
const shownGarbage = 200

/**
 * The protocol over the standard input and output of a program. The program leads a process group of its own and is ended with
 * everything it has started. The library's own transport ends only the program, and passes on the environment.
 */
export class StdioTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: Transport['onmessage']
  #child: ChildProcess | null = null
  #isClosed = false
  #pieces: string[] = []
  #length = 0
  readonly #decoder = new StringDecoder('utf8')
  readonly #count = createFloodGate()

  constructor (private readonly options: StdioOptions) {}

  /** Rejects with the system's error (`ENOENT`, …) when the program cannot be started. */
  async start (): Promise<void> {
    const { file, args, cwd, env, mark, onStderr } = this.options
    const marked = mark === undefined ? env : { ...env, [markVariable]: `${mark}${randomUUID()}` }
    const child = this.#child = spawn(file, args, { cwd, env: marked, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
    child.once('exit', () => this.#gone())
    // A program that cannot be started for lack of file descriptors has no streams.
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.on('error', (error) => {
        reject(error)
        this.#gone()
      })
    })
    child.stdin.on('error', () => {}) // the end of the program is reported by `exit`
    child.stdout.on('data', (chunk: Buffer) => this.#take(chunk))
    child.stdout.on('error', () => {})
    const errors = new StringDecoder('utf8')
    child.stderr.on('data', (chunk: Buffer) => onStderr(errors.write(chunk)))
    child.stderr.on('error', () => {})
  }

  /** These two properties tell the library that this is a local program, so that silence does not count as an outage. */
  get pid (): number | undefined { return this.#child?.pid }
  get stderr (): null { return null }

  /** How the program ended, in words; null while it runs. */
  get exit (): string | null {
    const { exitCode = null, signalCode = null } = this.#child ?? {}
    return exitCode !== null ? `exit code ${exitCode}` : signalCode !== null ? `signal ${signalCode}` : null
  }

  async send (message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin
    if (this.#isClosed || stdin?.writable !== true) throw new Error('The server has ended')
    if (stdin.writableLength > mostUnreadBytes) throw new Error('The server does not read what it is sent')
    stdin.write(`${JSON.stringify(message)}\n`)
  }

  /** Ends the program. Resolves when its whole process group has ended. */
  async close (): Promise<void> {
    const child = this.#child
    this.#gone()
    if (child?.pid === undefined) return
    child.stdin?.end()
    await endGroup(child.pid, { graceMs })
    for (const stream of child.stdio) stream?.destroy()
  }

  #gone (): void {
    if (this.#isClosed) return
    this.#isClosed = true
    // Processes that the program has left behind are ended with it.
    if (this.#child?.pid !== undefined) void endGroup(this.#child.pid, { graceMs })
    this.onclose?.()
  }

  #take (chunk: Buffer): void {
    if (this.#isClosed) return
    try {
      this.#count(0, chunk.length)
      this.#read(this.#decoder.write(chunk))
    } catch (error) {
      this.#pieces = []
      this.onerror?.(asError(error))
      void this.close()
    }
  }

  #read (text: string): void {
    let from = 0
    for (let end = text.indexOf('\n'); end !== -1 && !this.#isClosed; end = text.indexOf('\n', from)) {
      this.#pieces.push(text.slice(from, end))
      from = end + 1
      const line = this.#pieces.join('')
      this.#pieces = []
      this.#length = 0
      this.#line(line)
    }
    if (from === text.length) return
    this.#pieces.push(text.slice(from))
    this.#length += text.length - from
    if (this.#length > longestMessageBytes) throw new Error('It sent a message without end')
  }

  #line (line: string): void {
    if (line.trim() === '') return
    this.#count(1, 0)
    let message: unknown
    try {
      message = JSON.parse(line)
    } catch {}
    if (!isMessage(message)) return this.options.onGarbage(line.slice(0, shownGarbage))
    try {
      this.onmessage?.(message)
    } catch (error) {
      this.onerror?.(asError(error))
    }
  }
}

/** Whether a value may be a message. The library checks its content. */
const isMessage = (value: unknown): value is JSONRPCMessage => typeof value === 'object' && value !== null
