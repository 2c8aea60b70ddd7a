import { hash } from 'node:crypto'
import t from '#test'
import { type Json } from '../support/app.js'
import { eventually, gate, held, startChat, type ChatService } from '../support/chat.js'
import { browserAt, startPushService, vapidClaims, type Browser } from '../support/push-service.js'
import { createContact, publicPage } from '../../services/areas/push/contact.js'

const hub = await startPushService(t)
let nowMs = Date.parse('2026-06-01T10:00:00Z')
const clock = { now: () => nowMs }
const service = await startChat(t, { clock, env: { SVC_WEBUI_WEBHOOK_PRIVATE: '1', SVC_WEBUI_PUSH_CONTACT: 'mailto:me@example.org' } })
const remove = async (body: Json, to: ChatService = service): Promise<{ status: number, body: Json }> => {
  const response = await fetch(`${to.url}/api/push/subscriptions`, { method: 'DELETE', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  return { status: response.status, body: await response.json() }
}
const subscribe = async (browser: Browser, preferences?: Json): Promise<Json> => (await service.post('/api/push/subscriptions', { ...browser.subscription, ...(preferences && { preferences }) })).body.subscription
const listed = async (): Promise<Json[]> => (await service.get('/api/push')).body.subscriptions
const sentTo = (name: string) => hub.received.filter(({ path }) => path === `/send/${name}`)
const ask = { tool: 'clarify', args: { question: 'Which one?', choices: ['a', 'b'] } }
const none = { approvals: false, questions: false, finished_turns: false, finished_jobs: false }
/** Lets time pass, and makes the service check its clock. */
const pass = (ms: number): void => {
  nowMs += ms
  service.app.push.look()
}

t.test('a browser subscribes, is listed without what could be misused, changes its wishes, and goes', async (t) => {
  const { body: status } = await service.get('/api/push')
  t.match(status, { available: true, reason: null, limit: 20, subscriptions: [] })
  t.equal(Buffer.from(status.public_key, 'base64url').length, 65)
  const browser = hub.browser('first')
  const { endpoint } = browser.subscription
  const made = await subscribe(browser)
  t.match(made, { id: hash('sha256', endpoint).slice(0, 32), service: '127.0.0.1', preferences: { approvals: true, questions: true, finished_turns: true, finished_jobs: true }, created_at: nowMs / 1000, last_sent_at: null, last_error: null })
  t.match((await subscribe(browser, { questions: false, finished_jobs: null })).preferences, { approvals: true, questions: false, finished_turns: true, finished_jobs: true })
  t.match((await subscribe(browser)).preferences, { questions: false }, 'what is left unsaid stays')
  const answer = await service.get('/api/push')
  t.equal(answer.body.subscriptions.length, 1)
  for (const secret of [endpoint, '/send/first', browser.subscription.keys.auth, browser.subscription.keys.p256dh]) t.notMatch(answer.text, secret)
  t.same(await remove({ endpoint }), { status: 200, body: { ok: true, id: made.id } })
  t.match(await remove({ id: made.id }), { status: 404, body: { error: 'Subscription not found' } })
  t.same(await listed(), [])
})

t.test('what is refused', async (t) => {
  const { subscription } = hub.browser('x')
  const refused = async (more: Json, error: RegExp) => t.match(await service.post('/api/push/subscriptions', { ...subscription, ...more }), { status: 400, body: { error } }, JSON.stringify(more).slice(0, 80))
  await refused({ endpoint: 5 }, /endpoint/)
  await refused({ endpoint: 'nothing' }, /^endpoint/)
  await refused({ endpoint: 'http://push.example.org/x' }, /https/)
  await refused({ endpoint: 'ftp://push.example.org/x' }, /https/)
  await refused({ endpoint: 'https://me:pw@push.example.org/x' }, /user name/)
  await refused({ endpoint: `https://push.example.org/${'x'.repeat(2_000)}` }, /endpoint/)
  await refused({ keys: { ...subscription.keys, auth: 'c2hvcnQ' } }, /keys\.auth/)
  await refused({ keys: { ...subscription.keys, p256dh: 'A'.repeat(87) } }, /keys\.p256dh/)
  await refused({ keys: { ...subscription.keys, p256dh: Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 1)]).toString('base64url') } }, /keys\.p256dh/)
  await refused({ keys: {} }, /keys/)
  await refused({ preferences: { approvals: 'yes' } }, /preferences/)
  t.match(await remove({}), { status: 400, body: { error: /endpoint or id/ } })
  t.match(await remove({ id: 'x'.repeat(65) }), { status: 400 })
  const guarded = await startChat(t, { env: { SVC_WEBUI_PUSH_CONTACT: 'https://chat.example.org' } })
  for (const host of ['localhost', '127.0.0.1', '10.0.0.1', '[::1]', '169.254.169.254', '2130706433']) {
    t.match(await guarded.post('/api/push/subscriptions', { ...subscription, endpoint: `https://${host}/x` }), { status: 400, body: { error: /SVC_WEBUI_WEBHOOK_PRIVATE=1/ } }, host)
  }
  t.match(await guarded.post('/api/push/subscriptions', { ...subscription, endpoint: 'http://127.0.0.1/x' }), { status: 400, body: { error: /https/ } })
  for (let count = 0; count < 20; count++) t.equal((await guarded.post('/api/push/subscriptions', browserAt(`https://push.example.org/${count}`).subscription)).status, 200)
  t.match(await guarded.post('/api/push/subscriptions', browserAt('https://push.example.org/more').subscription), { status: 400, body: { error: /At most 20 browsers/ } })
  t.same(await listed(), [])
})

