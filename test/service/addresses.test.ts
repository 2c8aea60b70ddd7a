import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import t from '#test'
import { OidcProvider } from '../../services/areas/auth/oidc-provider.js'
import { systemClock } from '../../services/ground/time/clock.js'
import { postOutside } from '../../services/ground/network/outgoing.js'
import { createGuardedFetch } from '../../services/providers/index.js'
import { startChat } from '../support/chat.js'
import { CookieBrowser } from '../support/identity-provider.js'
import { listening } from '../support/listening.js'
import { startGuardedServer } from '../support/mcp/guarded-server.js'
import { startWith } from '../support/mcp/servers.js'
import { nameLeadsTo } from '../support/names.js'
import { browserAt } from '../support/push-service.js'

const [metadata, own, internet] = ['169.254.169.254.wildcard.example', '127.0.0.1.wildcard.example', 'models.wildcard.example'] as const
nameLeadsTo(metadata, '169.254.169.254')
nameLeadsTo(own, '127.0.0.1')
nameLeadsTo(internet, '8.8.8.8')

const isNone = /must not be a link-local or metadata address/
const send = async (url: string, method: string, body: unknown): Promise<{ status: number, error: string }> => {
  const response = await fetch(url, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  return { status: response.status, error: String((await response.json() as { error?: unknown }).error) }
}

t.test('no address that is kept may lead to where clouds keep credentials, whatever its name; private networks are the operator\'s', async (t) => {
  const service = await startChat(t)
  const at = (host: string): Array<[method: string, path: string, body: Record<string, unknown>]> => [
    ['POST', '/api/profile/create', { name: `p${host.replace(/\W/g, '')}`.slice(0, 30), base_url: `http://${host}:9/v1`, default_model: 'm', model_provider: 'custom' }],
    ['POST', '/api/default-model', { model: 'm', provider: 'custom', advanced: { base_url: `http://${host}:9/v1` } }],
    ['POST', '/api/model/set', { scope: 'auxiliary', task: 'title_generation', model: 'm', provider: 'custom', advanced: { base_url: `http://${host}:9/v1` } }],
    ['POST', '/api/providers/self-hosted', { provider: 'ollama', model: 'm', base_url: `http://${host}:9/v1` }],
    ['POST', '/api/providers/custom', { name: 'mine', base_url: `http://${host}:9/v1` }],
    ['PUT', '/api/mcp/servers/web', { url: `http://${host}:9/mcp` }],
    ['PUT', '/api/mcp/servers/issued', { url: 'http://127.0.0.1:9/mcp', oauth: { issuer: `https://${host}:9` } }],
    ['PATCH', '/api/mcp/servers/web', { oauth: { issuer: `https://${host}:9` } }]
  ]
  for (const [method, path, body] of at(own)) t.equal((await send(service.url + path, method, body)).status, 200, `${path} ${own}`)
  for (const host of [metadata, '169.254.169.254', '[::ffff:a9fe:a9fe]']) {
    for (const [method, path, body] of at(host)) t.match(await send(service.url + path, method, body), { status: 400, error: isNone }, `${path} ${host}`)
  }
})

t.test('webhooks and browsers that are told are none of this machine or network, whatever their names', async (t) => {
  const service = await startChat(t, { env: { SVC_WEBUI_PUSH_CONTACT: 'https://chat.example.org' } })
  const job = (host: string) => ({ prompt: 'Report', schedule: '1d', deliver: `webhook:https://${host}/hook` })
  for (const host of [own, metadata]) {
    t.match(await service.post('/api/crons/create', job(host)), { status: 400, body: { error: /SVC_WEBUI_WEBHOOK_PRIVATE=1/ } }, host)
    t.match(await service.post('/api/push/subscriptions', browserAt(`https://${host}/x`).subscription), { status: 400, body: { error: /SVC_WEBUI_WEBHOOK_PRIVATE=1/ } }, host)
  }
  t.equal((await service.post('/api/push/subscriptions', browserAt(`https://${internet}/x`).subscription)).status, 200)
  const made = await service.post('/api/crons/create', job(internet))
  t.equal(made.status, 200)
  t.match(await service.post('/api/crons/update', { job_id: made.body.job.id, deliver: `webhook:https://${own}/hook` }), { status: 400, body: { error: /SVC_WEBUI_WEBHOOK_PRIVATE=1/ } })
  const permitted = await startChat(t, { env: { SVC_WEBUI_WEBHOOK_PRIVATE: '1', SVC_WEBUI_PUSH_CONTACT: 'https://chat.example.org' } })
  t.equal((await permitted.post('/api/crons/create', job(own))).status, 200)
  t.equal((await permitted.post('/api/push/subscriptions', browserAt(`https://${own}/x`).subscription)).status, 200)
})

t.test('a name that leads elsewhere a moment later is judged where it is connected to', async (t) => {
  let asked = 0
  const port = await listening(t, createServer((_, response) => { asked++; response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end() }))
  nameLeadsTo('moved.wildcard.example', '127.0.0.1')
  const outside = { body: '{}', headers: {}, isPrivateAllowed: false, signal: new AbortController().signal }
  t.match(await postOutside(new URL(`http://moved.wildcard.example:${port}/`), outside), { isPrivate: true })
  t.equal(asked, 0)
  for (const host of ['127.0.0.1', 'localhost', own]) {
    const refused = await createGuardedFetch()(`http://${host}:${port}/`).then(() => null, (error: Error) => error.cause)
    t.match(refused, { code: 'ERR_ADDRESS_REFUSED' }, `${host}: a redirect is followed no further`)
  }
  t.equal(asked, 3)
  const provider = new OidcProvider({ issuer: `https://${metadata}`, clientId: 'x', clientSecret: null, clock: systemClock, limitMs: 1_000 })
  await t.rejects(provider.configuration(), { message: /ERR_ADDRESS_REFUSED/ })
})

t.test('what a server says of signing in leads to no private network by a name either, and what would is not kept', async (t) => {
  const guarded = await startGuardedServer(t)
  const service = await startWith(t, { mcp_servers: { web: { url: guarded.url, oauth: { issuer: guarded.issuer } } } })
  const begin = async (more: Record<string, unknown>) => {
    guarded.intercept = (request, response, who) => {
      if (who !== 'issuer' || !request.url!.includes('/.well-known/')) return false
      const { issuer } = guarded
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({
        issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token`, registration_endpoint: `${issuer}/reg`, response_types_supported: ['code'], code_challenge_methods_supported: ['S256'], ...more
      }))
      return true
    }
    return await service.post('/api/mcp/servers/web/sign-in')
  }
  t.match(await begin({ authorization_endpoint: `https://${own}/authorize` }), { status: 502, body: { error: /has an address that is not to be reached/ } })
  t.match(await begin({ authorization_endpoint: `https://${metadata}/authorize` }), { status: 502, body: { error: /has an address that is not to be reached/ } })
  t.equal((await begin({ authorization_endpoint: `https://${internet}/authorize` })).status, 200)
  const begun = await begin({ revocation_endpoint: `https://${own}/token/revocation` })
  t.equal(begun.status, 200, 'the operator has named the issuer')
  const { url: back } = await new CookieBrowser().visit(begun.body.url, (address) => address.startsWith(service.url))
  t.equal((await service.get(back.slice(service.url.length), { cookie: begun.headers.getSetCookie()[0]!.split(';')[0]! })).status, 200)
  const folder = join(service.home, 'webui_state', 'mcp')
  const kept = readdirSync(folder).filter((name) => name.startsWith('oauth-')).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Record<string, unknown>)
  t.match(kept, [{ tokenEndpoint: `${guarded.issuer}/token`, revocationEndpoint: null }])
})
