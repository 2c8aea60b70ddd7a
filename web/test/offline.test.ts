import { request as forward } from 'node:http'
import t, { type Test } from '../../test/support/harness.js'
import { until } from '../../test/support/eventually.js'
import { serving } from '../../test/support/listening.js'
import { Api } from '../src/core/service/api.js'
import { Conversation } from '../src/core/conversation/conversation.js'
import { createOfflineCopies, type OfflineCopies } from '../src/core/device/offline-copies.js'
import { type CopyStore } from '../src/core/device/copy-store.js'
import { createLogin } from '../src/core/service/login.js'
import { createUnsavedText } from '../src/core/composer/unsaved-text.js'
import { createOutbox, type Outbox } from '../src/core/conversation/outbox.js'
import { createToldOnce, type WindowPlace } from '../src/core/device/told-once.js'
import { type TextStore } from '../src/core/device/person-store.js'
import { start } from '../../test/support/app.js'
import { browserApp } from './browser-app.js'
import { testStore } from './text-store.js'

const service = await start(t)

/** What a database of the browser is to a page: it keeps copies, not the things themselves. */
function testDatabase (): CopyStore & { keys: () => string[] } {
  const values = new Map<string, unknown>()
  return {
    get: async (key) => structuredClone(values.get(key)),
    put: async (key, value) => { values.set(key, structuredClone(value)) },
    delete: async (key) => { values.delete(key) },
    clear: async () => { values.clear() },
    keys: () => [...values.keys()]
  }
}

/** A lock that all windows of a browser share. */
function testLock () {
  let last: Promise<unknown> = Promise.resolve()
  return async <Result>(act: () => Promise<Result>): Promise<Result> => {
    const next = last.then(act)
    last = next.catch(() => {})
    return await next
  }
}

interface Network { url: string, isOpen: boolean, losesAnswers: boolean }

