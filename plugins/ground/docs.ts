import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { once } from '../../services/ground/concurrency/once.js'
import { NotFound } from '../../services/ground/errors.js'
import { storedDocument } from './openapi.js'

/** Headers of a connection; a response made inside this process has no connection. */
const ofConnections = new Set(['connection', 'keep-alive', 'transfer-encoding', 'date', 'content-length'])

/**
 * Serves the OpenAPI document at /docs/json and /docs/yaml, and a page to read it at /docs. The viewer is loaded on the first request,
 * because that takes a large part of what a start of the whole service takes.
 */
export default fp(async (app: FastifyInstance) => {
  const pages = once(async () => await createPages(app))

  async function show (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const {
      statusCode, headers, rawPayload
    } = await (await pages()).inject({ method: 'GET', url: request.url, headers: conditions(request) })
    if (statusCode === 404) throw new NotFound('Not found')
    for (const [name, value] of Object.entries(headers)) if (value !== undefined && !ofConnections.has(name)) reply.header(name, value)
    return await reply.code(statusCode).send(rawPayload)
  }

  const json = once(async () => JSON.stringify(storedDocument(app)))
  const yaml = once(async () => await app.workers.run('writeYaml', storedDocument(app)))
  const served = { config: { scope: 'read' }, schema: { hide: true } } as const
  app.get('/docs/json', served, async (_, reply) => await reply.type('application/json; charset=utf-8').send(await json()))
  app.get('/docs/yaml', served, async (_, reply) => await reply.type('application/x-yaml').send(await yaml()))

  app.get('/docs', { config: { scope: 'read' }, schema: { hide: true } }, show)
  app.get('/docs/*', { config: { scope: 'read', embedded: true }, schema: { hide: true } }, show)
  app.addHook('onClose', async () => { await (await pages.begun()?.catch(() => undefined))?.close() })
}, { name: 'docs', dependencies: ['openapi', 'workers'] })

async function createPages (app: FastifyInstance): Promise<FastifyInstance> {
  const { fastifySwaggerUi } = await import('@fastify/swagger-ui')
  const pages = fastify({ routerOptions: { ignoreTrailingSlash: false } })
  // The viewer asks the instance that it is registered in for the document.
  await pages.register(fp(async (pages) => { pages.decorate('swagger', app.swagger) }, { name: '@fastify/swagger' }))
  await pages.register(fastifySwaggerUi, { routePrefix: '/docs', staticCSP: false })
  return pages
}

/** Returns the conditional headers of a request: the reader may already have the file. */
function conditions ({ headers }: FastifyRequest): Record<string, string> {
  return Object.fromEntries(
    ['if-none-match', 'if-modified-since', 'range'].flatMap((name) => typeof headers[name] === 'string' ? [[name, headers[name]]] : [])
  )
}
