import {
  createMcpHandler, fromJsonSchema, McpServer, type JsonSchemaType, type McpHttpHandler, type ServerContext, type ToolAnnotations
} from '@modelcontextprotocol/server'
import { mcpInputs, mcpOutputs } from '../../../schemas/mcp-server.js'
import { type Clock } from '../../ground/time/clock.js'
import { DomainError } from '../../ground/errors.js'
import { type Log } from '../../ground/log.js'
import { present } from '../../ground/present.js'
import { type McpCaller, type McpRight } from './caller.js'
import { toolResult } from './results.js'
import { knowsTasks, TurnTasks } from './tasks.js'
import { createMcpTools, type McpServices, type McpToolName } from './tools.js'
import { createTurnOutcome } from './turn-outcome.js'

export interface McpServingOptions extends McpServices {
  version: string
  clock: Clock
  log: Log
}

interface Described { right: McpRight, title: string, description: string, annotations: ToolAnnotations }

const looking = { readOnlyHint: true, openWorldHint: false }

const described: Record<McpToolName, Described> = {
  list_sessions: { right: 'read', title: 'List chats', description: 'Lists chats with the agent, the latest first.', annotations: looking },
  search_sessions: {
    right: 'read', title: 'Search chats', description: 'Finds chats by their titles and messages.', annotations: looking
  },
  read_session: { right: 'read', title: 'Read a chat', description: 'Returns the last messages of a chat.', annotations: looking },
  list_prompts: {
    right: 'read', title: 'List prompts',
    description: 'Lists the approvals and questions of all chats that wait for an answer, with what would be done.', annotations: looking
  },
  start_turn: {
    right: 'chat', title: 'Send a message',
    description: 'Sends a message to the agent, in an existing chat or a new one, and waits for the answer. The agent works on its own machine, with its own tools. If the time is up before the turn ends, the turn continues: call wait_for_turn to wait again.',
    annotations: { destructiveHint: true, openWorldHint: true }
  },
  wait_for_turn: {
    right: 'chat', title: 'Wait for an answer', description: 'Waits until the turn of a chat ends, or needs an answer from a person.',
    annotations: looking
  },
  cancel_turn: {
    right: 'chat', title: 'Stop a turn', description: 'Stops the turn of a chat. What it has done is not undone.',
    annotations: { destructiveHint: false, idempotentHint: true, openWorldHint: false }
  },
  answer_approval: {
    right: 'approve', title: 'Answer an approval',
    description: 'Allows or denies what the agent wants to do. Before you allow it, show a person what it is.',
    annotations: { destructiveHint: true, openWorldHint: true }
  },
  answer_question: {
    right: 'approve', title: 'Answer a question', description: 'Answers a question of the agent.',
    annotations: { destructiveHint: false, openWorldHint: false }
  }
}

/** Answers messages of the Model Context Protocol, in its current version and earlier ones. Keeps no state between messages. */
export class McpServing {
  readonly #tools
  readonly #tasks
  readonly #callers = new WeakMap<Request, McpCaller>()
  readonly #handler: McpHttpHandler

  constructor (readonly options: McpServingOptions) {
    const turns = createTurnOutcome(options)
    this.#tools = createMcpTools(options, turns)
    this.#tasks = new TurnTasks(options, turns)
    this.#handler = createMcpHandler(({ requestInfo }) => this.#serverFor(present(this.#callers.get(present(requestInfo, 'a request')), 'its caller')), {
      onerror: (error) => options.log('a message at /mcp was refused', { reason: error.message })
    })
  }

  async answer (request: Request, body: unknown, caller: McpCaller): Promise<Response> {
    this.#callers.set(request, caller)
    return await this.#handler.fetch(request, { parsedBody: body })
  }

  async close (): Promise<void> {
    await this.#handler.close()
  }

  /** Creates a server with the tools that the caller may use; the others do not exist for it. */
  #serverFor (caller: McpCaller): McpServer {
    const server = new McpServer({ name: 'agent-web-service', version: this.options.version })
    for (const name of Object.keys(described) as McpToolName[]) {
      const { right, ...config } = described[name]
      if (!caller.may(right)) continue
      server.registerTool(name, {
        ...config, inputSchema: fromJsonSchema<Record<string, unknown>>(mcpInputs[name] as unknown as JsonSchemaType),
        outputSchema: fromJsonSchema<Record<string, unknown>>(mcpOutputs[name] as unknown as JsonSchemaType)
      }, async (input, context) => await this.#call(name, input, caller, context))
    }
    this.#tasks.serve(server, caller)
    return server
  }

  async #call (name: McpToolName, given: Record<string, unknown>, caller: McpCaller, context: ServerContext) {
    const { profile, folder, may } = caller
    const { mcpReq } = context
    // A program that polls does not need a connection that is held open.
    const isPolled = knowsTasks(context) && (name === 'start_turn' || name === 'wait_for_turn')
    const input = isPolled ? { ...given, wait_seconds: 0 } : given
    const token = mcpReq._meta?.progressToken
    let steps = 0
    const progress = (line: string): void => {
      if (token === undefined) return
      // If the caller has gone meanwhile, the notification is dropped.
      mcpReq.notify({
        method: 'notifications/progress', params: { progressToken: token, progress: ++steps, message: line }
      }).catch(() => {})
    }
    try {
      const act = this.#tools[name] as (input: Record<string, unknown>, call: object) => Promise<Record<string, unknown>>
      if (typeof input.session_id === 'string') this.options.assertSessionOf(input.session_id, profile)
      const result = await act(input, { profile, reader: { mayDecide: may('approve') }, folder, signal: mcpReq.signal, progress })
      const { session_id: sessionId, turn_id: turnId, state } = result
      if (!isPolled || state === 'ended' || typeof sessionId !== 'string' || typeof turnId !== 'string') return toolResult(result)
      return { ...toolResult(result), resultType: 'task', ...await this.#tasks.task(turnId, sessionId, caller, context) }
    } catch (error) {
      if (!(error instanceof DomainError)) this.options.log('a tool of /mcp failed', { tool: name, reason: String(error) })
      const text = error instanceof DomainError ? error.message : 'The tool failed. The log of the service has the reason'
      return { isError: true, content: [{ type: 'text' as const, text }] }
    }
  }
}
