import fc from 'fast-check'
import { connect } from 'node:net'
import t from '#test'
import { anyCharacter } from '../support/any-character.js'
import { start } from '../support/app.js'

interface Operation { method: string, path: string, properties: string[], query: string[] }
interface Documented { parameters?: Array<{ in: string, name: string }>, requestBody?: { content: Record<string, { schema: { properties?: Record<string, unknown> } }> } }

/** Returns every documented operation with its known names. */
async function operations (service: Awaited<ReturnType<typeof start>>): Promise<Operation[]> {
  const { body } = await service.get('/docs/json')
  return Object.entries(body.paths as Record<string, Record<string, Documented>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      properties: Object.keys(requestBody?.content['application/json']?.schema.properties ?? {}),
      query: parameters.filter((parameter) => parameter.in === 'query').map((parameter) => parameter.name)
    })))
}

t.test('nothing that a client can send is answered with a 500, or with anything but the standard body', async (t) => {
  const service = await start(t)
  const sessionId = await service.newSession()
  const all = (await operations(service)).filter(({ path }) => !/stream|events/.test(path))
  const value = fc.oneof(
    fc.constant(sessionId), fc.string({ maxLength: 40 }), fc.string({ unit: anyCharacter, maxLength: 40 }), fc.integer(), fc.double(), fc.boolean(), fc.constant(null),
    fc.array(fc.jsonValue(), { maxLength: 3 }), fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue(), { maxKeys: 3 }),
    fc.constantFrom('../../../etc/passwd', '__proto__', '\0', 'x'.repeat(10_000), '1e999', '-1', 'once', '/', '<script>', '💥')
  )
  /** Known but unimplemented operations refuse every request. */
  const refusing = new Set(['/api/commands/moa/resolve'])
  const problems: string[] = []
  for (const { method, path, properties, query } of all) {
    await fc.assert(fc.asyncProperty(fc.dictionary(fc.constantFrom(...properties, 'unknown', '__proto__', 'constructor'), value), fc.dictionary(fc.constantFrom('nothing', ...query), value), async (body, parameters) => {
      const search = new URLSearchParams(Object.entries(parameters).map(([name, entry]): [string, string] => [name, typeof entry === 'string' ? entry : JSON.stringify(entry)]))
      const answer = method === 'GET' ? await service.get(`${path}?${search}`) : await service.post(path, body)
      if (answer.status >= 500 && !refusing.has(path)) problems.push(`${method} ${path} ${JSON.stringify(body)} ${search}: ${answer.status} ${answer.text}`)
      // A browser that others redirect back gets a page. A protocol that others have written has its own format.
      const said = /^\/(?:mcp|v1)\b/.test(path) ? answer.body?.error?.message ?? answer.body?.error : answer.body?.error
      const isPage = answer.headers.get('content-type')?.startsWith('text/html') === true
      if (answer.status >= 400 && !isPage && typeof said !== 'string' && answer.body?.ok !== false) problems.push(`${method} ${path}: ${answer.status} without an error text: ${answer.text}`)
      if (/\/(tmp|home|root|work)\/.*\.(js|ts)|node_modules|SQLITE/.test(answer.text)) problems.push(`${method} ${path}: tells what is inside: ${answer.text.slice(0, 200)}`)
    }), { numRuns: 25 })
  }
  t.same(problems, [])
  t.match((await service.get('/health')).body, { status: 'ok' })
})

t.test('what is not even HTTP is turned away and harms nobody', async (t) => {
  const service = await start(t)
  const { port } = new URL(service.url)
  for (const bytes of ['GARBAGE\r\n\r\n', 'GET /health HTTP/1.1\r\n\r\n', 'POST /api/session/new HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -5\r\n\r\n', 'POST /api/session/new HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\n{"a":1}extra', '\x16\x03\x01\x00\xa5', `GET /${'a'.repeat(100_000)} HTTP/1.1\r\n\r\n`]) {
    const socket = connect(Number(port), '127.0.0.1')
    const answer = await new Promise<string>((resolve) => {
      let text = ''
      socket.setEncoding('latin1').on('data', (chunk: string) => { text += chunk })
      socket.on('close', () => resolve(text))
      socket.on('error', () => resolve(text))
      socket.write(bytes, 'latin1')
      socket.end()
    })
    t.notMatch(answer, /HTTP\/1\.1 5\d\d/, JSON.stringify(bytes.slice(0, 40)))
  }
  t.match((await service.get('/health')).body, { status: 'ok' })
})
