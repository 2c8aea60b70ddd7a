import { createHmac } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from '#test'
import { type Entry } from '../support/audit.js'
import { start, type StartOptions } from '../support/app.js'
import { eventually } from '../support/chat.js'
import { aheadBy } from '../support/clock.js'
import { temporaryFolder } from '../support/folder.js'

interface Delivery { event: string, delivery_id: string, entries: Entry[] }

/** A receiver that answers with these statuses, then with 200. */
async function receiver (t: Test) {
  const received: Array<{ body: string, signature: string | undefined }> = []
  const statuses: number[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => { body += chunk.toString() }).on('end', () => {
      received.push({ body, signature: request.headers['x-svc-signature'] as string | undefined })
      response.writeHead(statuses.shift() ?? 200).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const entries = (): Entry[] => received.flatMap(({ body }) => (JSON.parse(body) as Delivery).entries)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/audit`, received, statuses, entries }
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
