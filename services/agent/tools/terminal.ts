import { existsSync } from 'node:fs'
import { Type, type Static } from '@sinclair/typebox'
import { defaultLimits, limiting, type CommandLimits } from '../../ground/process/limits.js'
import { confine, createPrivateFiles, inTheContainer, namingVariable, type SandboxStatus } from '../sandbox/index.js'
import { resolveInside, ToolError } from './containment.js'
import { type GroupOutcome, runGroup } from '../../ground/process/group.js'
import { type Tool, type ToolContext, type ToolResult } from './tool.js'
import { oneLine, plainOutput, plural } from './wording.js'

const defaultTimeoutS = 120
/** How much of the output is kept: its start and its end, where programs print what matters. */
const maxOutputBytes = 64 * 1024

const Parameters = Type.Object({
  command: Type.String({
    minLength: 1, maxLength: 32768,
    description: 'The command line, run by bash. It gets no input: use flags instead of prompts (for example -y).'
  }),
  timeout_s: Type.Optional(Type.Number({
    minimum: 1, maximum: 600, description: `Seconds until the command is stopped. Default ${defaultTimeoutS}, at most 600.`
  })),
  cwd: Type.Optional(Type.String({ minLength: 1, description: 'Folder to run in, relative to the workspace. Default: the workspace.' }))
}, { additionalProperties: false })

/** The properties if commands are confined, or limited by the container. */
const SandboxParameters = Type.Object({
  ...Parameters.properties,
  unconfined: Type.Optional(Type.Boolean({
    description: "Run outside the sandbox, with network and the whole machine; in a container without the limits above. Needs the user's permission; say in `why` what it needs. Default false."
  })),
  why: Type.Optional(Type.String({
    maxLength: 300, description: 'With unconfined: what the command needs that the sandbox does not give, in one sentence for the user.'
  }))
}, { additionalProperties: false })

const sandboxSentence = ' It runs in a sandbox: it can write only in the workspace and in /tmp, which is private and empty at every call; there is no network; ' +
  'of the rest of the machine only installed programs and libraries are visible, read-only, and the home folder is an empty private one. ' +
  'When a command needs more than that, and only then, set unconfined.'

const containerSentence = ' It runs in the container of this service, with its network: it can write only in the workspace and in /tmp; of the rest only installed ' +
  'programs and libraries can be read, the home folder is one in /tmp, and Unix sockets are not available. ' +
  'When a command needs more than that, and only then, set unconfined.'

/** Messages of programs that the sandbox may have stopped. */
const sandboxSigns = new RegExp([
  'network is unreachable', 'could not resolve', 'failure in name resolution', 'name or service not known', 'connection refused',
  'no route to host',
  'read-only file system', 'operation not permitted', 'no new privileges', 'ENETUNREACH|ECONNREFUSED|EAI_AGAIN|ENOTFOUND|EROFS|EPERM',
  // Messages of git: its settings are read-only, the user's own are in the home folder, a repository may begin above the workspace.
  'could not (?:lock|write) config file', 'identity unknown|tell me who you are', 'not a git repository',
  // A protected place cannot be moved or removed.
  'device or resource busy',
  '^bwrap: '
].join('|'), 'im')
const sandboxNote = '[ran in the sandbox: no network, writes only in the workspace, no set-user bits; call again with unconfined: true if it must leave it]'

const containerSigns = /permission denied|operation not permitted|EACCES|EPERM|address family not supported|identity unknown|tell me who you are/i
const containerNote = '[ran within the limits of the container: writes only in the workspace and /tmp, no keys of the user; call again with unconfined: true if it must leave them]'

/** The parts of a call's context that a command needs. */
type CommandContext = Pick<ToolContext,
  'workspace' | 'signal' | 'childEnv' | 'approved' | 'confined' | 'readOnly' | 'hidden' | 'readable' | 'programs' | 'repositories' | 'limits'
  | 'commandMark' | 'output'
