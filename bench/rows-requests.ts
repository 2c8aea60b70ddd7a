import { gzipSync } from 'node:zlib'
import { type Bench } from './context.js'
import { compare, jsonPost, load, type Load } from './load.js'
import { residentMib, startBare, startService, type Helper, type Service } from './processes.js'
import { median, type Row } from './report.js'
import { hearTurn, newSessions } from './turns.js'
import { call, post } from './wire.js'

interface Context extends Bench { service: Service, bare: Helper, seconds: number }

const turnsBefore = 100

/** Measures requests that do not stream, each against node:http with prepared bytes or better-sqlite3 without a framework. */
export async function requestRows (bench: Bench): Promise<void> {
  const { report } = bench
  const service = await startService(bench)
  const bare = await startBare(bench.bareFile, bench.seeded.long)
  const context = { ...bench, service, bare, seconds: bench.quick ? 1 : 3 }
  try {
    await statusRow(context)
    await listRows(context)
    await pageRows(context)
    await listAfterTurnsRow(context)
    await wholeRows(context)
    await lastRow(context)
    await metricsRow(context)
    report.add({ measure: 'memory of the web tier after all of this', value: residentMib(service.pid), unit: 'MiB', promise: { most: 150 } })
    await writeRows(context)
    report.add({ measure: '… and after the new sessions', value: residentMib(service.pid), unit: 'MiB', promise: { most: 300 } })
  } finally {
    bare.stop()
    await service.stop()
  }
}

interface Comparison {
  measure: string
  path: string
  /** Path at which the bare server does the same. */
  barePath: string
  connections?: number
  /** What both servers are asked, besides their addresses. */
  asks?: Partial<Load>
  /** What the bare server is asked instead, if that differs. */
  bareAsks?: Partial<Load>
  /** Returns the minimum number of answers per second, given that of the bare server; absent = no promise. */
  least?: (barePerSecond: number) => number
  note?: string
}

/** Loads both servers in turn, and reports their answers per second, p99 and CPU time per answer. */
async function compared (context: Context, comparison: Comparison): Promise<void> {
  const { service, bare, seconds, report } = context
  const { measure, path, barePath, connections = 10, asks = {}, bareAsks = asks, least, note } = comparison
  const results = await compare(
    { connections, seconds, ...asks, url: `${service.url}${path}`, pid: service.pid },
    { connections, seconds, ...bareAsks, url: `${bare.url}${barePath}`, pid: bare.pid }
  )
  const row: Row = {
    measure: `${measure}, c=${connections}`, value: results.here.perSecond, unit: '/s', bare: results.bare.perSecond,
    p99Ms: results.here.p99, processorUs: results.here.processorUs, bareProcessorUs: results.bare.processorUs,
    growthKib: results.here.growthKib
  }
  if (least !== undefined) row.promise = { least: least(results.bare.perSecond) }
  if (note !== undefined) row.note = note
  report.add(row)
}

const share = (of: number) => (perSecond: number): number => of * perSecond
const always = (perSecond: number) => (): number => perSecond

/** Makes the bare server answer with the same bytes, and returns their path. */
async function precompute (bare: Helper, name: string, bytes: Uint8Array): Promise<string> {
  const path = `/bytes/${name}`
  await fetch(`${bare.url}${path}`, { method: 'PUT', body: Buffer.from(bytes) })
  return path
}

async function bytesOf ({ url }: Service, path: string): Promise<Uint8Array> {
  return new Uint8Array(await (await fetch(`${url}${path}`, { headers: { 'accept-encoding': 'identity' } })).arrayBuffer())
}

async function statusRow (context: Context): Promise<void> {
  const path = '/api/auth/status'
  const barePath = await precompute(context.bare, 'status', await bytesOf(context.service, path))
  for (const connections of [50, 10]) {
    await compared(context, { measure: `GET ${path}`, path, barePath, connections, least: share(0.5) })
  }
}

async function listRows (context: Context): Promise<void> {
  const { service, bare, seeded } = context
  const path = '/api/sessions'
  const bytes = await bytesOf(service, path)
  const measure = `GET /api/sessions (${Math.round(bytes.length / 1024)} KiB)`
  const barePath = await precompute(bare, 'list', bytes)
  await compared(context, { measure: `${measure}, unchanged`, path, barePath, least: share(0.7) })

  const changes = setInterval(() => {
    void post(`${service.url}/api/session/rename`, { session_id: seeded.short[0], title: `Title ${Math.random()}` }).catch(() => {})
  }, 100)
  await compared(context, {
    measure: `${measure}, a row changes 10×/s`, path, barePath: '/list', least: always(600), note: 'bare: read and stringified each time'
  }).finally(() => clearInterval(changes))

  const zipped = { headers: { 'accept-encoding': 'gzip' } }
  const zippedPath = await precompute(bare, 'list.gz', gzipSync(bytes))
  await compared(context, { measure: `${measure}, gzip`, path, barePath: zippedPath, asks: zipped, least: share(0.7) })
  // The last of the changes above may still be in progress.
  await new Promise((resolve) => setTimeout(resolve, 500))
  const etag = (await fetch(`${service.url}${path}`)).headers.get('etag') ?? ''
  await compared(context, {
    measure: `${measure}, If-None-Match`, path, barePath: zippedPath, asks: { headers: { 'if-none-match': etag }, expected: [304] },
    bareAsks: zipped, least: always(10_000)
  })
}