t.test('push services are told whom to turn to: nobody that is made up', async (t) => {
  t.equal(publicPage('https://chat.example.org:8443/x'), 'https://chat.example.org:8443')
  for (const page of ['http://chat.example.org', 'https://localhost', 'https://host', 'https://host.local', 'https://10.0.0.1', 'https://[::1]', 'https://a.invalid', 'null', '']) t.equal(publicPage(page), null, page)
  const nameless = await startChat(t)
  t.match((await nameless.get('/api/push')).body, { available: false, reason: /SVC_WEBUI_PUSH_CONTACT/, reason_code: 'no_contact' })
  const { subscription } = browserAt('https://push.example.org/x')
  t.match(await nameless.post('/api/push/subscriptions', subscription), { status: 503, body: { error: /SVC_WEBUI_PUSH_CONTACT/ } })
  const contact = createContact({ db: nameless.app.db, clock, configured: null })
  await nameless.app.db.durably(() => { t.equal(contact.learn(null), false); t.equal(contact.learn('https://chat.example.org'), true) })
  t.match((await nameless.get('/api/push')).body, { available: true, reason: null, reason_code: null })
  t.match(await nameless.post('/api/push/subscriptions', subscription), { status: 200 })
  t.match(nameless.app.swagger(), { components: { schemas: { PushPayload: { type: 'object' } } } }, 'clients can read what a browser is sent')
})