>
type Terminal = Omit<Tool<typeof SandboxParameters>, 'run'> & {
  run (args: Static<typeof SandboxParameters>, context: CommandContext): Promise<ToolResult>
  /** Like `run`, but also returns how the command ended. */
  execute (args: Static<typeof SandboxParameters>, context: CommandContext): Promise<Executed>
}

export interface Executed extends Pick<GroupOutcome, 'ended' | 'exitCode'> { result: ToolResult }

interface CommandLine {
  args: string[]
  /** Releases what the command holds; called when it has ended. */
  release?: () => void
}

/**
 * @param shell the shell to use; default: bash, or sh if there is no bash
 * @param sandbox what can confine commands; without it no command is confined, and the model is not told about a sandbox
 */
export function createTerminal (shell?: string, sandbox?: SandboxStatus): Terminal {
  const privateFiles = createPrivateFiles()
  const confinable = sandbox?.available === true
  const isContainer = confinable && sandbox.kind === 'container'

  /** Returns the command line to start. Both streams go into one pipe, because only the kernel knows the order of the writes. */
  async function line (
    command: string, folder: string, limits: CommandLimits,
    { confined, readOnly = false, workspace, hidden, readable, programs = [], repositories, childEnv }: CommandContext
  ): Promise<CommandLine> {
    const program = shell ?? findShell()
    if (!confined) return { args: ['-c', 'exec "$0" -c "$1" 2>&1', program, command] }
    if (!confinable) throw new ToolError('The command was to run in the sandbox, but there is none on this machine. It was not run.')
    const seen = { workspace, cwd: folder, hidden: [...hidden, ...await privateFiles()], readable, programs, env: childEnv, readOnly }
    const { file, args, release } = sandbox.kind === 'container'
      ? inTheContainer({ ...seen, setpriv: sandbox.program, program, argv: ['-c', command] })
      : {
          ...confine({
            ...seen, bwrap: sandbox.program, program: '/bin/sh', argv: ['-c', limiting(limits), program, '-c', command], repositories,
            filters: sandbox.filters === true
          }),
          release: undefined
        }
    return {
      // If the machine runs out of memory, the kernel has to kill the command and not the service.
      args: ['-c', 'echo 500 2>/dev/null >/proc/self/oom_score_adj; exec "$0" "$@" 2>&1', file, ...args],
      ...release === undefined ? {} : { release }
    }
  }

  async function execute (
    { command, timeout_s: timeoutS = defaultTimeoutS, cwd = '.' }: Static<typeof SandboxParameters>, context: CommandContext
  ): Promise<Executed> {
    if (command.includes('\0')) throw new ToolError('The command contains a NUL byte. Remove it.')
    const folder = resolveInside({ ...context, readable: [] }, cwd)
    const output = new HeadAndTail(maxOutputBytes)
    const limits = { ...defaultLimits(), ...context.limits }
    const { args, release } = await line(command, folder, limits, context)
    const outcome = await runGroup('/bin/sh', args, {
      cwd: folder,
      env: context.childEnv,
      signal: context.signal,
      timeoutMs: timeoutS * 1000,
      // No process survives a sandbox of bubblewrap: all end with the program that made it.
      strays: !context.confined || isContainer,
      mark: context.commandMark,
      abruptly: context.confined && !isContainer,
      ...(context.confined && isContainer ? { numberIn: namingVariable } : {}),
      ...(context.confined ? { limits } : {}),
      onStdout: (chunk) => {
        output.add(chunk)
        context.output?.(chunk)
        return true
      }
    }).catch((error: NodeJS.ErrnoException) => {
      throw new ToolError(`The command could not be started in ${cwd} (${error.code ?? error.message}). Check that the folder exists.`)
    }).finally(release)
    const text = output.text()
    const failed = outcome.ended !== 'exit' || outcome.exitCode !== 0
    const lines = [...(text === '' ? ['(no output)'] : [text]), ending(outcome, timeoutS, limits)]
    if (context.confined && failed && (isContainer ? containerSigns : sandboxSigns).test(text)) {
      lines.push(isContainer ? containerNote : sandboxNote)
    }
    return { ended: outcome.ended, exitCode: outcome.exitCode, result: { text: lines.join('\n'), isError: failed } }
  }

  return {
    name: 'terminal',
    description: 'Runs a shell command in the workspace and returns what it printed (standard output and errors, in order) and its exit code. ' +
      'Every call is a new shell: changes of folder or variables do not last. When the command ends, processes it left in the background are stopped.' +
      (isContainer ? containerSentence : confinable ? sandboxSentence : ''),
    // The parameters that the sandbox adds are optional, so without one the smaller schema is enough.
    parameters: confinable ? SandboxParameters : Parameters as unknown as typeof SandboxParameters,
    risk: 'execute',
    targets: ({ command, cwd, unconfined, why }) => ({
      command,
      ...(/\/bash$/.test(shell ?? findShell()) ? {} : { isPlainShell: true }),
      ...(cwd === undefined ? {} : { cwd, paths: [{ path: cwd, access: 'read' as const }] }),
      ...(unconfined === undefined ? {} : { unconfined, ...(why === undefined ? {} : { why }) })
    }),
    preview: ({ command }) => oneLine(command),

    execute,
    run: async (args, context) => (await execute(args, context)).result
  }
}

