import { gzipSync } from 'node:zlib'
import { type Bench } from './context.js'
import { jsonPost, load } from './load.js'
import { startBare, startService, type Helper, type Service } from './processes.js'
import { median } from './report.js'
import { hearTurn, newSessions } from './turns.js'
import { call, post } from './wire.js'

interface Context extends Bench { service: Service, bare: Helper, seconds: number }

const turnsBefore = 100

/** Requests that do not stream, each beside node:http with the bytes at hand or better-sqlite3 without a framework. */
export async function requestRows (bench: Bench): Promise<void> {
  const service = await startService(bench)
  const bare = await startBare(bench.bareFile, bench.seeded.long)
  const context = { ...bench, service, bare, seconds: bench.quick ? 2 : 4 }
  try {
    await statusRow(context)
    await listRows(context)
    await pageRows(context)
    await listAfterTurnsRow(context)
    await wholeRows(context)
    await lastRow(context)
    await writeRows(context)
  } finally {
    bare.stop()
    await service.stop()
  }
}

/** Has the bare server answer with the same bytes. */
async function precompute (bare: Helper, name: string, bytes: Uint8Array): Promise<string> {
  await fetch(`${bare.url}/bytes/${name}`, { method: 'PUT', body: Buffer.from(bytes) })
  return `${bare.url}/bytes/${name}`
}

async function bytesOf (url: string): Promise<Uint8Array> {
  return new Uint8Array(await (await fetch(url, { headers: { 'accept-encoding': 'identity' } })).arrayBuffer())
}

async function statusRow ({ service, bare, seconds, report }: Context): Promise<void> {
  const url = `${service.url}/api/auth/status`
  const bareUrl = await precompute(bare, 'status', await bytesOf(url))
  for (const connections of [50, 10]) {
    const direct = await load({ url: bareUrl, connections, seconds })
    const here = await load({ url, connections, seconds })
    report.add({
      measure: `GET /api/auth/status, c=${connections}`, value: here.perSecond, unit: '/s', bare: direct.perSecond,
      promise: { least: direct.perSecond / 2 }, note: `p99 ${here.p99} ms`
    })
  }
}

async function listRows ({ service, bare, seconds, report, seeded }: Context): Promise<void> {
  const url = `${service.url}/api/sessions`
  const bytes = await bytesOf(url)
  const bareUrl = await precompute(bare, 'list', bytes)
  const direct = await load({ url: bareUrl, connections: 10, seconds })
  const unchanged = await load({ url, connections: 10, seconds })
  const measure = `GET /api/sessions (${Math.round(bytes.length / 1024)} KiB), c=10`
  report.add({
    measure: `${measure}, unchanged`, value: unchanged.perSecond, unit: '/s', bare: direct.perSecond,
    promise: { least: direct.perSecond * 0.7 }
  })
  report.add({ measure: '… its p99', value: unchanged.p99, unit: 'ms', bare: direct.p99, promise: { most: 15 } })

  const stringified = await load({ url: `${bare.url}/list`, connections: 10, seconds })
  const changes = setInterval(() => {
    void post(`${service.url}/api/session/rename`, { session_id: seeded.short[0], title: `Title ${Math.random()}` }).catch(() => {})
  }, 100)
  const changing = await load({ url, connections: 10, seconds }).finally(() => clearInterval(changes))
  report.add({
    measure: `${measure}, a row changes 10×/s`, value: changing.perSecond, unit: '/s', bare: stringified.perSecond, promise: { least: 600 },
    note: 'bare: read and stringified each time'
  })

  const zippedUrl = await precompute(bare, 'list.gz', gzipSync(bytes))
  const zippedBare = await load({ url: zippedUrl, connections: 10, seconds, headers: { 'accept-encoding': 'gzip' } })
  const zipped = await load({ url, connections: 10, seconds, headers: { 'accept-encoding': 'gzip' } })
  report.add({
    measure: `${measure}, gzip`, value: zipped.perSecond, unit: '/s', bare: zippedBare.perSecond,
    promise: { least: zippedBare.perSecond / 2 }
  })
  // The last of the changes above may still be on its way.
  await new Promise((resolve) => setTimeout(resolve, 500))
  const etag = (await fetch(url)).headers.get('etag') ?? ''
  const matched = await load({ url, connections: 10, seconds, headers: { 'if-none-match': etag }, expected: [304] })
  report.add({
    measure: `${measure}, If-None-Match`, value: matched.perSecond, unit: '/s', bare: zippedBare.perSecond, promise: { least: 10_000 }
  })
}

