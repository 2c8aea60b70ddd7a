import { randomUUID } from 'node:crypto'
import { RequestError } from '@agentclientprotocol/sdk'
import { fieldsOf } from '../../ground/fields.js'
import { shellLine } from '../../ground/text/shell-line.js'
import { type Tool, type ToolContext, type ToolResult } from '../tools/index.js'
import { plainOutput } from '../tools/wording.js'
import { list, text, words } from './wire.js'

type Params = Readonly<Record<string, unknown>>

interface Terminal {
  output: string
  isCut: boolean
  limitBytes: number
  exit: { exitCode: number | null, signal: string | null } | null
  over: Promise<void>
  abort: AbortController
}

const mostTerminals = 64
const mostInTurn = 2_000
/** Variables by which agents say that they run a command, and those of a terminal. They do not change what the command does. */
const harmlessVariables: ReadonlySet<string> = new Set(['CLAUDECODE', 'GEMINI_CLI', 'TERM', 'COLUMNS', 'LINES', 'NO_COLOR'])
const usualLimitBytes = 1024 * 1024
const longestTimeoutS = 600
const mostArguments = 10_000
const mostVariables = 100

export interface TerminalsOptions {
  /** The service's own tool for commands, which confines them if possible. */
  terminal: Tool
  /**
   * Judges the call, asks about it and runs it, like one of the service's own; `said`: the command as the agent may have
   * asked about it before, null if it cannot have.
   */
  serve: (tool: Tool, args: Record<string, unknown>, said: string | null) => Promise<ToolResult>
}

/** Commands that an agent has its client run: they run as the service's own, with its policy and its sandbox. */
export class Terminals {
  readonly #terminals = new Map<string, Terminal>()
  /** How many commands are running or waiting for permission. */
  #open = 0

  constructor (private readonly options: TerminalsOptions) {}

  /** Resolves with the terminal's id once the command runs. Throws RequestError when it may not, or cannot. */
  async create (params: Params): Promise<{ terminalId: string }> {
    if (this.#open >= mostTerminals || this.#terminals.size >= mostInTurn) {
      throw RequestError.invalidRequest(undefined, 'There are too many terminals; release some')
    }
    const program = text(params['command'])
    if (program === undefined || program === '') throw RequestError.invalidParams(undefined, 'A terminal needs a command')
    const args = params['args'] == null || list(params['args']).length === 0 ? [] : words(params['args'])
    if (args === null || args.length > mostArguments) throw RequestError.invalidParams(undefined, 'These arguments cannot be used')
    const cwd = text(params['cwd'])
    const variables = list(params['env']).slice(0, mostVariables).map(fieldsOf).flatMap(({ name, value }) =>
      typeof name === 'string' && /^[A-Za-z_]\w*$/.test(name) && typeof value === 'string' ? [[name, value] as const] : [])
    // Without arguments it is a line for the shell. Variables are part of what is judged and shown: they can change what a program does.
    const said = args.length === 0 ? program : shellLine([program, ...args])
    const command = variables.length === 0
      ? said
      : args.length === 0 ? `export ${assigned(variables)}; ${said}` : `env ${assigned(variables)} ${said}`
    const limit = params['outputByteLimit']
    const { promise: over, resolve: end } = Promise.withResolvers<void>()
    const terminal: Terminal = {
      output: '', isCut: false, limitBytes: typeof limit === 'number' && limit > 0 ? Math.min(limit, usualLimitBytes) : usualLimitBytes,
      exit: null, over, abort: new AbortController()
    }
    const begun = Promise.withResolvers<void>()
    const result = this.options.serve(this.#tool(terminal, begun.resolve), {
      command, timeout_s: longestTimeoutS, ...(cwd === undefined ? {} : { cwd })
    }, variables.every(([name]) => harmlessVariables.has(name)) ? said : null)
    this.#open++
    void result.then((told) => this.#ended(terminal, told), () => this.#ended(terminal, null)).finally(() => {
      this.#open--
      end()
    })
    const early = await Promise.race([
      begun.promise, result.catch((error: unknown) => ({ text: error instanceof Error ? error.message : 'It was not run' }))
    ])
    if (early !== undefined) throw RequestError.invalidRequest(undefined, early.text)
    const terminalId = randomUUID()
    this.#terminals.set(terminalId, terminal)
    return { terminalId }
  }

  async request (method: string, params: Params): Promise<unknown> {
    const id = text(params['terminalId']) ?? ''
    const terminal = this.#terminals.get(id)
    if (terminal === undefined) throw RequestError.invalidParams(undefined, 'There is no such terminal')
    switch (method) {
      case 'terminal/output': return {
        output: plainOutput(terminal.output), truncated: terminal.isCut, ...(terminal.exit === null ? {} : { exitStatus: terminal.exit })
      }
      case 'terminal/wait_for_exit':
        await terminal.over
        return terminal.exit ?? { exitCode: null, signal: null }
      case 'terminal/kill':
        terminal.abort.abort()
        await terminal.over
        return {}
      default:
        // The output is kept until the end of the turn, because the card of a call may still show it.
        terminal.abort.abort()
        return {}
    }
  }

  /** Returns a terminal's output; null if there is no such terminal. */
  textOf (id: string): string | null {
    const terminal = this.#terminals.get(id)
    return terminal === undefined ? null : plainOutput(terminal.output)
  }

  close (): void {
    for (const { abort } of this.#terminals.values()) abort.abort()
  }

  /** Returns the tool with a second way to end it, and with its output recorded while it runs. */
  #tool (terminal: Terminal, begun: () => void): Tool {
    const { terminal: own } = this.options
    return {
      ...own,
      async run (args, context: ToolContext) {
        begun()
        return await own.run(args, {
          ...context,
          signal: AbortSignal.any([context.signal, terminal.abort.signal]),
          output (chunk) {
            context.output?.(chunk)
            // A character that is cut in two does not matter: the output is read before it is complete anyway.
            terminal.output += chunk.toString('utf8')
            const excess = terminal.output.length - terminal.limitBytes
            if (excess <= 0) return
            terminal.isCut = true
            terminal.output = terminal.output.slice(excess)
          }
        })
      }
    }
  }

  /** Reads how the command ended from the last line of the tool's result. */
  #ended (terminal: Terminal, told: ToolResult | null): void {
    const code = /\[exit code (\d+)\]\s*(?:\n\[ran in the sandbox[^\n]*\])?$/.exec(told?.text ?? '')?.[1]
    const signal = /\[ended by signal (\w+)\]/.exec(told?.text ?? '')?.[1]
    terminal.exit = {
      exitCode: code === undefined ? null : Number(code),
      signal: code === undefined ? signal ?? (terminal.abort.signal.aborted ? 'SIGKILL' : null) : null
    }
  }
}

const assigned = (variables: ReadonlyArray<readonly [string, string]>): string =>
  variables.map(([name, value]) => `${name}=${shellLine([value])}`).join(' ')
