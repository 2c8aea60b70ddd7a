import {
  createMcpHandler, fromJsonSchema, McpServer, type JsonSchemaType, type McpHttpHandler, type ServerContext, type ToolAnnotations
} from '@modelcontextprotocol/server'
import { mcpInputs, mcpOutputs } from '../../../schemas/mcp-server.js'
import { DomainError } from '../../ground/errors.js'
import { createMcpTools, type McpServices, type McpToolName } from './tools.js'

/** What somebody who calls may do: look, talk, and answer what waits. */
type McpRight = 'read' | 'chat' | 'approve'

export interface McpCaller {
  profile: string
  may: (right: McpRight) => boolean
  /** The folder that is named for a new chat. Throws Invalid, and Forbidden where the caller is not to choose it. */
  folder: (path: string) => Promise<string>
}

export interface McpServingOptions extends McpServices {
  version: string
  log: (message: string, details: Record<string, unknown>) => void
}

interface Described { right: McpRight, title: string, description: string, annotations: ToolAnnotations }

const looking = { readOnlyHint: true, openWorldHint: false }

const described: Record<McpToolName, Described> = {
  list_sessions: { right: 'read', title: 'List chats', description: 'Chats with the agent, the latest first.', annotations: looking },
  search_sessions: {
    right: 'read', title: 'Search chats', description: 'Chats by their titles and by what was said in them.', annotations: looking
  },
  read_session: { right: 'read', title: 'Read a chat', description: 'The last messages of a chat.', annotations: looking },
  list_prompts: {
    right: 'read', title: 'What waits',
    description: 'Approvals and questions of all chats that wait for an answer, with what would be done.', annotations: looking
  },
  start_turn: {
    right: 'chat', title: 'Say something',
    description: 'Sends a message to the agent, in a chat that is there or in a new one, and waits for its answer. The agent works on its own machine, with its own tools. When the time is over the turn goes on: wait_for_turn waits again.',
    annotations: { destructiveHint: true, openWorldHint: true }
  },
  wait_for_turn: {
    right: 'chat', title: 'Wait for an answer', description: 'Waits until the turn of a chat is over or wants an answer of a person.',
    annotations: looking
  },
  cancel_turn: {
    right: 'chat', title: 'Stop', description: 'Stops the turn of a chat. What was done stays done.',
    annotations: { destructiveHint: false, idempotentHint: true, openWorldHint: false }
  },
  answer_approval: {
    right: 'approve', title: 'Answer an approval',
    description: 'Allows or denies what the agent wants to do. Show a person what it is before you allow it.',
    annotations: { destructiveHint: true, openWorldHint: true }
  },
  answer_question: {
    right: 'approve', title: 'Answer a question', description: 'Answers what the agent has asked.',
    annotations: { destructiveHint: false, openWorldHint: false }
  }
}

/** Answers messages of the Model Context Protocol, of its present version and of those before. Nothing is kept between two of them. */
export class McpServing {
  readonly #tools
  readonly #callers = new WeakMap<Request, McpCaller>()
  readonly #handler: McpHttpHandler

  constructor (readonly options: McpServingOptions) {
    this.#tools = createMcpTools(options)
    this.#handler = createMcpHandler(({ requestInfo }) => this.#serverFor(this.#callers.get(requestInfo!)!), {
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

  /** With the tools that the caller may use; the others are not there. */
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
    return server
  }

  async #call (name: McpToolName, input: Record<string, unknown>, { profile, folder, may }: McpCaller, { mcpReq }: ServerContext) {
    const token = mcpReq._meta?.progressToken
    let steps = 0
    const progress = (line: string): void => {
      if (token === undefined) return
      // Whoever has gone away meanwhile needs no news.
      mcpReq.notify({
        method: 'notifications/progress', params: { progressToken: token, progress: ++steps, message: line }
      }).catch(() => {})
    }
    try {
      const act = this.#tools[name] as (input: Record<string, unknown>, call: object) => Promise<Record<string, unknown>>
      if (typeof input.session_id === 'string') this.options.assertSessionOf(input.session_id, profile)
      const result = await act(input, { profile, reader: { mayDecide: may('approve') }, folder, signal: mcpReq.signal, progress })
      return { content: [{ type: 'text' as const, text: JSON.stringify(result) }], structuredContent: result }
    } catch (error) {
      if (!(error instanceof DomainError)) this.options.log('a tool of /mcp failed', { tool: name, reason: String(error) })
      const text = error instanceof DomainError ? error.message : 'The service failed to do this; its log has the reason'
      return { isError: true, content: [{ type: 'text' as const, text }] }
    }
  }
}
