import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { folded } from '../../services/areas/push/folding.js'
import { quietUntil } from '../../services/areas/push/quiet-hours.js'
import { eventually, startChat, type ChatService } from '../support/chat.js'
import { startPushService } from '../support/push-service.js'

const hub = await startPushService(t)
const start = Date.parse('2026-06-01T10:00:00Z')
let nowMs = start
const clock = { now: () => nowMs }
const service = await startChat(t, { clock, env: { SVC_WEBUI_WEBHOOK_PRIVATE: '1', SVC_WEBUI_PUSH_CONTACT: 'mailto:me@example.org' } })
const browser = hub.browser('mine')
await service.post('/api/push/subscriptions', browser.subscription)
const told = () => hub.received.map((pushed) => browser.read(pushed))
const waiting = (): number => Number(service.app.db.sqlite.prepare('select count(*) from push_messages').pluck().get())
const set = async (values: object): Promise<void> => { t.match(await service.post('/api/settings', values), { status: 200 }) }
const none = { push_quiet_from: '', push_quiet_until: '', push_quiet_waiting: false, push_digest_at: '', push_time_zone: 'UTC' }
const at = (time: string): void => {
  nowMs = Date.parse(time)
  service.app.push.look()
}
const idle = () => eventually('nothing is under way', () => service.app.push.size() === 0)
const turn = async (model: string): Promise<string> => {
  const id = await service.newSession()
  // Without a watcher, because nothing is pushed for a watched session.
  await service.send(id, 'Hello', { model })
  await eventually('it is over', () => service.app.chat.isSettled(id) && !service.app.chat.isLive(id))
  return id
}

t.test('when quiet hours end, by the clock on a wall', (t) => {
  const until = (from: string, to: string, zone: string, moment: string): string | null => {
    const ms = quietUntil({ from, until: to, zone }, Date.parse(moment))
    return ms === null ? null : new Date(ms).toISOString()
  }
  for (const [from, to, zone, moment, wanted] of [
    ['', '07:00', 'UTC', '2026-06-01T23:00:00Z', null],
    ['22:00', '', 'UTC', '2026-06-01T23:00:00Z', null],
    ['08:00', '08:00', 'UTC', '2026-06-01T08:00:00Z', null],
    ['22:00', '07:00', 'UTC', '2026-06-01T21:59:59Z', null],
    ['22:00', '07:00', 'UTC', '2026-06-01T22:00:00Z', '2026-06-02T07:00:00.000Z'],
    ['22:00', '07:00', 'UTC', '2026-06-02T06:59:00Z', '2026-06-02T07:00:00.000Z'],
    ['22:00', '07:00', 'UTC', '2026-06-02T07:00:00Z', null],
    ['12:00', '13:30', 'UTC', '2026-06-01T13:29:00Z', '2026-06-01T13:30:00.000Z'],
    ['22:00', '07:00', 'Europe/Berlin', '2026-06-01T20:30:00Z', '2026-06-02T05:00:00.000Z'],
    ['22:00', '07:00', 'Europe/Berlin', '2026-12-31T22:30:00Z', '2027-01-01T06:00:00.000Z'],
    // An hour occurs twice, or not at all.
    ['22:00', '07:00', 'Europe/Berlin', '2026-10-25T01:30:00Z', '2026-10-25T06:00:00.000Z'],
    ['22:00', '07:00', 'Europe/Berlin', '2026-03-29T01:30:00Z', '2026-03-29T05:00:00.000Z'],
    ['23:30', '00:30', 'America/New_York', '2026-11-01T04:29:00Z', '2026-11-01T04:30:00.000Z'],
    // The clock goes forward at night: half past two does not exist.
    ['22:00', '02:30', 'Europe/Berlin', '2026-03-28T23:00:00Z', '2026-03-29T01:30:00.000Z']
  ] as const) t.equal(until(from, to, zone, moment), wanted, `${from} to ${to} in ${zone} at ${moment}`)
})