async function pageRows (context: Context): Promise<void> {
  const path = '/api/sessions?limit=50'
  const zipped = gzipSync(await bytesOf(context.service, path))
  await compared(context, {
    measure: `GET ${path} (${(zipped.length / 1024).toFixed(1)} KiB gzipped)`, path,
    barePath: await precompute(context.bare, 'page.gz', zipped), asks: { headers: { 'accept-encoding': 'gzip' } }, least: share(0.8)
  })
}

/** Measures the same list in a process that has just streamed: what turns leave behind must not slow down unrelated requests. */
async function listAfterTurnsRow (context: Context): Promise<void> {
  const { service, bare } = context
  const path = '/api/sessions'
  const ids = await newSessions(service.url, turnsBefore)
  await Promise.all(ids.map(async (id) => await hearTurn(service.url, id, 'Tell me a story.')))
  await compared(context, {
    measure: `GET /api/sessions, unchanged, after ${turnsBefore} turns at once`, path,
    barePath: await precompute(bare, 'list-after', await bytesOf(service, path)), least: share(0.7)
  })
}

async function wholeRows (context: Context): Promise<void> {
  const { service, bare, seconds, report, seeded } = context
  const path = `/api/session?session_id=${seeded.long}`
  const kib = Math.round((await bytesOf(service, path)).length / 1024)
  await compared(context, {
    measure: `GET /api/session, 2,000 messages (${kib} KiB), warm`, path, barePath: '/whole', connections: 1, least: always(1_000),
    note: 'bare: read and stringified'
  })
  const times: number[] = []
  for (let round = 0; round < 60; round++) {
    await post(`${service.url}/api/session/rename`, { session_id: seeded.long, title: `Long ${round}` })
    const startMs = performance.now()
    await call(`${service.url}${path}`)
    times.push(performance.now() - startMs)
  }
  const direct = await load({ url: `${bare.url}/whole`, connections: 1, seconds })
  report.add({
    measure: '… just after a change of the session', value: 1000 / median(times), unit: '/s', bare: direct.perSecond,
    promise: { least: 250 }, note: 'median of 60, client\'s parsing included'
  })
}

/** Measures what a scrape of the metrics costs, after all the requests before. */
async function metricsRow ({ service, seconds, report }: Context): Promise<void> {
  const { perSecond, p99, processorUs } = await load({ url: `${service.url}/metrics`, connections: 1, seconds, pid: service.pid })
  report.add({
    measure: 'GET /metrics, c=1: processor time of a scrape', value: processorUs / 1_000, unit: 'ms', promise: { most: 1 }, p99Ms: p99,
    note: `${Math.round(perSecond)}/s`
  })
}

async function lastRow (context: Context): Promise<void> {
  await compared(context, {
    measure: 'the last 50 of 2,000 messages', path: `/api/session?session_id=${context.seeded.long}&msg_limit=50`, barePath: '/last',
    least: always(2_500)
  })
}

/** Measures writes that are synced to disk against an insert that is synced too; the bare server syncs each of its inserts separately. */
async function writeRows (context: Context): Promise<void> {
  const { seeded } = context
  const writes = (bodies: unknown[]): Partial<Load> => ({ requests: bodies.map(jsonPost) })
  const titles = (ids: string[]) =>
    writes(Array.from({ length: 50 }, (_, index) => ({ session_id: ids[index % ids.length], title: `Renamed ${index}` })))
  const synced = { barePath: '/insert-synced', bareAsks: writes([{}]), least: share(0.6) }
  await compared(context, { measure: 'POST /api/session/new', path: '/api/session/new', asks: writes([{}]), ...synced })
  await compared(context, { measure: 'rename', path: '/api/session/rename', asks: titles(seeded.short.slice(0, 50)), ...synced })
  await compared(context, {
    measure: 'rename of the 2,000-message session', path: '/api/session/rename', asks: titles([seeded.long]), ...synced
  })
}
