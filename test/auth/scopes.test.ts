import t, { type Test } from '#test'
import { type Clock } from '../../services/ground/time/clock.js'
import { start, type RegisteredRoute, type TestService } from '../support/app.js'

const scopes = ['read', 'chat', 'approve', 'admin'] as const
const names = [...scopes, 'person', 'console']

/** Starts a service behind a password, and returns the headers of a token of each scope. */
async function withTokens (t: Test, clock?: Clock) {
  const service = await start(t, { clock, env: { SVC_WEBUI_PASSWORD: 'correct horse', SVC_WEBUI_PASSKEY: '1' } })
  const signedIn = await service.post('/api/auth/login', { password: 'correct horse' })
  const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!
  const headers = new Map<string, Record<string, string>>()
  for (const scope of scopes) {
    const made = await service.post('/api/auth/tokens/create', { name: scope, scope }, { cookie })
    headers.set(scope, { authorization: `Bearer ${made.body.token as string}` })
  }
  return { service, cookie, of: (scope: string) => headers.get(scope)! }
}

const guarded = (service: TestService): RegisteredRoute[] => service.routes.filter(({ isPublic }) => !isPublic)
const pathOf = (url: string): string => url.replaceAll(/:[a-z]+/g, 'x').replace('*', 'json')

/** Returns the answer without waiting for the end of a stream. */
async function ask (service: TestService, { method, url }: RegisteredRoute, headers: Record<string, string>, init: RequestInit = {}): Promise<{ status: number, type: string, body: () => Promise<any> }> { // eslint-disable-line @typescript-eslint/no-explicit-any -- what the wire carries is what a test looks into
  const stop = new AbortController()
  const response = await fetch(service.url + pathOf(url), { method, redirect: 'manual', signal: stop.signal, headers, ...init })
  const type = response.headers.get('content-type') ?? ''
  if (type.startsWith('text/event-stream')) stop.abort()
  const text = type.startsWith('text/event-stream') ? '' : await response.text()
  return { status: response.status, type, body: async () => JSON.parse(text) }
}

t.test('every route that is not public says what a token needs for it', async (t) => {
  const { service } = await withTokens(t)
  const silent = guarded(service).filter(({ scope }) => !names.includes(scope ?? '')).map(({ method, url }) => `${method} ${url}`)
  t.same(silent, [])
  t.ok(guarded(service).length > 180)
})

t.test('a token of each lower scope is refused by every route, before anything of the request is read', async (t) => {
  const { service, of } = await withTokens(t)
  let refused = 0
  for (const route of guarded(service)) {
    for (const scope of scopes.slice(0, names.indexOf(route.scope!))) {
      // With a body that no route could accept: a sender without permission is told that first. A form, for uploads, is not even read.
      const init = route.method === 'GET' || route.method === 'HEAD' ? {} : { body: '{' }
      const answer = await ask(service, route, { ...of(scope), 'content-type': /upload|transcribe/.test(route.url) ? 'multipart/form-data; boundary=x' : 'application/json' }, init)
      refused++
      if (answer.status !== 403) t.fail(`${route.method} ${route.url} answers ${answer.status} to a token that may ${scope}`)
      else if (route.method !== 'HEAD') {
        const body = await answer.body()
        // Clients of OpenAI get it in OpenAI's format.
        const { error, ...more } = route.url.startsWith('/v1/') ? { error: body.error.message, code: body.error.code, scope, needed_scope: route.scope } : body
        if (typeof error !== 'string' || error === '' || JSON.stringify(more) !== JSON.stringify({ code: 'scope_too_narrow', scope, needed_scope: route.scope })) t.fail(`${route.method} ${route.url}: ${JSON.stringify(more)}`)
      }
    }
  }
  t.ok(refused > 200, `${refused} requests`)
})

t.test('a token of the scope that a route asks for is not refused for its scope', async (t) => {
  const { service, of } = await withTokens(t)
  for (const route of guarded(service)) {
    if (route.scope === 'person' || route.scope === 'console') continue
    const init = route.method === 'GET' || route.method === 'HEAD' ? {} : { body: '{' }
    const answer = await ask(service, route, { ...of(route.scope!), 'content-type': 'application/json' }, init)
    if (answer.status === 401 || (answer.status === 403 && route.method !== 'HEAD' && (await answer.body()).code === 'scope_too_narrow')) t.fail(`${route.method} ${route.url} answers ${answer.status}`)
  }
  t.pass()
})

