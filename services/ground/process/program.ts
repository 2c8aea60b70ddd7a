import { spawn, type ChildProcess } from 'node:child_process'
import { setPriority } from 'node:os'
import { endGroup } from './ending.js'

export interface ProgramOptions {
  /** The working directory, absolute. */
  cwd: string
  /** The whole environment: nothing of the service's own, which has keys in it, is added. See environment.ts. */
  env: Readonly<Record<string, string>>
  /** For standard input, which is empty otherwise. The program need not read all of it. */
  input?: string | Uint8Array
  /** Stops the program when it aborts. */
  signal?: AbortSignal
  /** Stops the program when it has run for so long. */
  timeoutMs: number
  /** How long the group may take to end on its own after SIGTERM, before SIGKILL; 1.5 s without it. */
  graceMs?: number
  /** Stops the group by SIGKILL alone: for a program that takes its children with it. */
  abruptly?: boolean
  /** How much it gives way to others, from 0 to 19; as the service itself otherwise. */
  niceness?: number
}

/** Receivers of output as it comes. */
export interface OutputListeners {
  /** Answering false stops the program. */
  onStdout: (chunk: Buffer) => boolean
  onStderr?: (chunk: Buffer) => void
}

/** How a program came to its end: by itself (or by somebody else's signal), or why it was stopped. */
export type Ending =
  | 'exit'
  | 'timeout'
  | 'abort'
  /** It said more than was wanted. */
  | 'enough'
  /** It used more than its limits allow. */
  | 'memory' | 'processes'

/** One of them is null: a program ends with a code or by a signal. */
export interface Exit { exitCode: number | null, killedBy: NodeJS.Signals | null }

export const usualGraceMs = 1_500

/**
 * A program that runs as the leader of its own process group, so that it is stopped with all it has started. What waits
 * for its end and takes its output is built on this: `capture` for what it prints as a whole, `runGroup` for commands that
 * may leave others behind. Whoever starts one calls `release` in the end.
 */
export class RunningProgram {
  /** The leader's id, and the group's. Undefined when it could not be started. */
  readonly pid: number | undefined
  /** Rejects with the system's error (`ENOENT`, …) when it could not be started. */
  readonly exited: Promise<Exit>
  /** It has ended, and so has its output; whoever inherited that may hold it open for ever. */
  readonly closed: Promise<void>
  /** It was stopped, and its group is gone or nothing helps. */
  get stopped (): Promise<void> { return this.#stopped.promise }

  readonly #child: ChildProcess
  readonly #options: ProgramOptions
  readonly #limit: NodeJS.Timeout
  readonly #stopped = Promise.withResolvers<void>()
  #ending: Ending = 'exit'
  readonly #abort = (): void => this.stop('abort')

  /** Throws the system's error for what cannot be passed to a program at all, such as too many arguments. */
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
    // There are none when the service has no descriptors left.
    child.stdout?.on('data', (chunk: Buffer) => { if (!onStdout(chunk)) this.stop('enough') })
    child.stderr?.on('data', (chunk: Buffer) => { onStderr?.(chunk) })
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  }

  /** `exit` also while it runs. */
  get ending (): Ending {
    return this.#ending
  }

  /** Ends the group, the first time it is called; `ending` says why from then on. */
  stop (why: Exclude<Ending, 'exit'>): void {
    if (this.#ending !== 'exit' || this.pid === undefined) return
    this.#ending = why
    const { graceMs = usualGraceMs, abruptly } = this.#options
    void endGroup(this.pid, { graceMs, abruptly }).then(this.#stopped.resolve)
  }

  /** The time limit does not apply any more. */
  unlimit (): void {
    clearTimeout(this.#limit)
  }

  /** Lets go of all that is held for it, input and output included. */
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
