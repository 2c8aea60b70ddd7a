import t from '#test'
import { start } from '../support/app.js'

/** All public routes. A route that is added here gives something away. */
const publicRoutes = [
  'GET /api/auth/oidc/callback', 'GET /api/auth/oidc/login', 'GET /api/auth/status', 'GET /api/mcp/oauth/client.json', 'GET /health', 'GET /livez', 'GET /login', 'GET /pair', 'GET /readyz', 'GET /share/:token', 'GET /static/*', 'GET /static/app/*', 'GET /static/frame',
  'HEAD /api/auth/status', 'HEAD /health', 'HEAD /livez', 'HEAD /login', 'HEAD /pair', 'HEAD /readyz', 'HEAD /static/*', 'HEAD /static/app/*', 'HEAD /static/frame',
  'POST /api/auth/login', 'POST /api/auth/pair', 'POST /api/auth/passkey/login', 'POST /api/auth/passkey/options',
  'POST /api/hooks/:id', 'POST /login'
]

t.test('every route asks who is there, but for those that say otherwise', async (t) => {
  const service = await start(t, { env: { SVC_WEBUI_PASSWORD: 'correct horse' } })
  const open: string[] = []
  for (const { method, url } of service.routes) {
    const path = url.replaceAll(/:[a-z]+/g, 'x').replace('*', 'x')
    const response = await fetch(service.url + path, { method, redirect: 'manual', ...(method === 'POST' ? { headers: { 'content-type': 'application/json' }, body: '{"text":"x"}' } : {}) })
    if (response.status !== 401) open.push(`${method} ${url}`)
    await response.body?.cancel()
  }
  t.ok(service.routes.length > 150)
  t.same(open.toSorted(), publicRoutes)
})

t.test('a route that says nothing is guarded, and one that changes something asks browsers for the token', async (t) => {
  const service = await start(t, { env: { SVC_WEBUI_PASSWORD: 'correct horse' } })
  const browser = { origin: service.url, 'sec-fetch-site': 'same-origin' }
  const signedIn = await service.post('/api/auth/login', { password: 'correct horse' }, browser)
  const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!
  const without = []
  for (const { method, url, scope } of service.routes) {
    // Console routes refuse every browser, whatever it sends.
    if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS' || scope === 'console') continue
    const answer = await service.post(url, {}, { ...browser, cookie })
    if (answer.status !== 403 || !/session of this page has expired/.test(answer.text)) without.push(`${method} ${url}`)
  }
  t.same(without.toSorted(), ['POST /api/auth/login', 'POST /api/auth/pair', 'POST /api/auth/passkey/login', 'POST /api/auth/passkey/options', 'POST /api/hooks/:id', 'POST /login',
    'POST /take-shared'])
})
