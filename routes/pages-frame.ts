import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type, type Static } from '@sinclair/typebox'
import { readFileSync } from 'node:fs'
import { asset } from '../services/ground/assets.js'
import { connectionAllowlist, framePolicy, namedOrigins } from './shared/frame-policy.js'

const page = readFileSync(asset('web/static/frame.html'), 'utf8')

const Origins = Type.Optional(Type.String({ maxLength: 8_000, description: 'origins, with blanks between them' }))
const FrameQuery = Type.Object({ connect: Origins, resource: Origins, frame: Origins, base: Origins })

/**
 * The empty document in which the app shows content from others: diagrams, pages of an answer, views of MCP servers. It contains nothing,
 * needs no sign-in, and shows what the page around it sends; the query only says which addresses that content may reach.
 */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.get('/static/frame', {
    config: { access: 'public', embedded: true }, schema: { hide: true, querystring: FrameQuery }
  }, async (request, reply) => {
    const domains = domainsOf(request.query, request.host)
    await reply
      .type('text/html; charset=utf-8')
      .headers({
        'cache-control': 'no-cache',
        'content-security-policy': framePolicy(domains),
        'connection-allowlist': connectionAllowlist(domains),
        'x-frame-options': 'SAMEORIGIN',
        // DNS prefetching does not follow the policy.
        'x-dns-prefetch-control': 'off'
      })
      .send(page)
  })
}
export default plugin

const domainsOf = ({ connect = '', resource = '', frame = '', base = '' }: Static<typeof FrameQuery>, host: string) => {
  const named = (text: string): string[] => namedOrigins(text.split(' ').filter((part) => part !== ''), host)
  return { connect: named(connect), resource: named(resource), frame: named(frame), base: named(base) }
}
