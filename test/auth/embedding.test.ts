import t from '#test'
import { eventually, startChat } from '../support/chat.js'
import { start, type RegisteredRoute } from '../support/app.js'

/** Routes that pages may embed. Anyone who writes a text can make a browser request these. */
const embedded = ['GET /api/file/raw', 'GET /api/media', 'GET /docs/*', 'GET /help/*', 'GET /manifest.json', 'GET /static/*', 'GET /static/app/*', 'GET /static/frame', 'GET /sw.js']
/** Routes with an effect or a cost: `opened`: a person may also open the address. */
const effects = ['/api/auth/oidc/login opened', '/api/background/status', '/api/chat/cancel', '/api/chat/stream', '/api/diagnostics', '/api/diagnostics/stream', '/api/folder/download opened', '/api/mcp/prompts', '/api/models/live', '/api/skills/export opened', '/api/tts/stream']
const parts = ['audio', 'audioworklet', 'embed', 'fencedframe', 'font', 'frame', 'iframe', 'image', 'json', 'manifest', 'object', 'paintworklet', 'report', 'script', 'serviceworker', 'sharedworker', 'style', 'track',
  'video', 'webidentity', 'worker', 'xslt', 'something-new']
const isReading = ({ method }: RegisteredRoute): boolean => method === 'GET' || method === 'HEAD'
const page = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'no-cors' }
const refusal = /Refused: this address/

function addressOf ({ url, query }: RegisteredRoute, known: Record<string, string>): string {
  const search = new URLSearchParams(query.map((name): [string, string] => [name, known[name] ?? '1']))
  return `${url.replaceAll(/:\w+|\*/g, 'x')}?${search}`
}

t.test('a page gets nothing embedded but what is there for that', async (t) => {
  const s = await start(t)
  const open: string[] = []
  for (const route of s.routes.filter(isReading)) {
    // The kind of embedding makes no difference to the route.
    for (const part of route.url === '/api/chat/cancel' ? parts : ['image', 'iframe']) {
      const response = await fetch(s.url + addressOf(route, {}), { method: route.method, redirect: 'manual', headers: { ...page, 'sec-fetch-dest': part } })
      if (route.method === 'HEAD' ? response.status !== 403 : !refusal.test(response.status === 403 ? await response.text() : '')) open.push(`${route.method} ${route.url}`)
      await response.body?.cancel().catch(() => {})
    }
  }
  t.same([...new Set(open)].filter((route) => route.startsWith('GET ')).toSorted(), embedded)
  t.same([...new Set(open)].filter((route) => !embedded.includes(route.replace('HEAD', 'GET'))), [])
})

t.test('what has an effect is not had by a link, and what is downloaded is', async (t) => {
  const s = await start(t)
  const routes = s.routes.filter((route) => isReading(route) && route.changes !== undefined && route.method === 'GET')
  t.same(routes.map(({ url, changes }) => changes === true ? url : `${url} ${changes}`).toSorted(), effects)
  for (const route of routes) {
    const asked = async (headers: Record<string, string>): Promise<boolean> => refusal.test((await s.get(addressOf(route, {}), headers)).text)
    t.equal(await asked({ ...page, 'sec-fetch-dest': 'document' }), route.changes === true, route.url)
    t.equal(await asked({ ...page, 'sec-fetch-dest': 'empty' }), false, 'the code of the page may')
    t.equal(await asked({ 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' }), false, 'and whoever types the address')
    t.equal(await asked({}), false, 'and a program')
  }
})

t.test('a GET that writes is marked', async (t) => {
  const s = await startChat(t)
  const id = await s.newSession()
  const { streamId } = await s.turn(id, 'Hello', s.model([{ text: 'Hi.' }]))
  await s.post('/api/background', { session_id: id, prompt: 'Beside' })
  await eventually('the task to end', () => s.app.db.sqlite.prepare("select 1 from background_tasks where state = 'done'").get() !== undefined)
  await eventually('quiet', () => s.app.chat.activeTurns() === 0)
  const changes = s.app.db.sqlite.prepare('select total_changes()').pluck()
  const writing: string[] = []
  for (const route of s.routes.filter((route) => route.method === 'GET' && !route.url.startsWith('/docs') && !/oauth|oidc/.test(route.url))) {
    const before = changes.get()
    const over = new AbortController()
    const response = await fetch(s.url + addressOf(route, { session_id: id, stream_id: streamId, path: '.', after_event_id: '' }), { redirect: 'manual', signal: over.signal })
    if (response.headers.get('content-type')?.startsWith('text/event-stream') === true) over.abort()
    else await response.arrayBuffer()
    if (changes.get() !== before) writing.push(route.url)
  }
  t.same(writing.filter((url) => s.routes.some((route) => route.url === url && route.method === 'GET' && route.changes === undefined)), [])
  t.ok(writing.includes('/api/background/status'), 'one that writes is seen')
})
