import t, { type Test } from '#test'
import { createLanguageModel } from '../../services/agent/model/language-model.js'
import { checkProvider } from '../../services/providers/check.js'
import { classifyModelError } from '../../services/providers/errors.js'
import { resolveProviders, type ProviderEntry } from '../../services/providers/registry.js'
import { answering, http, page, raw, selfSigned } from '../support/failing-addresses.js'
import { freePort } from '../support/listening.js'

// Each cause of a failure has its own sentence, with the next step.

function providerAt (baseUrl: string): ProviderEntry {
  const [entry] = resolveProviders({ env: {}, config: { custom_providers: [{ name: 'Mine', base_url: baseUrl, models: ['m'] }] }, local: [] }).filter(({ baseUrl: url }) => url === baseUrl)
  if (entry === undefined) throw new Error('no such provider')
  return entry
}

async function hear (baseUrl: string) {
  const heard = { text: '', calls: 0, error: undefined as unknown }
  try {
    const model = await createLanguageModel(providerAt(baseUrl), { provider: 'mine', id: 'm' })
    const { stream } = await model.doStream({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }], abortSignal: AbortSignal.timeout(5_000) })
    for await (const part of stream) {
      if (part.type === 'text-delta') heard.text += part.delta
      if (part.type === 'tool-call') heard.calls++
      if (part.type === 'error') heard.error ??= part.error
    }
  } catch (error) {
    heard.error = error
  }
  return heard
}

interface Cause { what: string, at: (t: Test) => Promise<string>, says: RegExp, next: RegExp, retryable: boolean }

const causes: Cause[] = [
  { what: 'a closed port', at: async () => `http://127.0.0.1:${await freePort()}/v1`, says: /Nothing listens at Mine's address/, next: /port in its base_url/, retryable: true },
  { what: 'a name that nobody knows', at: async () => 'http://nowhere.invalid/v1', says: /name of Mine's server is not known/, next: /DNS/, retryable: true },
  { what: 'a certificate of its own', at: selfSigned, says: /certificate of Mine's server is not trusted/, next: /NODE_EXTRA_CA_CERTS/, retryable: false },
  { what: 'a port of mail', at: async () => 'http://127.0.0.1:25/v1', says: /Mine's address has a port that no HTTP request is sent to/, next: /another port/, retryable: false },
  { what: 'https where http is spoken', at: async (t) => (await http(t, answering(200, {}, '{}'))).replace('http:', 'https:'), says: /does not speak TLS/, next: /http:\/\//, retryable: false },
  { what: 'no HTTP', at: async (t) => `http://127.0.0.1:${await raw(t, (socket) => { socket.end('220 mail.example.org ESMTP\r\n') })}/v1`, says: /does not answer in HTTP/, next: /https:\/\//, retryable: false },
  { what: 'a web page', at: async (t) => await http(t, answering(200, { 'content-type': 'text/html' }, page)), says: /a web page instead of an API/, next: /\/v1/, retryable: false },
  { what: 'a web page that does not say so', at: async (t) => await http(t, answering(200, {}, page)), says: /a web page instead of an API/, next: /\/v1/, retryable: false },
  { what: 'a web page that is not found', at: async (t) => await http(t, answering(404, { 'content-type': 'text/html' }, page)), says: /a web page instead of an API/, next: /\/v1/, retryable: false },
  { what: 'false gzip', at: async (t) => await http(t, answering(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }, 'data: {}\n\n')), says: /cannot be unpacked/, next: /proxy/, retryable: false },
  { what: 'a reset', at: async (t) => `http://127.0.0.1:${await raw(t, (socket) => { socket.once('data', () => { socket.resetAndDestroy() }) })}/v1`, says: /did not answer, or broke off/, next: /running/, retryable: true },
  { what: 'a proxy that wants a login', at: async (t) => await http(t, answering(407, {}, '')), says: /proxy on the way to Mine wants a login/, next: /HTTPS_PROXY/, retryable: false },
  { what: 'a redirect elsewhere', at: async (t) => await http(t, answering(302, { location: 'http://other.example/v1' }, '')), says: /leads to another server/, next: /set it as the base URL/, retryable: false },
  { what: 'silence', at: async (t) => await http(t, (request) => { request.resume() }), says: /did not answer/, next: /running/, retryable: true }
]

for (const { what, at, says, next, retryable } of causes) {
  t.test(what, async (t) => {
    const { error } = await hear(await at(t))
    const failure = classifyModelError(error, { provider: { displayName: 'Mine' }, modelId: 'm' })
    t.match(failure.message, says)
    t.match(`${failure.message} ${failure.hint ?? ''}`, next)
    t.equal(failure.retryable, retryable)
  })
}

t.test('a server that streams nothing is heard all the same', async (t) => {
  const completion = { id: '1', created: 1, model: 'm', choices: [{ index: 0, finish_reason: 'tool_calls', message: { role: 'assistant', content: 'Hello', tool_calls: [{ id: 'c', type: 'function', function: { name: 'look', arguments: '{}' } }] } }] }
  const heard = await hear(await http(t, answering(200, { 'content-type': 'application/json' }, JSON.stringify(completion))))
  t.match(heard, { text: 'Hello', calls: 1, error: undefined })
})

t.test('the test of a provider uses the same words', async (t) => {
  const check = async (baseUrl: string) => await checkProvider(providerAt(baseUrl), { timeoutMs: 5_000 })
  t.match(await check(await selfSigned(t)), { problem: 'tls', message: /NODE_EXTRA_CA_CERTS/ })
  t.match(await check(`http://127.0.0.1:${await freePort()}/v1`), { problem: 'refused', message: /Nothing listens at Mine's address\. Check/ })
})
