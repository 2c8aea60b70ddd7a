import t from '#test'
import { start } from '../support/app.js'

t.test('the service serves the documentation, with its policy, to be asked again', async (t) => {
  const { get, url } = await start(t)
  const moved = await fetch(`${url}/help`, { redirect: 'manual' })
  t.match([moved.status, moved.headers.get('location')], [302, '/help/index.html'])
  const page = await get('/help/troubleshooting.html')
  t.equal(page.status, 200)
  t.match(page.headers.get('content-type'), /^text\/html/)
  t.match(page.headers.get('content-security-policy'), /default-src 'none'/)
  t.equal(page.headers.get('cache-control'), 'no-cache')
  t.match(page.text, /<tr id="active_stream">/)
  t.ok(page.headers.has('etag'))
  t.match((await get('/help/troubleshooting.md')).headers.get('content-type'), /^text\/markdown/)
  t.match((await get('/help/llms.txt')).text, /\(troubleshooting\.md\)/)
  for (const path of ['/help/none.html', '/help/../package.json', '/help/%2e%2e/built/.stamp', '/help/.stamp']) t.equal((await get(path)).status, 404, path)
})

t.test('a stranger is told nothing of it, and a token that may read is', async (t) => {
  const { get, post } = await start(t, { env: { SVC_WEBUI_PASSWORD: 'correct horse' } })
  t.equal((await get('/help/index.html')).status, 401)
  t.equal((await get('/help/llms.txt')).status, 401)
  const signedIn = await post('/api/auth/login', { password: 'correct horse' })
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
  const { body } = await post('/api/auth/tokens/create', { name: 'reader', scope: 'read' }, { cookie })
  t.equal((await get('/help/llms.txt', { authorization: `Bearer ${String(body.token)}` })).status, 200)
})
