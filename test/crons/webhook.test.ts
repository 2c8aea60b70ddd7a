import { createHmac } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import t from '#test'
import { eventually, startChat } from '../support/chat.js'
import { isSilent } from '../../services/areas/crons/run-results.js'
import { sendWebhook } from '../../services/areas/crons/webhook.js'
import { freePort, listening } from '../support/listening.js'

interface Received { body: string, signature: string | undefined, delivery: string | undefined }
const received: Received[] = []
const answers: number[] = []
const port = await listening(t, createServer((request, response) => {
  let body = ''
  request.on('data', (chunk: Buffer) => { body += chunk.toString() }).on('end', () => {
    received.push({ body, signature: request.headers['x-svc-signature'] as string, delivery: request.headers['x-svc-delivery'] as string })
    const status = answers.shift() ?? 200
    response.writeHead(status, status === 302 ? { location: 'http://127.0.0.1:1/' } : {}).end()
  })
}))

t.test('results are sent, signed, tried again, and given up in words', async (t) => {
  let nowMs = Date.parse('2026-06-01T10:00:00Z')
  const service = await startChat(t, { clock: { now: () => nowMs }, env: { SVC_WEBUI_WEBHOOK_PRIVATE: '1' } })
  const home = join(service.folder, 'home')
  writeFileSync(join(home, 'config.yaml'), 'timezone: UTC\n')
  const model = service.model([{ text: 'The report.' }], [{ text: 'Nothing. [SILENT]' }], [{ text: 'Lost.' }], [{ text: 'Moved.' }])
  const made = await service.post('/api/crons/create', { prompt: 'Report', schedule: '1d', name: 'Daily', model, deliver: `webhook:http://127.0.0.1:${port}/hook` })
  const { id } = made.body.job
  const job = async () => (await service.get('/api/crons')).body.jobs[0]
  const run = async (count: number) => {
    await service.post('/api/crons/run', { job_id: id })
    await eventually('it has run', async () => (await job()).repeat.completed === count)
  }
  answers.push(503)
  await run(1)
  await eventually('the failure is told', async () => (await job()).last_delivery_error?.startsWith('The webhook answered 503. '))
  t.equal((await job()).last_status, 'ok', 'it is tried again')
  nowMs += 11_000
  await eventually('it arrives', async () => (await job()).last_delivery_error === null)
  t.equal(received.length, 2)
  t.equal(received[0]!.delivery, received[1]!.delivery)
  t.match(JSON.parse(received[0]!.body), { event: 'cron.run', job_id: id, job_name: 'Daily', profile: 'default', status: 'ok', output: 'The report.', scheduled_for: null, truncated: false })
  const secret = /^CRON_WEBHOOK_SECRET=(\w{64})$/m.exec(readFileSync(join(home, '.env'), 'utf8'))![1]!
  t.equal(received[0]!.signature, `sha256=${createHmac('sha256', secret).update(received[0]!.body).digest('hex')}`)
  t.notMatch((await service.get('/api/crons')).text, secret)
  await run(2)
  answers.push(404)
  await run(3)
  await eventually('given up', async () => (await job()).last_status === 'delivery_failed')
  t.equal((await job()).last_delivery_error, 'The webhook answered 404: nothing takes messages there. Check its address.')
  t.equal(received.length, 3, 'what is silent was not sent')
  answers.push(302)
  await run(4)
  await eventually('given up', async () => /redirects are not followed/.test((await job()).last_delivery_error))
  await eventually('the attempt to be over', () => service.app.crons.standing().failures === 3)
  t.match((await service.get('/metrics')).text, /\nsvc_job_delivery_failures_total 3\n/)
})

t.test('the address that is connected to is the one that is judged', async (t) => {
  const what = { id: 'x', body: '{}', secret: 's', isPrivateAllowed: false, signal: new AbortController().signal }
  t.match(await sendWebhook(`http://127.0.0.1:${port}/`, what), { ok: false, isFinal: true, reason: /SVC_WEBUI_WEBHOOK_PRIVATE=1/ })
  t.match(await sendWebhook('http://[::ffff:7f00:1]/', what), { ok: false, isFinal: true, reason: /SVC_WEBUI_WEBHOOK_PRIVATE=1/ })
  t.match(await sendWebhook(`http://127.0.0.1:${await freePort()}/`, { ...what, isPrivateAllowed: true }), { ok: false, isFinal: false, reason: /nothing listens/ })
  t.match(await sendWebhook('http://127.0.0.1:25/', { ...what, isPrivateAllowed: true }), { ok: false, isFinal: true, reason: /port that no HTTP request is sent to/ })
})

t.test('silence', async (t) => {
  t.ok(isSilent({ status: 'ok', answer: 'x [SILENT]', error: null }))
  t.notOk(isSilent({ status: 'error', answer: '[SILENT]', error: 'failed' }))
})
