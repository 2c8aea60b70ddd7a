import { decide } from '../policy/index.js'
import { fieldsOf } from '../../ground/fields.js'
import { timeLimit } from '../../ground/time/time-limit.js'
import { type Tool, type ToolContext } from '../tools/tool.js'
import { type Accepted } from './kept-listings.js'
import { type McpQueryAnswer, type McpQueryBody } from './queries.js'
import { type McpServer } from './server.js'
import { createMcpTool, createResourceTools } from './tools.js'

export interface ViewCallOptions { accepted: Accepted, profileHome: string, server: McpServer | undefined }

/** A view's request in the form that the policy judges. `fingerprint` identifies what a person is asked about. */
interface JudgedCall {
  tool: Tool
  args: Record<string, unknown>
  fingerprint: string
  run: (asking: Pick<ToolContext, 'signal' | 'clarify'>) => Promise<unknown>
}

/**
 * Does what a view wants of its server, in a turn or between turns. It is judged like a model's call of the same tool. It runs on the host
 * alone, and its server cannot ask a person meanwhile. A request that is not permitted is answered with `refused`. Throws ToolError.
 */
export async function callOfView (body: McpQueryBody<'view_call'>, options: ViewCallOptions): Promise<McpQueryAnswer<'view_call'>> {
  const { accepted, profileHome, server } = options
  const { allowed, ...rules } = body
  const wanted = server?.isUsable === true ? wantedOf(body, server, options) : undefined
  if (server === undefined || wanted === undefined) {
    const what = body.uri === null ? `tool "${body.tool.slice(0, 100)}"` : 'resources'
    return { refused: `The server of this view has no ${what} for it.` }
  }
  const { tool, args, fingerprint, run } = wanted
  if (allowed !== null && allowed !== fingerprint) return { refused: 'The server describes this tool differently now, so it was not called.' }
  const problem = tool.problem?.(args)
  if (problem !== undefined) return { refused: problem }
  const { verdict, description, patternKeys, maxScope, reason } = decide({ tool, args }, {
    home: profileHome,
    workspace: profileHome,
    serviceRoots: [],
    grants: new Set(rules.grants),
    denied: rules.denied,
    yolo: rules.yolo,
    planning: rules.planning,
    attended: true
  }, null)
  if (verdict === 'forbid') return { refused: reason ?? 'This call is not permitted.' }
  if (verdict === 'ask' && allowed === null) return { ask: { description, patternKeys, maxScope, fingerprint } }
  const { mcp } = tool.targets(args)
  if (mcp !== undefined && body.uri === null) await accepted.note(mcp.key, fingerprint, allowed !== null)
  const limit = timeLimit(server.config.timeoutMs)
  try {
    return { answer: await run({ signal: limit.signal, clarify: async () => null }) }
  } finally {
    limit.clear()
  }
}

/** Returns what a view wants; undefined if the server does not offer it to views. */
function wantedOf (
  { tool: name, args, uri }: McpQueryBody<'view_call'>, server: McpServer, { accepted, profileHome }: ViewCallOptions
): JudgedCall | undefined {
  if (uri !== null) return resourceWanted(uri, server)
  const definition = server.listing.definitions.find(({ tool }) => tool === name)
  if (definition === undefined || definition.ui?.forApp === false) return undefined
  return {
    tool: createMcpTool(server, definition, name, { accepted, profileHome }), args, fingerprint: definition.fingerprint,
    run: async (asking) => (await server.call(definition, args, asking)).answer
  }
}

/** Reads a resource. The answer has the form of `resources/read`. */
function resourceWanted (uri: string, server: McpServer): JudgedCall | undefined {
  const tool = server.listing.hasResources ? createResourceTools([server]).find(({ name }) => name === 'mcp_read_resource') : undefined
  return tool && {
    tool, args: { server: server.name, uri }, fingerprint: 'resources/read',
    async run (asking) {
      const { content } = fieldsOf((await server.read(uri, asking)).answer)
      return { contents: (Array.isArray(content) ? content : []).map((part) => fieldsOf(part)['resource']) }
    }
  }
}
