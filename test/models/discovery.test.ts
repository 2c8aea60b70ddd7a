import { createServer, type RequestListener } from 'node:http'
import t, { type Test } from '#test'
import { discoverServers } from '../../services/providers/index.js'
import { readConfig } from '../../plugins/ground/config.js'
import { start } from '../support/app.js'
import { listening } from '../support/listening.js'

async function serve (t: Test, listener: RequestListener): Promise<number> {
  return await listening(t, createServer(listener))
}
const answering = (text: string, status = 200): RequestListener => (_, response) => { response.writeHead(status, { 'content-type': 'application/json' }).end(text) }

interface Row { base_url: string, provider: string | null, is_configured: boolean, models: Array<{ id: string }> }

t.test('model servers of this machine are found where the operator says, and nobody else is asked', async (t) => {
  const heard: string[] = []
  const elsewhere = await serve(t, (request, response) => { heard.push(request.url ?? ''); answering('{"data":[{"id":"not-mine"}]}')(request, response) })
  const keys: unknown[] = []
  const good = await serve(t, (request, response) => { keys.push(request.headers.authorization); answering('{"data":[{"id":"one"},{"id":"two"}]}')(request, response) })
  const ports = {
    good,
    ollama: await serve(t, (request, response) => answering(request.url === '/api/tags' ? '{"models":[{"model":"llama","details":{"families":["llama"]}}]}' : '{}')(request, response)),
    redirect: await serve(t, (_, response) => { response.writeHead(302, { location: `http://127.0.0.1:${elsewhere}/v1/models` }).end() }),
    silent: await serve(t, () => {}),
    other: await serve(t, answering('<html>a page</html>')),
    empty: await serve(t, answering('{"data":[]}')),
    nonsense: await serve(t, answering('{"data":[1,2]}'))
  }
  const named = Object.entries(ports).filter(([name]) => name !== 'ollama').map(([, port]) => port)
  const service = await start(t, { env: { SVC_WEBUI_PROBE_LOCAL: '1', SVC_WEBUI_PROBE_PORTS: named.join(', '), OLLAMA_HOST: `127.0.0.1:${ports.ollama}`, OPENAI_API_KEY: 'sk-a-secret-key' } })
  const look = async (): Promise<Row[]> => {
    const { status, body } = await service.post('/api/providers/discover')
    t.equal(status, 200)
    // Ignores other servers on the machine that runs the tests.
    return (body.servers as Row[]).filter(({ base_url: url }) => Object.values(ports).some((port) => url.includes(`:${port}/`)))
  }
  t.match(await look(), [
    { provider: 'ollama', base_url: `http://127.0.0.1:${ports.ollama}/v1`, is_configured: false, models: [{ id: 'llama', name: 'llama' }], models_total: 1 },
    { provider: null, base_url: `http://127.0.0.1:${good}/v1`, display_name: `Model server on port ${good}`, models: [{ id: 'one' }, { id: 'two' }], models_total: 2 }
  ])
  t.equal((await look()).length, 2)
  t.same(heard, [], 'a redirect is not followed')
  t.ok(keys.every((key) => key === undefined), 'no key is sent')
  await service.post('/api/providers/custom', { name: 'Box', base_url: `http://127.0.0.1:${good}/v1` })
  t.match((await look()).find(({ base_url: url }) => url.includes(`:${good}/`)), { is_configured: true })
})

t.test('an address that is not of this machine is not asked', async (t) => {
  const asked: string[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    asked.push(String(input))
    t.equal(init?.redirect, 'manual')
    throw new TypeError('fetch failed')
  }
  t.same(await discoverServers({ ollamaHost: 'http://gpu.example:11434', ports: [5000, 8000], fetch, timeoutMs: 60_000 }), [])
  t.same(asked.toSorted(), ['http://127.0.0.1:11434/api/tags', ...[1234, 5000, 8000, 8080].map((port) => `http://127.0.0.1:${port}/v1/models`)].toSorted())
})

t.test('where looking is switched off', async (t) => {
  const service = await start(t)
  t.match(await service.post('/api/providers/discover'), { status: 409, body: { code: 'not_supported' } })
  t.throws(() => readConfig({ HOME: '/tmp', SVC_WEBUI_PROBE_PORTS: '80, ollama, 70000' }), { message: /"ollama" is not a port[^]*"70000" is not a port/ })
})