function ending (
  { ended, exitCode, killedBy, stoppedOthers }: GroupOutcome, timeoutS: number, { memoryBytes, processes }: CommandLimits
): string {
  if (ended === 'abort') return '[stopped: the turn was cancelled]'
  if (ended === 'timeout') {
    return `[stopped after ${plural(timeoutS, 'second')}: time limit. Pass a larger timeout_s (at most 600), or make the command do less.]`
  }
  if (ended === 'memory') {
    return `[stopped: it used more than ${Math.round(memoryBytes / 1024 ** 2)} MB of memory, which is the limit of a command. Make the command do less at a time.]`
  }
  if (ended === 'processes') return `[stopped: it had more than ${processes} processes and threads, which is the limit of a command.]`
  const others = stoppedOthers ? '[processes left in the background were stopped]\n' : ''
  return others + (exitCode === null ? `[ended by signal ${killedBy ?? 'unknown'}]` : `[exit code ${exitCode}]`)
}

function findShell (): string {
  return ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'].find((path) => existsSync(path)) ?? '/bin/sh'
}

/** Collects output of any length in limited memory: half of it for the start, half for the end. */
export class HeadAndTail {
  private readonly half: number
  private readonly head: Buffer[] = []
  private headBytes = 0
  private tail: Buffer[] = []
  private tailBytes = 0
  private droppedBytes = 0

  constructor (maxBytes: number) {
    this.half = Math.floor(maxBytes / 2)
  }

  add (chunk: Buffer): void {
    const toHead = chunk.subarray(0, this.half - this.headBytes)
    if (toHead.length > 0) this.head.push(toHead)
    this.headBytes += toHead.length
    const rest = chunk.subarray(toHead.length)
    if (rest.length === 0) return
    this.tail.push(rest)
    this.tailBytes += rest.length
    // Cut only at twice the size, so that the cost per byte stays constant.
    if (this.tailBytes > this.half * 2) this.cutTail()
  }

  text (): string {
    this.cutTail()
    const head = Buffer.concat(this.head)
    const tail = Buffer.concat(this.tail)
    if (this.droppedBytes === 0) return plainOutput(Buffer.concat([head, tail]).toString('utf8')).trimEnd()
    // A character that was cut in two becomes a replacement character at the seam.
    const start = plainOutput(head.toString('utf8').replace(/\uFFFD$/, ''))
    const end = plainOutput(tail.toString('utf8').replace(/^\uFFFD+/, '')).trimEnd()
    return `${start}\n[… ${plural(this.droppedBytes, 'byte')} left out …]\n${end}`
  }

  private cutTail (): void {
    const excess = this.tailBytes - this.half
    if (excess <= 0) return
    this.tail = [Buffer.from(Buffer.concat(this.tail).subarray(excess))]
    this.tailBytes = this.half
    this.droppedBytes += excess
  }
}
