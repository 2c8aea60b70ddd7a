import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { Invalid } from '../services/errors.js'

/** More levels than anybody needs, and fewer than anything that reads them stumbles over. */
const mostLevels = 500

/**
 * How JSON bodies are read: an empty one is an empty object, one that does not parse is refused, and a key with the
 * value null counts as left out (clients of this interface use both).
 */
export default fp(async (app: FastifyInstance) => {
  // Keys named __proto__ and the like are dropped, not refused: unknown keys never fail a request.
  const parse = app.getDefaultJsonParser('remove', 'remove')

  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = body.toString()
    if (text.trim() === '') return done(null, {})
    if (isTooDeep(text)) return done(new Invalid('The request body is nested too deeply'))
    parse(request, text, (error, value) => error === null ? done(null, value) : done(new Invalid('The request body is not valid JSON')))
  })

  app.addHook('preValidation', async (request) => {
    if (request.body == null && request.method === 'POST') request.body = {}
    const { body } = request
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return
    for (const [key, value] of Object.entries(body)) if (value === null) delete (body as Record<string, unknown>)[key]
  })
}, { name: 'bodies' })

/** Counts brackets outside of strings; whether they fit together is the parser's business. */
function isTooDeep (text: string): boolean {
  let level = 0
  for (const [token] of text.matchAll(/"[^"\\]*(?:\\[^][^"\\]*)*"|[[{\]}]/g)) {
    if (token === '[' || token === '{') {
      if (++level > mostLevels) return true
    } else if (token === ']' || token === '}') level--
  }
  return false
}