async function pageRows ({ service, bare, seconds, report }: Context): Promise<void> {
  const url = `${service.url}/api/sessions?limit=50`
  const bytes = await bytesOf(url)
  const zipped = gzipSync(bytes)
  const bareUrl = await precompute(bare, 'page.gz', zipped)
  const headers = { 'accept-encoding': 'gzip' }
  const direct = await load({ url: bareUrl, connections: 10, seconds, headers })
  const here = await load({ url, connections: 10, seconds, headers })
  report.add({
    measure: `GET /api/sessions?limit=50 (${(zipped.length / 1024).toFixed(1)} KiB gzipped), c=10`, value: here.perSecond, unit: '/s',
    bare: direct.perSecond, promise: { least: 0.8 * direct.perSecond }
  })
}

/** The same list in a process that has just streamed: what turns leave behind must not slow down what has nothing to do with them. */
async function listAfterTurnsRow ({ service, bare, seconds, report }: Context): Promise<void> {
  const url = `${service.url}/api/sessions`
  const ids = await newSessions(service.url, turnsBefore)
  await Promise.all(ids.map(async (id) => await hearTurn(service.url, id, 'Tell me a story.')))
  const bareUrl = await precompute(bare, 'list-after', await bytesOf(url))
  const direct = await load({ url: bareUrl, connections: 10, seconds })
  const here = await load({ url, connections: 10, seconds })
  report.add({
    measure: `GET /api/sessions, unchanged, c=10, after ${turnsBefore} turns at once`, value: here.perSecond, unit: '/s',
    bare: direct.perSecond, promise: { least: direct.perSecond * 0.7 }
  })
}

async function wholeRows ({ service, bare, seconds, report, seeded }: Context): Promise<void> {
  const url = `${service.url}/api/session?session_id=${seeded.long}`
  const kib = Math.round((await bytesOf(url)).length / 1024)
  const direct = await load({ url: `${bare.url}/whole`, connections: 1, seconds })
  const warm = await load({ url, connections: 1, seconds })
  report.add({
    measure: `GET /api/session, 2,000 messages (${kib} KiB), c=1, warm`, value: warm.perSecond, unit: '/s', bare: direct.perSecond,
    promise: { least: 1_000 }, note: 'bare: read and stringified'
  })
  const times: number[] = []
  for (let round = 0; round < 60; round++) {
    await post(`${service.url}/api/session/rename`, { session_id: seeded.long, title: `Long ${round}` })
    const startMs = performance.now()
    await call(url)
    times.push(performance.now() - startMs)
  }
  report.add({
    measure: '… just after a change of the session', value: 1000 / median(times), unit: '/s', bare: direct.perSecond,
    promise: { least: 250 }, note: 'median of 60, client\'s parsing included'
  })
}

async function lastRow ({ service, bare, seconds, report, seeded }: Context): Promise<void> {
  const direct = await load({ url: `${bare.url}/last`, connections: 10, seconds })
  const here = await load({ url: `${service.url}/api/session?session_id=${seeded.long}&msg_limit=50`, connections: 10, seconds })
  report.add({
    measure: 'the last 50 of 2,000 messages, c=10', value: here.perSecond, unit: '/s', bare: direct.perSecond, promise: { least: 2_500 }
  })
}

async function writeRows ({ service, bare, seconds, report, seeded }: Context): Promise<void> {
  const write = async (url: string, bodies: unknown[]) => await load({ url, connections: 10, seconds, requests: bodies.map(jsonPost) })
  const plain = await write(`${bare.url}/insert`, [{}])
  const synced = await write(`${bare.url}/insert-synced`, [{}])
  const titles = (ids: string[]) =>
    Array.from({ length: 50 }, (_, index) => ({ session_id: ids[index % ids.length], title: `Renamed ${index}` }))
  const note = `p50 ${synced.p50} ms synced; bare without sync ${Math.round(plain.perSecond)}/s`
  const compare = { unit: '/s', bare: synced.perSecond, promise: { least: 2_000 } }
  const created = await write(`${service.url}/api/session/new`, [{}])
  report.add({ measure: 'POST /api/session/new, c=10', value: created.perSecond, ...compare, note })
  const renamed = await write(`${service.url}/api/session/rename`, titles(seeded.short.slice(0, 50)))
  report.add({ measure: 'rename, c=10', value: renamed.perSecond, ...compare })
  const long = await write(`${service.url}/api/session/rename`, titles([seeded.long]))
  report.add({ measure: 'rename of the 2,000-message session, c=10', value: long.perSecond, ...compare })
}