t.test('what ended becomes one message, whatever came first', (t) => {
  const ended = (status: string) => JSON.stringify({ kind: 'turn', title: 'A', profile: 'p', session_id: 's', status, tag: 's', at: 1 })
  const one = folded(ended('ok'), ended('error'))
  t.match(JSON.parse(one), { kind: 'digest', title: '', session_id: null, tag: 'digest', counts: { ended: 2, failed: 1, waiting: 0 } })
  t.match(JSON.parse(folded(one, ended('ok'))).counts, { ended: 3, failed: 1 })
  const digest = JSON.stringify({ kind: 'digest', counts: { ended: 1, failed: 0, waiting: 2, running: 1, queued: 4 }, at: 2 })
  t.same(JSON.parse(folded(folded(one, ended('resumed')), ended('at_limit'))).counts, { ended: 2, failed: 1, waiting: 1, running: 0, queued: 0 }, 'what goes on has not failed, and what asks has not ended')
  t.same(JSON.parse(folded(one, digest)).counts, { ended: 3, failed: 1, waiting: 2, running: 1, queued: 4 }, 'what waits is as it is at the later one')
})

t.test('quiet hours hold what ended and tell it as one; what waits rings if that is allowed', async (t) => {
  await set({ ...none, push_quiet_from: '22:00', push_quiet_until: '07:00' })
  at('2026-06-01T23:00:00Z')
  await turn(service.model([{ text: 'One' }]))
  await turn('fault-404')
  await eventually('both are held as one', () => waiting() === 1)
  await idle()
  t.same(told(), [])
  const asking = await service.newSession()
  const streamId = await service.send(asking, 'Go', { model: service.model([{ tool: 'clarify', args: { question: 'Which?', choices: ['a', 'b'] } }], [{ text: 'So.' }]) })
  await eventually('it waits', () => service.app.prompts.allOpen().length === 1)
  await eventually('the question is held, too', () => waiting() === 2)
  await idle()
  t.same(told(), [], 'unless somebody has allowed it')
  await set({ push_quiet_waiting: true })
  await eventually('it rings', () => told().length === 1)
  t.match(told(), [{ kind: 'question', session_id: asking }])
  await service.post('/api/chat/cancel', { stream_id: streamId })
  at('2026-06-02T07:00:00Z')
  await eventually('the rest is told', () => told().length === 2)
  t.match(told()[1], { kind: 'digest', session_id: null, counts: { ended: 2, failed: 1 } })
  await idle()
  t.equal(waiting(), 0)
  hub.received.length = 0
})

t.test('other quiet hours hold for what is held already; one alone is told as itself', async (t) => {
  await set({ ...none, push_quiet_from: '22:00', push_quiet_until: '07:00' })
  at('2026-06-02T23:00:00Z')
  const id = await turn(service.model([{ text: 'One' }]))
  await eventually('it is held', () => waiting() === 1)
  await idle()
  await set({ push_quiet_until: '06:00' })
  await idle()
  at('2026-06-03T05:59:00Z')
  await idle()
  t.same(told(), [])
  await set({ push_quiet_from: '' })
  await eventually('it is told', () => told().length === 1)
  t.match(told(), [{ kind: 'turn', session_id: id, status: 'ok' }])
  hub.received.length = 0
})

t.test('a digest comes once a day, also over a restart, and replaces what ended well', async (t) => {
  await set({ ...none, push_digest_at: '08:00' })
  at('2026-06-04T09:00:00Z')
  await service.post('/api/home/seen', {})
  const restarted = async (): Promise<void> => {
    // Does what a start does, and a minute of the timer: the day is in the database.
    await service.app.digest.look()
    await idle()
  }
  await set({ push_digest_at: '08:30' })
  await eventually('today has passed', () => service.app.db.sqlite.prepare("select count(*) from settings where key = 'push_digest'").pluck().get() === 1)
  await restarted()
  t.same(told(), [], 'the first one comes tomorrow')
  nowMs += 60_000
  await turn(service.model([{ text: 'Fine' }]))
  await idle()
  t.same(told(), [], 'what ended well waits for it')
  await turn('fault-404')
  await eventually('what failed does not', () => told().length === 1)
  t.match(told(), [{ kind: 'turn', status: 'error' }])
  at('2026-06-05T08:29:00Z')
  await restarted()
  t.equal(told().length, 1)
  at('2026-06-05T08:31:00Z')
  await Promise.all([restarted(), restarted(), restarted()])
  await eventually('it comes', () => told().length === 2)
  t.match(told()[1], { kind: 'digest', counts: { ended: 2, failed: 1, waiting: 0, running: 0 } })
  await restarted()
  at('2026-06-06T12:00:00Z')
  await restarted()
  t.equal(told().length, 2, 'a day on which nothing happened has none')
  // The clock is set back, and years ahead for a moment.
  at('2026-06-05T23:00:00Z')
  await restarted()
  t.equal(told().length, 2)
})