/** The way to the service: it can be cut, and it can lose what the service answers to a message. */
async function network (t: Test): Promise<Network> {
  const way: Network = { url: '', isOpen: true, losesAnswers: false }
  const origin = await serving(t, (request, response) => {
    if (!way.isOpen) return response.destroy()
    const onward = forward(service.url + request.url!, { method: request.method, headers: request.headers }, (answer) => {
      if (way.losesAnswers && request.url === '/api/chat/start') return answer.resume().on('end', () => { response.destroy() })
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
    request.pipe(onward)
  })
  way.url = origin
  return way
}

const outboxOn = (way: Network, change: { store?: TextStore, login?: () => string, alone?: ReturnType<typeof testLock> } = {}): Outbox => createOutbox({
  api: new Api({ origin: way.url }), store: testStore(), login: () => 'me', alone: testLock(), isOpen: () => way.isOpen, isCut: () => !way.isOpen, ...change
})
const said = async (id: string): Promise<string[]> => {
  const { messages } = await service.session(id)
  return (messages as Array<{ role: string, content: string }>).filter(({ role }) => role === 'user').map(({ content }) => content)
}
/** Sends until nothing waits, as the link and the clock of a page do. */
const emptied = async (outbox: Outbox): Promise<void> => await until(async () => {
  await outbox.flush()
  return outbox.unsent.value.length === 0
})

t.test('a message that finds a turn at work joins the queue of the service, instead of waiting on this device', async (t) => {
  const way = await network(t)
  way.isOpen = false
  const id = await service.newSession()
  const outbox = outboxOn(way)
  outbox.put({ sessionId: id, text: 'Then this' })
  const stream = await service.send(id, 'run mkdir -p old && rm -r old')
  way.isOpen = true
  await outbox.flush()
  t.same(outbox.unsent.value, [])
  t.match((await service.get(`/api/session/queue?session_id=${id}`)).body, { queue: [{ message: 'Then this' }] }, 'once')
  await service.post('/api/chat/cancel', { stream_id: stream })
})

t.test('what is said without a connection waits, and is sent in its order and once, whichever window sends it', async (t) => {
  const way = await network(t)
  way.isOpen = false
  const id = await service.newSession()
  const shared = { store: testStore(), alone: testLock() }
  const [one, other] = [outboxOn(way, shared), outboxOn(way, shared)]
  for (const text of ['first', 'second', 'third']) t.ok(one.put({ sessionId: id, text }))
  await one.flush()
  other.look()
  t.same(other.unsent.value.map(({ text }) => text), ['first', 'second', 'third'])
  const taken = await other.take(other.unsent.value[1]!.id)
  t.equal(taken?.text, 'second')
  t.equal(await one.take(taken!.id), null, 'it is gone')
  way.isOpen = true
  await Promise.all([emptied(one), emptied(other)])
  t.same(await said(id), ['first', 'third'])
})

const secret = 'Only once, with sk-Ab3dEf6hIj9lMn2pQr5tUv8xYz1bCd4fGh7jKl0n'
const masked = 'Only once, with [redacted]'

t.test('a message whose answer was lost is not said twice, though a credential in it is masked; said once more on purpose, it is', async (t) => {
  const way = await network(t)
  const id = await service.newSession()
  const store = testStore()
  way.losesAnswers = true
  const outbox = outboxOn(way, { store })
  outbox.put({ sessionId: id, text: secret })
  await until(() => outbox.unsent.value[0]?.isTried === true && outbox.sending.value === null)
  t.same(await said(id), [masked], 'it had arrived')
  way.losesAnswers = false
  const later = outboxOn(way, { store })
  t.equal(later.unsent.value.length, 1, 'a reload changes nothing')
  await emptied(later)
  t.same(await said(id), [masked])
  later.put({ sessionId: id, text: secret })
  await emptied(later)
  t.same(await said(id), [masked, masked])
})

t.test('a chat can begin without a connection; what the service does not want says so and holds up only its own chat', async (t) => {
  const way = await network(t)
  way.isOpen = false
  const outbox = outboxOn(way)
  const sent: string[] = []
  outbox.onSent(({ text }, sessionId) => sent.push(text, sessionId))
  outbox.put({ sessionId: 'no-such-session', text: 'Into nowhere' })
  outbox.put({ sessionId: null, text: 'A beginning' })
  way.isOpen = true
  await until(async () => { await outbox.flush(); return sent.length > 0 })
  t.same(await said(sent[1]!), ['A beginning'])
  t.match(outbox.unsent.value, [{ text: 'Into nowhere', problem: /not found/i }])
  t.same((await outbox.take(outbox.unsent.value[0]!.id))?.text, 'Into nowhere')
  t.same(outbox.unsent.value, [])
})

async function sentAgain (t: Test, isOver: boolean): Promise<void> {
  const way = await network(t)
  const { link } = browserApp(t, service.url)
  const id = await service.newSession()
  const conversation = new Conversation({ api: new Api({ origin: way.url }), link, sessionId: id, schedule: (draw) => draw() })
  t.teardown(() => conversation.close())
  await until(() => conversation.state.value === 'ready')
  way.losesAnswers = true
  if (isOver) link.hold()
  t.equal(await conversation.send({ text: secret }), false)
  t.same(await said(id), [masked], 'it was sent twice, and has arrived')
  way.losesAnswers = false
  if (isOver) {
    // Its turn is heard of when nobody sends any more.
    await until(async () => (await service.session(id)).messages.length === 2)
    link.release()
    await until(() => conversation.running.value === null && conversation.transcript.exchanges.value[0]?.turn.state === 'completed')
  }
  t.equal(await conversation.send({ text: secret }), true)
  t.same(await said(id), [masked])
  await until(() => conversation.running.value === null && conversation.transcript.exchanges.value[0]?.turn.state === 'completed')
  t.equal(conversation.transcript.exchanges.value.length, 1)
  t.equal(await conversation.send({ text: secret }), true)
  t.same(await said(id), [masked, masked])
}

t.test('without a place to wait, a message whose answers were lost stays in the box, and counts once when it is sent again', async (t) => {
  await t.test('at once', async (t) => await sentAgain(t, false))
  await t.test('when its turn is over', async (t) => await sentAgain(t, true))
})

t.test('a conversation without a connection shows what was kept and takes messages; with one it is as ever', async (t) => {
  const way = await network(t)
  const { api: direct, link } = browserApp(t, service.url)
  const api = new Api({ origin: way.url })
  const database = testDatabase()
  const kept = (): OfflineCopies => createOfflineCopies({ store: database, login: 'me', pauseMs: 0 })
  const id = await service.newSession()
  const first = new Conversation({ api: direct, link, sessionId: id, schedule: (draw) => draw(), copies: kept() })
  await until(() => first.state.value === 'ready')
  await first.send({ text: 'Hello' })
  await until(() => first.running.value === null && first.transcript.exchanges.value[0]?.turn.state === 'completed')
  first.close()
  await until(async () => ((await kept().session(id))?.rows.length ?? 0) >= 2)

  way.isOpen = false
  const outbox = outboxOn(way)
  const second = new Conversation({ api, link, sessionId: id, schedule: (draw) => draw(), copies: kept(), outbox })
  await until(() => second.keptAtMs.value !== null)
  t.match(second.transcript.exchanges.value.map(({ turn }) => turn.user?.text), ['Hello'])
  t.equal(await second.send({ text: 'Are you there?' }), true, 'it is kept, and may leave the box')
  t.equal(second.transcript.exchanges.value.length, 1, 'it is not shown as sent')
  t.match(outbox.unsent.value, [{ sessionId: id, text: 'Are you there?' }])
  way.isOpen = true
  await emptied(outbox)
  await second.reload()
  await until(() => second.keptAtMs.value === null && second.transcript.exchanges.value.length === 2)
  t.match(second.transcript.exchanges.value.map(({ turn }) => turn.user?.text), ['Hello', 'Are you there?'])
  second.close()
})

t.test('copies are of one login, of so many chats, and go when a chat does', async (t) => {
  const database = testDatabase()
  const mine = createOfflineCopies({ store: database, login: 'me', pauseMs: 0, mostSessions: 2 })
  const ids = [await service.newSession(), await service.newSession(), await service.newSession()]
  for (const id of ids) {
    const { session } = await new Api({ origin: service.url }).get('/api/session', { session_id: id, messages: '1' })
    mine.putSession({ ...session, composer_draft: { text: 'secret', files: [] } }, [], 0)
    await until(async () => await mine.session(id) !== null)
  }
  t.equal(await mine.session(ids[0]!), null, 'the one that was looked at longest ago has given way')
  t.notOk('composer_draft' in (await mine.session(ids[2]!))!.detail)
  await mine.drop(ids[2]!)
  t.equal(await mine.session(ids[2]!), null)
  const others = createOfflineCopies({ store: database, login: 'somebody else' })
  t.equal(await others.session(ids[1]!), null)
  t.same(database.keys(), ['index'], 'nothing of the other login is left')

  const store = testStore()
  const way = { url: service.url, isOpen: false, losesAnswers: false }
  outboxOn(way, { store }).put({ sessionId: ids[0]!, text: 'mine' })
  const anothers = outboxOn(way, { store, login: () => 'somebody else' })
  t.match(anothers.unsent.value, [{ text: 'mine', isEarlier: true }])
  anothers.clear()
  t.equal(store.length, 0, 'a sign-out leaves nothing')
})

t.test('what waits outlives a change of the password, and after another sign-in it waits for the person', async (t) => {
  const way = await network(t)
  way.isOpen = false
  const [id, store, alone] = [await service.newSession(), testStore(), testLock()]
  let current = 'before'
  const login = () => current
  const [one, other] = [outboxOn(way, { store, login, alone }), outboxOn(way, { store, login, alone })]
  one.put({ sessionId: id, text: 'Typed before' })
  current = 'after'
  one.follow('before')
  other.look()
  for (const outbox of [one, other, outboxOn(way, { store, login, alone })]) t.notOk(outbox.unsent.value[0]?.isEarlier, 'the same person')
  way.isOpen = true
  await emptied(other)
  t.same(await said(id), ['Typed before'])

  way.isOpen = false
  one.put({ sessionId: id, text: 'And then signed out' })
  current = 'signed in anew'
  way.isOpen = true
  const later = outboxOn(way, { store, login, alone })
  t.match(later.unsent.value, [{ text: 'And then signed out', isEarlier: true }])
  await later.flush()
  t.same(await said(id), ['Typed before'], 'nothing is sent by itself')
  later.again(later.unsent.value[0]!.id)
  await emptied(later)
  t.same(await said(id), ['Typed before', 'And then signed out'])
})

t.test('a page of this device belongs to whoever used it last, until the service says who is there', async (t) => {
  const store = testStore()
  const online = createLogin({ token: 'abc', store })
  t.equal(online.isConfirmed.value, true)
  const offline = createLogin({ token: 'offline', store })
  t.same([offline.key, offline.isConfirmed.value], [online.key, false])
  t.equal(offline.confirm('abc'), true)
  t.equal(offline.isConfirmed.value, true)
  const another = createLogin({ token: 'offline', store })
  t.equal(another.confirm('xyz'), false)
  t.equal(another.isConfirmed.value, false)
  t.not(createLogin({ token: 'xyz', store }).key, online.key)
})

t.test('of all the windows of a browser the one in front says what has happened, once', async (t) => {
  const [store, alone] = [testStore(), testLock()]
  const said: string[] = []
  let nowMs = 1_000_000_000
  const openWindow = (name: string, first: ReturnType<WindowPlace['now']>) => {
    let place = first
    const listeners = new Set<() => void>()
    const tell = createToldOnce({
      store, alone, yieldMs: 20, nowMs: () => nowMs,
      place: { now: () => place, onChange: (listener) => { listeners.add(listener); return () => listeners.delete(listener) } }
    })
    return {
      tell: (key: string, atMs = nowMs) => tell(key, atMs, () => said.push(`${name}: ${key}`)),
      becomes: (next: typeof place) => {
        place = next
        for (const listener of [...listeners]) listener()
      }
    }
  }
  const [front, visible, hidden, other] = [openWindow('front', 'front'), openWindow('visible', 'visible'), openWindow('hidden', 'hidden'), openWindow('other', 'hidden')]
  const waiting = [hidden.tell('one'), other.tell('one')]
  await Promise.all([visible.tell('one'), front.tell('one')])
  await front.tell('one')
  t.same(said, ['front: one'], 'also when it is heard twice')

  front.becomes('hidden')
  const later = [front.tell('two'), hidden.tell('two')]
  await visible.tell('two')
  t.same(said.at(-1), 'visible: two')

  visible.becomes('hidden')
  const news = [visible.tell('three'), hidden.tell('three'), other.tell('three')]
  t.equal(said.length, 2, 'nobody looks')
  other.becomes('front')
  await news[2]
  nowMs += 16 * 60_000
  const old = hidden.tell('four', nowMs - 16 * 60_000)
  for (const one of [hidden, visible, front]) one.becomes('visible')
  await Promise.all([...waiting, ...later, ...news, old])
  t.same(said, ['front: one', 'visible: two', 'other: three'], 'and none of it again, nor what is old by then')
  store.setItem('told', '{')
  await front.tell('five')
  t.equal(said.at(-1), 'front: five')
})

t.test('a page of this device changes nothing before the service has said who is there', async (t) => {
  const seen: string[] = []
  const origin = await serving(t, (request, response) => {
    seen.push(`${request.method} ${request.url} ${String(request.headers['x-svc-csrf-token'])}`)
    response.setHeader('content-type', 'application/json').end(request.url === '/api/auth/status' ? '{"csrf_token":"abc"}' : '{"ok":true}')
  })
  let token = ''
  const api: Api = new Api({
    origin,
    get csrfToken () { return token },
    beforeChange: () => token === '' ? api.get('/api/auth/status').then((status) => { token = status.csrf_token }) : undefined
  })
  await api.post('/api/settings', { onboarding_completed: true })
  await api.change('delete', '/api/mcp/servers/{name}', { name: 'a' })
  t.same(seen, ['GET /api/auth/status undefined', 'POST /api/settings abc', 'DELETE /api/mcp/servers/a abc'])
})

t.test('what is half typed is known until it is saved or given up', async (t) => {
  const typed = createUnsavedText()
  const field = { value: 'as it was', isConnected: true }
  typed.begin(field)
  t.equal(typed.isAny(), false, 'only looked at')
  field.value = 'something new'
  typed.begin(field)
  t.equal(typed.isAny(), true, 'also after the person has been elsewhere')
  field.isConnected = false
  t.equal(typed.isAny(), false, 'its dialog has closed')
})
