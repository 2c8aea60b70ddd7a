import { createHmac } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from '#test'
import { type Entry } from '../support/audit.js'
import { start, type StartOptions } from '../support/app.js'
import { eventually } from '../support/chat.js'
import { aheadBy } from '../support/clock.js'
import { temporaryFolder } from '../support/folder.js'
import { freePort, listening, serving } from '../support/listening.js'

interface Delivery { event: string, delivery_id: string, entries: Entry[] }

/** Starts a receiver that answers with these statuses, then with 200. */
async function receiver (t: Test) {
  const received: Array<{ body: string, signature: string | undefined }> = []
  const statuses: Array<number | Promise<number>> = []
  const origin = await serving(t, (request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => { body += chunk.toString() }).on('end', () => {
      received.push({ body, signature: request.headers['x-svc-signature'] as string | undefined })
      void Promise.resolve(statuses.shift() ?? 200).then((status) => response.writeHead(status).end())
    })
  })
  const entries = (): Entry[] => received.flatMap(({ body }) => (JSON.parse(body) as Delivery).entries)
  return { url: `${origin}/audit`, received, statuses, entries }
}

async function sendingTo (t: Test, url: string, options: StartOptions = {}) {
  const folder = temporaryFolder(t, 'audit')
  const service = await start(t, { folder, env: { SVC_WEBUI_WEBHOOK_PRIVATE: '1' }, ...options })
  await service.post('/api/settings', { bot_name: 'Before' })
  writeFileSync(join(folder, 'home', 'config.yaml'), `audit:\n  webhook: ${url}\n`)
  await eventually('the webhook is known', () => service.app.db.sqlite.prepare("select 1 from settings where key = 'audit_webhook'").get())
  return { service, folder }
}

t.test('each entry is sent once, signed, in its order, from when the webhook was set', async (t) => {
  const { url, received, entries } = await receiver(t)
  const { service, folder } = await sendingTo(t, url)
  for (const name of ['One', 'Two', 'Three']) await service.post('/api/settings', { bot_name: name })
  await eventually('they have arrived', () => entries().filter(({ kind }) => kind === 'settings.changed').length === 3)
  const said = entries().filter(({ kind }) => kind === 'settings.changed').map(({ details }) => JSON.stringify(details))
  for (const [index, name] of ['One', 'Two', 'Three'].entries()) t.match(said[index], new RegExp(name))
  const ids = entries().map(({ id }) => id)
  t.same(ids, ids.map((_, index) => ids[0]! + index), 'without a gap, none twice')
  t.equal(ids[0], 2, 'the first one was there before')
  const secret = /^AUDIT_WEBHOOK_SECRET=(\w{64})$/m.exec(readFileSync(join(folder, 'home', '.env'), 'utf8'))![1]!
  t.equal(received[0]!.signature, `sha256=${createHmac('sha256', secret).update(received[0]!.body).digest('hex')}`)
  t.match(JSON.parse(received[0]!.body), { event: 'audit', delivery_id: /^[0-9a-f]{16}$/ })
  t.match((await service.get('/api/audit?kind=key.set')).body.entries, [{ actor: { kind: 'service' }, details: { variable: 'AUDIT_WEBHOOK_SECRET' } }])
})

t.test('what a receiver does not take waits, holds nothing up, and outlives the service', async (t) => {
  let aheadMs = 0
  const clock = aheadBy(() => aheadMs)
  const { url, statuses, entries, received } = await receiver(t)
  statuses.push(503, 404)
  const { service, folder } = await sendingTo(t, url, { clock })
  for (let count = 0; count < 150; count++) service.app.audit.soonest('git.pushed', { session: `${count}` })
  await eventually('a first attempt', () => received.length === 1)
  t.equal((await service.post('/api/settings', { bot_name: 'Meanwhile' })).status, 200)
  aheadMs += 11_000
  await eventually('another one', () => received.length === 2)
  await service.stop()
  aheadMs += 61_000
  const again = await start(t, { folder, clock, env: { SVC_WEBUI_WEBHOOK_PRIVATE: '1' } })
  await eventually('all have arrived', () => new Set(entries().map(({ id }) => id)).size >= 151)
  await again.stop()
  const taken = received.slice(2).flatMap(({ body }) => (JSON.parse(body) as Delivery).entries.map(({ id }) => id))
  t.same(taken, taken.map((_, index) => taken[0]! + index), 'in portions, each once')
})

t.test('nothing is sent to a private network without leave', async (t) => {
  const { url, received } = await receiver(t)
  const told: string[] = []
  const { service } = await sendingTo(t, url, { env: {}, log: ({ msg, reason }) => told.push(`${String(msg)}: ${String(reason)}`) })
  await service.post('/api/settings', { bot_name: 'One' })
  await eventually('it is told', () => told.some((line) => /could not be sent.*private network/.test(line)))
  t.equal(received.length, 0)
})

