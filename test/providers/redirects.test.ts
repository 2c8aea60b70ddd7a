import { type IncomingHttpHeaders } from 'node:http'
import t, { type Test } from '#test'
import { createLanguageModel } from '../../services/agent/model/language-model.js'
import { checkProvider, classifyModelError, listModels, resolveProviders, withoutForeignRedirects, type ProviderEntry } from '../../services/providers/index.js'
import { start } from '../support/app.js'
import { serving } from '../support/listening.js'

interface Seen { method: string, path: string, headers: IncomingHttpHeaders, body: string }
interface Place { url: string, requests: Seen[] }

/** Starts a server that redirects each path in `locations`, and answers everything else with `text`. */
async function serve (t: Test, locations: Record<string, [status: number, location: string]>, text = '{"data":[{"id":"one"}]}'): Promise<Place> {
  const requests: Seen[] = []
  const origin = await serving(t, (request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => { body += chunk }).on('end', () => {
      const path = request.url ?? ''
      requests.push({ method: request.method ?? '', path, headers: request.headers, body })
      const found = locations[path.split('?')[0]!]
      if (found === undefined) response.writeHead(200, { 'content-type': 'application/json' }).end(text)
      else response.writeHead(found[0], { location: found[1] }).end()
    })
  })
  return { url: origin, requests }
}

const metadata = 'http://169.254.169.254/latest/meta-data/'
const key = 'sk-a-secret-of-mine'

function entriesAt (url: string): ProviderEntry[] {
  const env = { OPENAI_API_KEY: key, OPENAI_BASE_URL: `${url}/v1`, ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: `${url}/v1` }
  const config = { providers: { google: { base_url: `${url}/v1`, api_key: key }, openrouter: { base_url: `${url}/v1`, api_key: key } } }
  return resolveProviders({ env, config, local: [] })
}

t.test('no provider leads its key to another server', async (t) => {
  const other = await serve(t, {})
  for (const [what, target] of [['another server', other.url], ['where clouds keep credentials', metadata], ['a file', 'file:///etc/passwd'], ['the same server with a name', 'http://me@127.0.0.1/']] as const) {
    for (const status of [301, 302, 303, 307, 308]) {
      const place = await serve(t, { '/v1/models': [status, target], '/v1/chat/completions': [status, target], '/v1/messages': [status, target], '/v1/models/m:streamGenerateContent': [status, target] })
      for (const entry of entriesAt(place.url)) {
        const name = `${entry.id}, ${status} to ${what}`
        await t.rejects(listModels(entry), { message: new RegExp(`^${entry.displayName}'s address leads to another server \\(status ${status}\\)`) }, name)
        t.match(await checkProvider(entry, { timeoutMs: 60_000 }), { problem: 'wrong_address', message: /leads to another server/, models: [] }, name)
        const model = await createLanguageModel(entry, { provider: entry.id, id: 'm' })
        const failure = await Promise.resolve(model.doStream({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }] })).then(() => undefined, (error: unknown) => error)
        t.match(classifyModelError(failure, { provider: entry }), { type: 'error', retryable: false, message: /leads to another server/ }, name)
      }
      t.equal(place.requests.length, 4 * 3, 'each was asked once')
    }
  }
  t.same(other.requests, [])
})

t.test('a move within the server is followed, with the key', async (t) => {
  const place = await serve(t, { '/v1/models': [308, '/v2/models'], '/v2/models': [302, '/v2/models/'], '/v1/chat/completions': [307, '/v2/chat'] })
  const [entry] = entriesAt(place.url).filter(({ id }) => id === 'openai')
  t.match(await listModels(entry!, { signal: AbortSignal.timeout(5_000) }), [{ id: 'one' }])
  t.same(place.requests.map(({ path, headers }) => [path, headers.authorization]), ['/v1/models', '/v2/models', '/v2/models/'].map((path) => [path, `Bearer ${key}`]))
  const response = await withoutForeignRedirects()(`${place.url}/v1/chat/completions`, { method: 'POST', body: 'what is said' })
  t.equal(response.status, 200)
  t.match(place.requests.at(-1), { method: 'POST', path: '/v2/chat', body: 'what is said' })
})

t.test('redirects without end, or without a method to keep, are the answer', async (t) => {
  const place = await serve(t, { '/loop': [302, '/loop'], '/see': [303, '/there'], '/empty': [302, ''] })
  const fetch = withoutForeignRedirects()
  t.equal((await fetch(`${place.url}/loop`)).status, 302)
  t.equal(place.requests.length, 6)
  t.equal((await fetch(`${place.url}/see`, { method: 'POST', body: 'x' })).status, 303)
  t.equal(place.requests.length, 7)
  t.equal((await fetch(`${place.url}/loop`, { redirect: 'manual' })).status, 302, 'who has a rule of his own keeps it')
  t.equal(place.requests.length, 8)
})

t.test('http becomes https on the same host alone', async (t) => {
  const asked: string[] = []
  const fetch = withoutForeignRedirects(async (input) => {
    const url = String(input)
    asked.push(url)
    return url.startsWith('http:') ? new Response(null, { status: 301, headers: { location: url.replace('http:', 'https:').replace('elsewhere.', 'another.') } }) : Response.json({})
  })
  t.equal((await fetch('http://models.example/v1/models')).status, 200)
  t.equal((await fetch('http://elsewhere.example/v1/models')).status, 301)
  t.equal((await fetch('http://models.example:8080/v1/models')).status, 301, 'another port is another server')
  t.same(asked, ['http://models.example/v1/models', 'https://models.example/v1/models', 'http://elsewhere.example/v1/models', 'http://models.example:8080/v1/models'])
})

t.test('what a list says is bounded, whatever it calls itself', async (t) => {
  const place = await serve(t, {}, JSON.stringify({ data: [{ id: 'x'.repeat(301) }, { id: '' }, { id: 'sound', name: 'n'.repeat(5_000) }] }))
  const [entry] = entriesAt(place.url).filter(({ id }) => id === 'openai')
  const models = await listModels(entry!)
  t.same(models.map(({ id }) => id), ['sound'])
  t.equal(models[0]?.label.length, 200)

  let sentBytes = 0
  const origin = await serving(t, (_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' })
    const more = (): void => { while (!response.destroyed && response.write('\n'.repeat(65_536))) sentBytes += 65_536 }
    response.on('drain', more)
    more()
  })
  await t.rejects(listModels({ ...entry!, baseUrl: `${origin}/v1` }), { message: /could not be understood/ })
  t.ok(sentBytes < 64 * 1024 * 1024, `${sentBytes} bytes were taken`)
})

t.test('a turn whose provider leads away says so', async (t) => {
  const place = await serve(t, { '/v1/chat/completions': [307, metadata] })
  const service = await start(t, { env: { OPENAI_API_KEY: key, OPENAI_BASE_URL: `${place.url}/v1` } })
  const events = await service.events(`/api/chat/stream?stream_id=${await service.send(await service.newSession(), 'hello')}`)
  const failed = await events.until('apperror')
  t.match(JSON.stringify(failed.data), /OpenAI's address leads to another server \(status 307\)/)
  t.notMatch(JSON.stringify(failed.data), /169\.254|a-secret/)
})
