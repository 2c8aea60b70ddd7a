import { createHash, randomBytes } from 'node:crypto'
import { closeSync, openSync, readdirSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { once } from 'node:events'
import t from '#test'
import { start } from '../support/app.js'
import { needs } from '../support/programs.js'
import { ask } from '../support/workspace.js'

const mib = 1_024 * 1_024

t.test('a file of 200 MB goes both ways as it is, and is never in memory as a whole', needs('nats-server'), async (t) => {
  const service = await start(t, { machine: 'box', env: { SVC_WEBUI_MAX_UPLOAD_MB: '300' } })
  const id = await service.newSession()
  const block = randomBytes(mib)
  const file = openSync(join(service.workspace, 'big.bin'), 'w')
  for (let written = 0; written < 200; written++) writeSync(file, block)
  closeSync(file)
  const before = process.memoryUsage().rss
  let mostBytes = 0
  const timer = setInterval(() => { mostBytes = Math.max(mostBytes, process.memoryUsage().rss - before) }, 20)
  t.teardown(() => clearInterval(timer))

  let began = performance.now()
  const answer = await ask(`${service.url}/api/file/raw?session_id=${id}&path=big.bin`)
  const hash = createHash('sha256')
  let gotBytes = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    hash.update(chunk)
    gotBytes += chunk.length
  }
  const expected = createHash('sha256')
  for (let read = 0; read < 200; read++) expected.update(block)
  t.equal(gotBytes, 200 * mib)
  t.equal(hash.digest('hex'), expected.digest('hex'))
  t.comment(`down in ${Math.round(performance.now() - began)} ms`)

  began = performance.now()
  const outgoing = request(`${service.url}/api/workspace/upload`, { method: 'POST', agent: false, headers: { 'content-type': 'multipart/form-data; boundary=b' } })
  const answered = once(outgoing, 'response')
  outgoing.write(`--b\r\nContent-Disposition: form-data; name="session_id"\r\n\r\n${id}\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="up.bin"\r\n\r\n`)
  for (let sent = 0; sent < 200; sent++) if (!outgoing.write(block)) await once(outgoing, 'drain')
  outgoing.end('\r\n--b--\r\n')
  const [{ statusCode }] = await answered as [{ statusCode: number }]
  t.equal(statusCode, 200)
  t.equal(statSync(join(service.workspace, 'up.bin')).size, 200 * mib)
  t.comment(`up in ${Math.round(performance.now() - began)} ms, ${Math.round(mostBytes / mib)} MiB at most`)
  t.ok(mostBytes < 150 * mib, `${mostBytes}`)
})

t.test('a long list is the same from there as from here', needs('nats-server'), async (t) => {
  const [far, near] = [await start(t, { machine: 'box' }), await start(t)]
  const took = new Map<string, number[]>()
  for (const service of [far, near]) for (let n = 0; n < 5_000; n++) writeFileSync(join(service.workspace, `file-${n}.txt`), '')
  const ids = new Map([[far, await far.newSession()], [near, await near.newSession()]])
  const names = new Map<typeof far, string[]>()
  for (let round = 0; round < 20; round++) {
    for (const service of [far, near]) {
      // A list that is not cached.
      writeFileSync(join(service.workspace, 'file-0.txt'), String(round))
      const began = performance.now()
      const { body } = await service.get(`/api/list?session_id=${ids.get(service)!}`)
      const key = service === far ? 'far' : 'near'
      took.set(key, [...took.get(key) ?? [], performance.now() - began])
      names.set(service, body.entries.map(({ name }: { name: string }) => name))
    }
  }
  t.same(names.get(far), names.get(near))
  t.equal(readdirSync(far.workspace).length, names.get(far)!.length)
  for (const [key, times] of took) t.comment(`${key}: ${times.sort((one, other) => one - other)[10]!.toFixed(1)} ms`)
})
