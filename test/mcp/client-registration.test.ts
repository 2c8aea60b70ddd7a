import t from '#test'
import { clientFor } from '../../services/areas/mcp/client-registration.js'
import { start } from '../support/app.js'

const issuer = 'https://issuer.example'
const metadata = {
  issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token`, registration_endpoint: `${issuer}/register`, response_types_supported: ['code'],
  client_id_metadata_document_supported: true
}
const oauth = { clientId: null, clientSecret: null, scope: null, issuer: null }

t.test('the service is known by its document where that can be read, as it was registered by hand before that, and registers itself otherwise', async (t) => {
  const registered: Array<{ redirect_uris: string[], application_type: string }> = []
  const fetchFn = async (_: string | URL, init?: RequestInit): Promise<Response> => {
    registered.push(JSON.parse(String(init?.body)))
    return Response.json({ client_id: 'given', redirect_uris: registered.at(-1)!.redirect_uris }, { status: 201 })
  }
  const as = async (redirectUri: string, more: object = {}, known: { clientId: string | null } & Omit<typeof oauth, 'clientId'> = oauth) => (await clientFor({ metadata: { ...metadata, ...more }, oauth: known, redirectUri, scope: {}, fetchFn })).client_id
  const outside = 'https://8.8.8.8/api/mcp/oauth/callback'
  t.equal(await as(outside), 'https://8.8.8.8/api/mcp/oauth/client.json')
  t.equal(await as(outside, {}, { ...oauth, clientId: 'by-hand' }), 'by-hand')
  t.same(registered, [])
  for (const redirectUri of ['https://10.0.0.5/api/mcp/oauth/callback', 'http://8.8.8.8/api/mcp/oauth/callback', 'https://box.local/api/mcp/oauth/callback']) t.equal(await as(redirectUri), 'given', redirectUri)
  t.equal(await as(outside, { client_id_metadata_document_supported: false }), 'given')
  t.match(registered, [{ application_type: 'web' }, { application_type: 'native', redirect_uris: ['http://8.8.8.8/api/mcp/oauth/callback'] }, {}, {}])
  await t.rejects(as('http://127.0.0.1/api/mcp/oauth/callback', { registration_endpoint: undefined }), /set "oauth.client_id"/)
})

t.test('its document is public, and says what it is reached by', async (t) => {
  const service = await start(t, { env: { SVC_WEBUI_PASSWORD: 'correct horse', SVC_WEBUI_TRUSTED_PROXIES: '127.0.0.1' } })
  const path = '/api/mcp/oauth/client.json'
  const at = async (host: string, proto = 'https') => await service.get(path, { 'x-forwarded-host': host, 'x-forwarded-proto': proto })
  t.match(await at('agent.example.org'), { status: 200, body: { client_id: `https://agent.example.org${path}`, redirect_uris: ['https://agent.example.org/api/mcp/oauth/callback'], token_endpoint_auth_method: 'none' } })
  for (const [host, proto] of [['agent.example.org', 'http'], ['box.local', 'https']] as const) t.equal((await at(host, proto)).status, 404, `${proto} ${host}`)
  t.equal((await at('[:')).status < 500, true)
})