t.test('what may be read with a token changes nothing in the database, but that an export is in the audit log', async (t) => {
  // The use of a token is recorded once a minute, which may pass here.
  const now = Date.now()
  const { service, of } = await withTokens(t, { now: () => now, monotonic: () => performance.now() })
  const { session_id: id } = (await service.post('/api/session/new', {}, of('chat'))).body.session
  const turn = await service.post('/api/chat/start', { session_id: id, message: 'hello' }, of('chat'))
  await (await service.events(`/api/chat/stream?stream_id=${turn.body.stream_id as string}`, of('chat'))).ended
  const query = `?session_id=${id as string}&path=.&stream_id=${turn.body.stream_id as string}&q=x&job_id=x&filename=x&name=x&id=x`
  const changes = service.app.db.sqlite.prepare<[], number>('select total_changes()').pluck()
  // The first use is recorded, and some areas fetch something once that they cache.
  await service.get('/api/sessions', of('read'))
  const routes = guarded(service).filter(({ scope, method, isAudited }) => scope === 'read' && method === 'GET' && !isAudited)
  for (const route of routes) await ask(service, { ...route, url: route.url + query }, of('read'))
  for (const route of routes) {
    const before = changes.get()!
    await ask(service, { ...route, url: route.url + query }, of('read'))
    if (changes.get() !== before) t.fail(`GET ${route.url} has changed something`)
  }
  t.ok(routes.length > 60)
})

t.test('HEAD asks for what GET does, OPTIONS tells nothing, and no spelling of a path or method gets past', async (t) => {
  const { service, of } = await withTokens(t)
  for (const { url, scope } of guarded(service).filter(({ method }) => method === 'HEAD')) {
    t.equal(guarded(service).find((route) => route.method === 'GET' && route.url === url)?.scope, scope, url)
  }
  for (const path of ['/api/settings', '/api/chat/start', '/v1/nothing']) {
    const preflight = await fetch(service.url + path, { method: 'OPTIONS', headers: of('read') })
    t.equal(preflight.status, 204)
    t.equal(await preflight.text(), '')
  }
  for (const path of ['/api/chat/start/', '//api/chat/start', '/api/chat/%73tart', '/API/chat/start', '/api/chat/start?x', '/api/./chat/start']) {
    const answer = await service.post(path, { session_id: 'x', message: 'hello' }, of('read'))
    t.ok(answer.status === 403 || answer.status === 404, `${path} answers ${answer.status}`)
  }
  // A header that names another method has no effect.
  t.equal((await service.post('/api/settings', { bot_name: 'x' }, { ...of('read'), 'x-http-method-override': 'GET' })).status, 403)
  t.match(await service.get('/api/nothing', of('read')), { status: 404 })
})

t.test('nothing of an upload is kept that a token may not send', async (t) => {
  const { service, of } = await withTokens(t)
  const { session_id: id } = (await service.post('/api/session/new', {}, of('chat'))).body.session
  const form = (): FormData => {
    const fields = new FormData()
    fields.set('session_id', id)
    fields.set('path', '.')
    fields.set('file', new Blob([Buffer.alloc(2 * 1024 * 1024, 'x')]), 'large.txt')
    return fields
  }
  for (const [scope, path] of [['read', '/api/upload'], ['chat', '/api/workspace/upload'], ['chat', '/api/upload/extract']] as const) {
    const answer = await fetch(service.url + path, { method: 'POST', headers: of(scope), body: form() })
    t.equal(answer.status, 403, path)
    t.match(await answer.json(), { code: 'scope_too_narrow' })
  }
  t.same((await service.get(`/api/list?session_id=${id as string}&path=.`, of('read'))).body.entries, [])
  t.equal((await fetch(`${service.url}/api/workspace/upload`, { method: 'POST', headers: of('approve'), body: form() })).status, 200)
})