t.test('a turn that asks at the limit of its provider rings; one that waits by itself does not', async (t) => {
  await set(none)
  hub.received.length = 0
  const limited = async (onLimit: string): Promise<string> => {
    writeFileSync(join(service.folder, 'home', 'config.yaml'), JSON.stringify({ agent: { on_limit: onLimit } }))
    const id = await service.newSession()
    const streamId = await service.send(id, 'Go', { model: service.model([{ refuse: 429, headers: { 'retry-after': '3600' } }]) })
    await eventually('it is parked', () => service.app.chat.isParked(streamId))
    return id
  }
  await limited('wait')
  const id = await limited('ask')
  await eventually('it rings', () => told().length === 1)
  await idle()
  t.match(told(), [{ kind: 'turn', session_id: id, status: 'at_limit' }])
  hub.received.length = 0
  await set({ ...none, push_quiet_from: '22:00', push_quiet_until: '07:00', push_quiet_waiting: true })
  at('2026-06-08T23:00:00Z')
  await limited('ask')
  await eventually('it rings at night, as a question does', () => told().length === 1)
  hub.received.length = 0
})

t.test('over restarts the digest comes once a day, and what a night with a change of clocks has held is told at its end', async (t) => {
  const folder = join(service.folder, 'restarted')
  mkdirSync(join(folder, 'home'), { recursive: true })
  const other = hub.browser('restarted')
  const heard = () => hub.received.filter(({ path }) => path.endsWith('/restarted')).map((pushed) => other.read(pushed))
  const start = async (): Promise<ChatService> => await service.again(t, folder, { clock, env: { SVC_WEBUI_WEBHOOK_PRIVATE: '1', SVC_WEBUI_PUSH_CONTACT: 'mailto:me@example.org' } })
  const over = async (on: ChatService, model: string): Promise<void> => {
    const sessionId = await on.newSession()
    await on.send(sessionId, 'Hello', { model })
    await eventually('it is over', () => on.app.chat.isSettled(sessionId) && !on.app.chat.isLive(sessionId))
  }
  const looked = async (on: ChatService): Promise<void> => {
    await on.app.digest.look()
    on.app.push.look()
    await eventually('nothing is under way', () => on.app.push.size() === 0)
  }
  nowMs = Date.parse('2026-10-20T10:00:00Z')
  let on = await start()
  await on.post('/api/push/subscriptions', other.subscription)
  await on.post('/api/settings', { ...none, push_digest_at: '08:00', push_time_zone: 'Europe/Berlin' })
  await on.post('/api/home/seen', {})
  nowMs += 60_000
  await over(on, service.model([{ text: 'One' }]))
  await on.stop()
  nowMs = Date.parse('2026-10-21T07:00:00Z')
  on = await start()
  await looked(on)
  await eventually('it is told', () => heard().length === 1)
  t.match(heard(), [{ kind: 'digest', counts: { ended: 1 } }])
  await on.stop()
  on = await start()
  await looked(on)
  nowMs = Date.parse('2026-10-22T07:00:00Z')
  await looked(on)
  t.equal(heard().length, 1, 'not twice, and not without news')

  // The clock is set back at three in that night, so the night lasts an hour longer.
  await on.post('/api/settings', { push_digest_at: '', push_quiet_from: '22:00', push_quiet_until: '07:00' })
  nowMs = Date.parse('2026-10-24T21:30:00Z')
  await over(on, service.model([{ text: 'Two' }]))
  await eventually('it is held', () => on.app.db.sqlite.prepare('select count(*) from push_messages').pluck().get() === 1)
  await looked(on)
  await on.stop()
  nowMs = Date.parse('2026-10-25T05:30:00Z')
  on = await start()
  await looked(on)
  t.equal(heard().length, 1, 'half past six by the clock on the wall')
  nowMs = Date.parse('2026-10-25T06:00:00Z')
  await looked(on)
  await eventually('it is told', () => heard().length === 2)
  t.match(heard()[1], { kind: 'turn', status: 'ok' })
  await on.stop()
})

t.test('times and zones that are none are refused by name', async (t) => {
  for (const [key, value] of [['push_quiet_from', '24:00'], ['push_quiet_until', '7:00'], ['push_digest_at', 'noon'], ['push_time_zone', 'Mars/Base'], ['push_quiet_waiting', 'yes']] as const) {
    t.match(await service.post('/api/settings', { [key]: value }), { status: 400, body: { error: new RegExp(`^${key}`) } }, `${key} ${value}`)
  }
  await set({ push_time_zone: 'Asia/Shanghai' })
  await set({ push_time_zone: '' })
})
