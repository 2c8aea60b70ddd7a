import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type FastifyReply, type FastifyRequest } from 'fastify'
import { bodyLimits } from '../plugins/ground/bodies.js'
import { EventStream } from '../schemas/common.js'
import { McpMessage } from '../schemas/mcp-server.js'
import { mayUse } from '../services/areas/auth/index.js'
import { tagged } from './shared/tagged.js'

/** Offers the chats of this service to programs that speak the Model Context Protocol (streamable HTTP). */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('mcp'))
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    return await reply.send(await app.mcpServer.answer(webRequest(request, reply), request.body, {
      profile: request.activeProfile(),
      may: (right) => mayUse(request.operator, right),
      folder: async (path) => await request.workspaceFolder(path)
    }))
  }
  const refused = {
    description: 'the message cannot be answered: a protocol error', content: { 'application/json': { schema: McpMessage } }
  }

  app.post('/mcp', {
    // Scopes beyond reading are checked for each tool. In the protocol, null is a value.
    config: { scope: 'read', bodyNulls: 'kept' },
    bodyLimit: bodyLimits.text,
    schema: {
      summary: 'Send a Model Context Protocol message to this service',
      description: 'Streamable HTTP without sessions: each message gets its own answer, as JSON or as an event stream. Reading needs ' +
        'the scope `read`; tools may need more. Protocol errors are those of JSON-RPC.',
      body: McpMessage,
      response: {
        200: {
          description: 'the answer as JSON, or as a stream if notifications precede it',
          content: { 'application/json': { schema: McpMessage }, ...EventStream('McpEvent', { message: McpMessage }).content }
        }, 202: { description: 'the notification was accepted' }, 400: refused, 406: refused, 415: refused
      }
    }
  }, answer)

  // There is no stream between messages and no session to end. Clients try both, and know this answer.
  for (const method of ['GET', 'DELETE'] as const) {
    app.route({ method, url: '/mcp', exposeHeadRoute: false, config: { scope: 'read' }, schema: { hide: true }, handler: answer })
  }
}
export default plugin

/**
 * Converts a request to the Request of the web API; its signal is aborted with the connection, and when its device is revoked. The body is
 * already parsed. The address is a fixed one, because a Host header may be invalid, and nothing reads it.
 */
function webRequest (request: FastifyRequest, reply: FastifyReply): () => Request {
  const gone = new AbortController()
  const leave = request.untilRevoked(() => reply.raw.destroy())
  reply.raw.once('close', () => {
    leave()
    gone.abort()
  })
  return () => new Request('http://localhost/mcp', {
    method: request.method,
    headers: Object.entries(request.headers).flatMap(([name, value]) => [value ?? []].flat().map((one): [string, string] => [name, one])),
    signal: gone.signal
  })
}
