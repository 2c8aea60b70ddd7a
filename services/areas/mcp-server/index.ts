import { setImmediate } from 'node:timers/promises'
import { once } from '../../ground/concurrency/once.js'
import { type McpCaller } from './caller.js'
import { type McpServingOptions } from './serving.js'

// Types only: any other import would make the bundle load the file.
export type { McpCaller } from './caller.js'
export type { McpServingOptions } from './serving.js'

/** The service as a server of the Model Context Protocol. The modules it needs are loaded with the first message. */
export function createMcpServer (options: McpServingOptions) {
  const serving = once(async () => {
    // Loaded in parts, so that other work gets its turn in between.
    await import('zod/v4')
    await setImmediate()
    await import('@modelcontextprotocol/server')
    await setImmediate()
    const { McpServing } = await import('./serving.js')
    await setImmediate()
    return new McpServing(options)
  })

  return {
    /**
     * Answers one message; `body` is the parsed body of the request. `requestOf` creates the request only then, because the first one loads
     * all of fetch.
     */
    async answer (requestOf: () => Request, body: unknown, caller: McpCaller): Promise<Response> {
      const server = await serving()
      return await server.answer(requestOf(), body, caller)
    },
    async close (): Promise<void> {
      await (await serving.begun()?.catch(() => undefined))?.close()
    }
  }
}

export type McpServerService = ReturnType<typeof createMcpServer>
