import { decide } from '../policy/index.js'
import { timeLimit } from '../../ground/time-limit.js'
import { type Accepted } from './kept.js'
import { type McpQueryAnswer, type McpQueryBody } from './queries.js'
import { type McpServer } from './server.js'
import { createMcpTool } from './tools.js'

export interface ViewCallOptions { accepted: Accepted, profileHome: string, server: McpServer | undefined }

/**
 * A call that a view makes, in a turn or between turns: judged as a model's call of the same tool. It runs on the host alone and is no part
 * of the conversation; its server can ask nobody meanwhile. Throws ToolError, and for a tool that views may not call.
 */
export async function callOfView (
  { tool: name, args, allowed, ...rules }: McpQueryBody<'view_call'>, { accepted, profileHome, server }: ViewCallOptions
): Promise<McpQueryAnswer<'view_call'>> {
  const definition = server?.isUsable === true ? server.listing.definitions.find(({ tool }) => tool === name) : undefined
  if (server === undefined || definition === undefined || definition.ui?.forApp === false) {
    return { refused: `The server of this view has no tool "${name.slice(0, 100)}" for it.` }
  }
  const { fingerprint } = definition
  if (allowed !== null && allowed !== fingerprint) return { refused: 'The server describes this tool differently now, so it was not called.' }
  const tool = createMcpTool(server, definition, name, { accepted, profileHome })
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
  if (mcp !== undefined) await accepted.note(mcp.key, fingerprint, allowed !== null)
  const limit = timeLimit(server.config.timeoutMs)
  try {
    return { answer: (await server.call(definition, args, { signal: limit.signal, clarify: async () => null })).answer }
  } finally {
    limit.clear()
  }
}
