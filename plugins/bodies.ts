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
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '"') {
      const end = endOfString(text, at)
      if (end === -1) return false
      at = end
    } else if (character === '[' || character === '{') {
      if (++level > mostLevels) return true
    } else if (character === ']' || character === '}') level--
  }
  return false
}

/** Where the string that begins at `start` ends; -1 when it does not. */
function endOfString (text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1
    while (text[before] === '\\') before--
    if ((end - before) % 2 === 1) return end
  }
  return -1
}