t.test('a question rings at once where nobody looks, with enough to open its card and nothing of what was said', async (t) => {
  const browser = hub.browser('asked')
  await subscribe(browser, { ...none, questions: true })
  const session = await service.newSession()
  await service.post('/api/session/rename', { session_id: session, title: 'Deploy with password: hunter2horse' })
  const streamId = await service.send(session, 'Go', { model: service.model([ask], [{ text: 'So be it.' }]) })
  const pushed = await eventually('it rings', () => sentTo('asked')[0])
  const payload = browser.read(pushed)
  const [prompt] = service.app.prompts.allOpen() as Json[]
  t.same(payload, { kind: 'question', title: payload.title, profile: 'default', session_id: session, prompt_id: prompt.clarify_id, tag: prompt.clarify_id, at: nowMs / 1000 })
  t.match(payload.title, /^Deploy with password: /)
  t.notMatch(JSON.stringify(payload), /hunter2horse|Which one/)
  t.match(pushed.headers, { 'content-encoding': 'aes128gcm', urgency: 'high', ttl: /^\d+$/, topic: /^[\w-]{32}$/ })
  t.match(vapidClaims(pushed, (await service.get('/api/push')).body.public_key), { aud: hub.url, sub: 'mailto:me@example.org' })
  await eventually('that is noted', async () => (await listed())[0].last_sent_at !== null)
  await service.post('/api/clarify/respond', { session_id: session, clarify_id: prompt.clarify_id, response: 'a' })
  await (await service.watch(streamId)).ended
  t.equal(sentTo('asked').length, 1, 'this browser wants to hear of nothing else')
  await remove({ endpoint: browser.subscription.endpoint })
})

t.test('an approval that is answered before its time does not ring', async (t) => {
  const browser = hub.browser('late')
  await subscribe(browser, { ...none, approvals: true })
  const session = await service.newSession()
  const looking = await service.events(`/api/session/stream?session_id=${session}`)
  await looking.until('initial')
  const streamId = await service.send(session, 'Go', { model: service.model([{ tool: 'terminal', args: { command: 'rm -rf /tmp/nothing-there' } }], [{ text: 'Done.' }]) })
  await eventually('it waits', () => service.app.prompts.allOpen().length === 1)
  pass(5_000)
  const [prompt] = service.app.prompts.allOpen() as Json[]
  await service.respond(session, 'deny', prompt.approval_id)
  await (await service.watch(streamId)).ended
  pass(6_000)
  await eventually('it is dropped', () => service.app.db.sqlite.prepare('select count(*) from push_messages').pluck().get() === 0)
  t.equal(sentTo('late').length, 0)
  looking.drop()
  await remove({ endpoint: browser.subscription.endpoint })
})

t.test('a turn that ends while nobody looks rings; one that is watched, or was stopped, does not', async (t) => {
  const browser = hub.browser('turns')
  await subscribe(browser, { ...none, finished_turns: true })
  const wait = gate()
  const session = await service.newSession()
  const model = service.model(held(wait, [{ text: 'a' }], [{ text: 'b' }]))
  const watched = await service.watch(await service.send(session, 'Go', { model }))
  // Does not wait for its first token: text that might still become a secret is sent after a delay, and the clock stands still here.
  await eventually('it is asked', () => service.requests(model).length === 1)
  wait.open()
  await watched.ended
  const stopped = await service.newSession()
  const streamId = await service.send(stopped, 'Go', { model: service.model(held(gate(), [{ text: 'a' }], [])) })
  await service.post('/api/chat/cancel', { stream_id: streamId })
  const alone = await service.newSession()
  await service.send(alone, 'Go', { model: service.model([{ text: 'Fine' }]) })
  await eventually('it rings', () => sentTo('turns').length > 0)
  await eventually('nothing is under way', () => service.app.push.size() === 0)
  t.match(sentTo('turns').map((pushed) => browser.read(pushed)), [{ kind: 'turn', session_id: alone, status: 'ok', tag: alone }])
  t.equal(sentTo('turns').length, 1)
  await remove({ endpoint: browser.subscription.endpoint })
})

