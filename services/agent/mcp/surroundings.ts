import { mkdirSync } from 'node:fs'
import { type Transport } from '@modelcontextprotocol/client'
import { programRoots, startFiles } from '../../ground/assets.js'
import { realPath } from '../../ground/files/containment.js'
import { proxyVariables } from '../../ground/proxy/outgoing.js'
import { type EndedBadly } from '../protocol.js'
import { confine, type SandboxStatus } from '../sandbox/index.js'
import { ToolError } from '../tools/containment.js'
import { type McpTarget } from './configuration.js'
import { type Refusal } from './failure.js'
import { openHttp } from './http.js'
import { type ServerLog } from './log.js'
import { StdioTransport } from './stdio.js'

/** What the host provides for servers. */
export interface ServerSurroundings {
  profileHome: string
  /** Environment of a program in addition to its own variables. It contains no secrets of the service. */
  childEnv: Readonly<Record<string, string>>
  commandMark: string | undefined
  sandbox: () => Promise<SandboxStatus>
  /** Folders that a confined server must not see. */
  hidden: readonly string[]
  /** How long a server may be idle before it is stopped. */
  idleStopMs: number
  /** Called when tokens were renewed, before they are used. */
  refreshed: () => void
  /** How long a call waits for a server to start. */
  startPatienceMs?: number
  /** Called when a server could not be reached, or ended on its own; once until it works again. */
  endedBadly?: (ended: Omit<EndedBadly, 'what'>) => void
}

export interface OpenedTransport {
  transport: Transport
  /** Why it cannot be used, as far as the transport knows: how the program ended, what the address answered. */
  failure: () => Refusal | null
  close: () => Promise<void>
}

/** Prepares the transport to a server; nothing is started yet. Throws ToolError if the sandbox is not available. */
export async function openTransport (
  server: string, target: McpTarget, surroundings: ServerSurroundings, log: ServerLog
): Promise<OpenedTransport> {
  let refused: Refusal | null = null
  if (target.transport === 'http') {
    const { profileHome, refreshed } = surroundings
    const hasKey = Object.keys(target.headers).some((name) => name.toLowerCase() === 'authorization')
    const signIn = hasKey ? null : { profileHome, server, issuer: target.oauth?.issuer ?? null, refreshed }
    const transport = await openHttp({ url: target.url, headers: target.headers, signIn, onRefused: (refusal) => { refused = refusal } })
    return { transport, failure: () => refused, close: async () => { await transport.close().catch(() => {}) } }
  }
  const { profileHome, childEnv, commandMark } = surroundings
  const env = { ...childEnv, ...(target.sandbox ? {} : proxyVariables(false)), ...target.env }
  if (target.readable !== undefined && target.cwd !== null) mkdirSync(target.cwd, { recursive: true, mode: 0o700 })
  const cwd = realPath(target.cwd ?? profileHome)
  const { file, args } = target.sandbox ? await confined(target, cwd, env, surroundings) : { file: target.command, args: target.args }
  const transport = new StdioTransport({
    file,
    args,
    cwd,
    env,
    mark: commandMark,
    onStderr: (text) => log.add(text),
    onGarbage: (line) => log.remark(`not a message: ${line}`)
  })
  return {
    transport, failure: () => transport.exit === null ? null : { why: `The program has ended (${transport.exit}).`, code: 'exited' },
    close: async () => await transport.close()
  }
}

async function confined (
  { command, args, cwd: wanted, readable }: Extract<McpTarget, { transport: 'stdio' }>, cwd: string, env: Record<string, string>,
  { sandbox, hidden }: ServerSurroundings
): Promise<{ file: string, args: string[] }> {
  if (wanted === null) throw new ToolError('A server in the sandbox needs a folder of its own: set "cwd".')
  const status = await sandbox()
  if (!status.available) throw new ToolError(`There is no sandbox to run it in: ${status.reason}.`)
  if (status.kind !== 'bwrap') throw new ToolError('There is no sandbox to run it in: the container is the boundary for commands, and has the network.')
  return confine({
    bwrap: status.program, program: command, argv: args, workspace: cwd, cwd, hidden, readable: readable === undefined ? [] : [readable],
    programs: [...programRoots, ...startFiles], filters: status.filters === true, env
  })
}