t.test('another webhook gets what is recorded from then on, also if the one before answers only then', async (t) => {
  const [first, second] = [await receiver(t), await receiver(t)]
  let answer = (_status: number): void => {}
  first.statuses.push(new Promise<number>((resolve) => { answer = resolve }))
  const { service, folder } = await sendingTo(t, first.url)
  await service.post('/api/settings', { bot_name: 'For the first' })
  await eventually('the first one was asked', () => first.received.length > 0)
  const kept = (): unknown => service.app.db.sqlite.prepare("select value from settings where key = 'audit_webhook'").pluck().get()
  const before = kept()
  writeFileSync(join(folder, 'home', 'config.yaml'), `audit:\n  webhook: ${second.url}\n`)
  await eventually('the second one is known', () => kept() !== before)
  answer(503)
  await eventually('the second one has something', async () => {
    await service.post('/api/settings', { bot_name: `For the second ${Math.random()}` })
    return second.entries().some(({ kind }) => kind === 'settings.changed')
  })
  t.notMatch(JSON.stringify(second.entries()), /"to":"\\"For the first/)
})

t.test('a syslog server gets each entry as a message of RFC 5424, over TCP and UDP', async (t) => {
  const streams: Buffer[] = []
  const port = await listening(t, createTcpServer((socket) => { socket.on('data', (chunk) => streams.push(chunk)).on('end', () => socket.end()).on('error', () => {}) }))
  const udp = createSocket('udp4')
  const datagrams: string[] = []
  udp.on('message', (message) => datagrams.push(message.toString()))
  await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve))
  t.teardown(() => udp.close())
  const said = /^<(\d+)>1 \d{4}-\d\d-\d\dT[\d:.]+Z \S+ agent-web-service \d+ (\S+) - (\{.*\})$/

  const overTcp = await start(t, { env: { SVC_WEBUI_AUDIT_SYSLOG: `tcp://127.0.0.1:${port}` } })
  await overTcp.post('/api/settings', { bot_name: 'Müller' })
  overTcp.app.audit.soonest('auth.sign_in', { method: 'password', session: null }, 'failed')
  const messages = () => counted(Buffer.concat(streams)).map((message) => said.exec(message)!.slice(1))
  await eventually('both have arrived', () => messages().length >= 2)
  for (const [priority, kind, entry] of messages()) {
    const { kind: told, outcome } = JSON.parse(entry!) as Entry
    t.equal(told, kind)
    t.equal(priority, outcome === 'ok' ? '109' : '108')
  }
  t.match(messages().map(([, kind]) => kind), ['settings.changed', 'auth.sign_in'])
  t.match(messages()[0]![2], /Müller/)

  const overUdp = await start(t, { env: { SVC_WEBUI_AUDIT_SYSLOG: `udp://127.0.0.1:${udp.address().port}` } })
  await overUdp.post('/api/settings', { bot_name: 'One' })
  await eventually('it has arrived', () => datagrams.length > 0)
  t.match(said.exec(datagrams[0]!)!.slice(1), ['109', 'settings.changed', /One/])
})

t.test('entries wait for a syslog server that is away, and an address that is none is refused at the start', async (t) => {
  const taken: Buffer[] = []
  const server = createTcpServer((socket) => { socket.on('data', (chunk) => taken.push(chunk)).on('end', () => socket.end()) })
  const port = await freePort()
  let aheadMs = 0
  const service = await start(t, { clock: aheadBy(() => aheadMs), env: { SVC_WEBUI_AUDIT_SYSLOG: `tcp://127.0.0.1:${port}` } })
  await service.post('/api/settings', { bot_name: 'Kept' })
  const progress = () => service.app.db.sqlite.prepare<[], string>("select value from settings where key = 'audit_syslog'").pluck().get()
  await eventually('an attempt has failed', () => /"attempts":1/.test(progress() ?? ''))
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  aheadMs += 11_000
  await eventually('it has arrived', () => /Kept/.test(Buffer.concat(taken).toString()))
  for (const address of ['syslog://x', 'tcp://', 'udp://a:0', 'tls://a:70000', 'tcp://user@host', 'udp://a/b']) {
    await t.rejects(start(t, { env: { SVC_WEBUI_AUDIT_SYSLOG: address } }), /SVC_WEBUI_AUDIT_SYSLOG must be/, address)
  }
})

/** Splits a stream into messages, each preceded by its length. */
function counted (stream: Buffer): string[] {
  const messages: string[] = []
  for (let from = 0; from < stream.length;) {
    const space = stream.indexOf(' ', from)
    const end = space + 1 + Number(stream.toString('latin1', from, space))
    if (space < 0 || end > stream.length) break
    messages.push(stream.toString('utf8', space + 1, end))
    from = end
  }
  return messages
}