t.test('jobs ring when they end, unless they are silent or told to; deliver push reaches everybody', async (t) => {
  const wanting = hub.browser('jobs')
  const other = hub.browser('others')
  await subscribe(wanting, { ...none, finished_jobs: true })
  await subscribe(other, none)
  const model = service.model([{ text: 'One.' }], [{ text: 'Nothing. [SILENT]' }], [{ text: 'Quiet.' }], [{ text: 'To all.' }])
  const { job } = (await service.post('/api/crons/create', { prompt: 'Look', schedule: '1d', name: 'Watch', model })).body
  const run = async (count: number, more: Json = {}): Promise<void> => {
    await service.post('/api/crons/update', { job_id: job.id, ...more })
    await service.post('/api/crons/run', { job_id: job.id })
    await eventually('it has run', async () => (await service.get('/api/crons')).body.jobs[0].repeat.completed === count)
  }
  await run(1)
  await run(2)
  await run(3, { toast_notifications: false })
  await run(4, { deliver: 'push' })
  await eventually('it rings', () => sentTo('jobs').length === 2 && sentTo('others').length === 1)
  await eventually('nothing is under way', () => service.app.push.size() === 0)
  const sent = sentTo('jobs').map((pushed) => wanting.read(pushed))
  t.match(sent, [{ kind: 'job', title: 'Watch', job_id: job.id, session_id: String, status: 'ok' }, { kind: 'job', job_id: job.id }])
  t.notMatch(JSON.stringify(sent), /One\.|To all\./)
  t.match((await service.get('/api/crons/delivery-options')).body.platforms.find(({ value }: Json) => value === 'push'), { label: /2 browsers/ })
  for (const { subscription: { endpoint } } of [wanting, other]) await remove({ endpoint })
  await run(5, {})
  t.match((await service.get('/api/crons')).body.jobs[0], { last_status: 'delivery_failed', last_delivery_error: /No browser/ })
  await service.post('/api/crons/delete', { job_id: job.id })
})

t.test('failures are tried again with pauses, refusals are not, and who is gone is forgotten', async (t) => {
  const browser = hub.browser('failing')
  await subscribe(browser, { ...none, finished_turns: true })
  const tell = async (): Promise<void> => { await service.app.db.durably(() => service.app.push.tell({ kind: 'turn', title: 'A', profile: 'default', sessionId: 'x' })) }
  const idle = () => eventually('nothing is under way', () => service.app.push.size() === 0)
  const before = service.app.push.state().failures
  hub.answers.push({ status: 503 }, { status: 429, headers: { 'retry-after': '600' } })
  await tell()
  await eventually('the failure is noted', async () => (await listed())[0].last_error === 'The push service answered 503')
  await idle()
  pass(11_000)
  await eventually('once more', async () => (await listed())[0].last_error === 'The push service answered 429')
  await idle()
  pass(400_000)
  await idle()
  t.equal(sentTo('failing').length, 2, 'it waits as long as it was told')
  pass(201_000)
  await eventually('it arrives', async () => (await listed())[0].last_error === null)
  await idle()
  hub.answers.push({ status: 302, headers: { location: `${hub.url}/elsewhere` } })
  await tell()
  await eventually('refused', async () => (await listed())[0].last_error === 'The push service answered 302. Switch notifications off and on again in that browser.')
  t.notOk(hub.received.some(({ path }) => path === '/elsewhere'))
  await idle()
  t.equal(service.app.push.state().failures - before, 3)
  hub.answers.push({ status: 410 })
  await tell()
  await eventually('forgotten', async () => (await listed()).length === 0)
})

t.test('one that is slow keeps no other waiting, and no turn', async (t) => {
  const [slow, quick] = [hub.browser('slow'), hub.browser('quick')]
  for (const browser of [slow, quick]) await subscribe(browser, { ...none, finished_turns: true })
  hub.answers.push({ status: 201, waitMs: 3_600_000 })
  await service.app.db.durably(() => service.app.push.tell({ kind: 'turn', title: 'A', profile: 'default', sessionId: 'x' }))
  await eventually('both are told', () => sentTo('slow').length + sentTo('quick').length === 2)
  await service.app.db.durably(() => service.app.push.tell({ kind: 'turn', title: 'B', profile: 'default', sessionId: 'x' }))
  await eventually('the other one again', () => sentTo('slow').length + sentTo('quick').length === 3)
  for (const { subscription: { endpoint } } of [slow, quick]) await remove({ endpoint })
})
