import { type McpCaller, type McpServing, type McpServingOptions } from './serving.js'

export { type McpCaller, type McpRight, type McpServingOptions } from './serving.js'

/** The service as a server of the Model Context Protocol. What that takes is loaded with the first message. */
export function createMcpServer (options: McpServingOptions) {
  let serving: Promise<McpServing> | null = null

  return {
    /** Answers one message; `body` is the parsed one of `request`. */
    async answer (request: Request, body: unknown, caller: McpCaller): Promise<Response> {
      serving ??= import('./serving.js').then(({ McpServing }) => new McpServing(options))
      return await (await serving).answer(request, body, caller)
    },
    async close (): Promise<void> {
      await (await serving)?.close()
    }
  }
}

export type McpServerService = ReturnType<typeof createMcpServer>
