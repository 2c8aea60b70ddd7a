import { spawn, type ChildProcess } from 'node:child_process'
import { setPriority } from 'node:os'
import { endGroup } from './ending.js'

export interface ProgramOptions {
  /** The working directory, absolute. */
  cwd: string
  /** The whole environment. Nothing is added from the service's own, which contains keys. See environment.ts. */
  env: Readonly<Record<string, string>>
  /** Standard input, empty by default. The program need not read all of it. */
  input?: string | Uint8Array
  /** Stops the program when it aborts. */
  signal?: AbortSignal
  /** Stops the program after this time. */
  timeoutMs: number
  /** How long the group may take to end after SIGTERM before it gets SIGKILL; by default 1.5 s. */
  graceMs?: number
  /** Stops the group by SIGKILL alone, for a program that takes its children with it. */
  abruptly?: boolean
  /** The program's niceness, from 0 to 19; by default the service's own. */
  niceness?: number
}

/** Functions that receive output as it comes. */
export interface OutputListeners {
  /** Returns false to stop the program. */
  onStdout: (chunk: Buffer) => boolean
  onStderr?: (chunk: Buffer) => void
}

/** How a program ended: by itself (or by a signal from elsewhere), or why it was stopped. */
export type Ending =
  | 'exit'
  | 'timeout'
  | 'abort'
  /** It printed more than was wanted. */
  | 'enough'
  /** It used more than its limits allow. */
  | 'memory' | 'processes'

/** One of the two is null, because a program ends with a code or by a signal. */
export interface Exit { exitCode: number | null, killedBy: NodeJS.Signals | null }

export const usualGraceMs = 1_500

/**
 * A program that runs as the leader of its own process group, so that it is stopped together with everything it has started. Two functions
 * that wait for its end and take its output build on this: `capture` returns the whole output, `runGroup` is for commands that may leave
 * processes behind. Every caller must call `release` in the end.
 */
export class RunningProgram {
  /** The id of the leader and of the group. Undefined if the program could not be started. */
  readonly pid: number | undefined
  /** Rejects with the system's error (`ENOENT`, …) if the program could not be started. */
  readonly exited: Promise<Exit>
  /** Resolves when the program and its output have ended. A process that inherited the output may hold it open for ever. */
  readonly closed: Promise<void>
  /** Resolves when the program was stopped and its group is gone, or nothing helps. */
  get stopped (): Promise<void> { return this.#stopped.promise }

  readonly #child: ChildProcess
  readonly #options: ProgramOptions
  readonly #limit: NodeJS.Timeout
  readonly #stopped = Promise.withResolvers<void>()
  #ending: Ending = 'exit'
  readonly #abort = (): void => this.stop('abort')

  /** Throws the system's error for arguments that cannot be passed to a program at all, such as too many. */
  constructor (file: string, args: readonly string[], options: ProgramOptions & OutputListeners) {
    const { cwd, env, input, signal, timeoutMs, niceness, onStdout, onStderr } = options
    const child = spawn(file, args, { cwd, env, detached: true, stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] })
    this.pid = child.pid
    this.#child = child
    this.#options = options
    this.exited = new Promise((resolve, reject) => {
      child.once('exit', (exitCode, killedBy) => { resolve({ exitCode, killedBy }) })
      child.once('error', reject)
    })
    this.closed = new Promise((resolve) => child.once('close', () => { resolve() }))
    if (niceness !== undefined && child.pid !== undefined) lower(child.pid, niceness)
    signal?.addEventListener('abort', this.#abort, { once: true })
    this.#limit = setTimeout(() => this.stop('timeout'), timeoutMs)
    // Undefined if the service has no descriptors left.
    child.stdout?.on('data', (chunk: Buffer) => { if (!onStdout(chunk)) this.stop('enough') })
    child.stderr?.on('data', (chunk: Buffer) => { onStderr?.(chunk) })
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  }

  /** How the program ended; also `exit` while it runs. */
  get ending (): Ending {
    return this.#ending
  }

  /** Ends the group at the first call. From then on `ending` says why. */
  stop (why: Exclude<Ending, 'exit'>): void {
    if (this.#ending !== 'exit' || this.pid === undefined) return
    this.#ending = why
    const { graceMs = usualGraceMs, abruptly } = this.#options
    void endGroup(this.pid, { graceMs, abruptly }).then(this.#stopped.resolve)
  }

  /** Cancels the time limit. */
  unlimit (): void {
    clearTimeout(this.#limit)
  }

  /** Releases all resources, including input and output. */
  release (): void {
    this.unlimit()
    this.#options.signal?.removeEventListener('abort', this.#abort)
    const { stdin, stdout, stderr } = this.#child
    for (const stream of [stdin, stdout, stderr]) stream?.destroy()
  }
}

function lower (pid: number, niceness: number): void {
  try {
    setPriority(pid, niceness)
  } catch {} // it has ended, or the system does not permit it
}
