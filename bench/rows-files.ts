import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, lstatSync, mkdirSync, openSync, readdirSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Bench } from './context.js'
import { load } from './load.js'
import { residentMib, startEndpoint, startService, type Helper, type Service } from './processes.js'
import { median, percentile } from './report.js'
import { workspaceOf } from './seed.js'
import { hearDirectly, hearTurn, newSessions, type Heard } from './turns.js'
import { newSession } from './wire.js'

interface Context extends Bench { service: Service, endpoint: Helper, sessionId: string, folder: string }

const entries = 5_000
const mib = 1024 * 1024
const rawBytes = 20 * mib
const treeFiles = 50_000
const treeFolderFiles = 100
const zipFiles = 2_000
const zipFileBytes = 100 * 1024
const zipLargeBytes = 100 * mib
const tokensPerSecond = 50

/** Measures listing, reading and downloading a workspace, alone and while answers stream. */
export async function fileRows (bench: Bench): Promise<void> {
  const folder = workspaceOf(bench.home)
  prepare(folder)
  const endpoint = await startEndpoint(tokensPerSecond)
  const service = await startService({ ...bench, modelUrl: endpoint.url })
  try {
    const context = { ...bench, service, endpoint, folder, sessionId: await newSession(service.url) }
    await listRows(context)
    await searchRows(context)
    await rawRows(context)
    await zipRows(context)
    await besideTokens(context)
  } finally {
    await service.stop()
    endpoint.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Makes many small files, a large one, and 300 MB in many files, of which every second one cannot be compressed. */
function prepare (folder: string): void {
  mkdirSync(join(folder, 'many'), { recursive: true })
  for (let index = 0; index < entries; index++) writeFileSync(join(folder, 'many', `entry-${index}.txt`), 'x'.repeat(index % 100))
  for (let index = 0; index < treeFiles; index++) {
    const place = join(folder, 'tree', `area-${index % 7}`, `part-${Math.floor(index / treeFolderFiles)}`)
    if (index % treeFolderFiles < 7) mkdirSync(place, { recursive: true })
    writeFileSync(join(place, `some-module-${index}.ts`), '')
  }
  writeFileSync(join(folder, 'raw.bin'), randomBytes(rawBytes))
  mkdirSync(join(folder, 'zip', 'parts'), { recursive: true })
  const text = Buffer.from('The quick brown fox jumps over the lazy dog. '.repeat(zipFileBytes / 45 + 1)).subarray(0, zipFileBytes)
  for (let index = 0; index < zipFiles; index++) {
    writeFileSync(join(folder, 'zip', 'parts', `part-${index}.txt`), index % 2 === 0
      ? text
      : randomBytes(zipFileBytes))
  }
  const large = openSync(join(folder, 'zip', 'large.log'), 'w')
  for (let written = 0; written < zipLargeBytes; written += text.length) writeSync(large, text)
  closeSync(large)
}

const listUrl = ({ service, sessionId }: Context): string => `${service.url}/api/list?session_id=${sessionId}&path=many`
const rawUrl = ({ service, sessionId }: Context): string => `${service.url}/api/file/raw?session_id=${sessionId}&path=raw.bin`
const zipUrl = ({ service, sessionId }: Context): string => `${service.url}/api/folder/download?session_id=${sessionId}&path=zip`

interface Received { firstMs: number, wholeMs: number, bytes: number }

async function receive (url: string): Promise<Received> {
  const startMs = performance.now()
  return await new Promise((resolve, reject) => {
    const outgoing = request(url, { agent: false }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`${url} answered ${response.statusCode}`))
      let firstMs = 0
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        if (bytes === 0) firstMs = performance.now() - startMs
        bytes += chunk.length
      })
      response.on('end', () => resolve({ firstMs, wholeMs: performance.now() - startMs, bytes }))
      response.on('error', reject)
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}

function bareListing (folder: string): string {
  return JSON.stringify(readdirSync(folder).map((name) => {
    const stats = lstatSync(join(folder, name))
    return { name, path: `many/${name}`, type: stats.isDirectory() ? 'dir' : 'file', size: stats.size, modified: stats.mtimeMs / 1000 }
  }))
}

async function listRows (context: Context): Promise<void> {
  const { report, folder, quick } = context
  const rounds = quick ? 20 : 60
  const first = await receive(listUrl(context))
  const here: number[] = []
  const bare: number[] = []
  for (let round = 0; round < rounds; round++) {
    writeFileSync(join(folder, 'many', 'entry-0.txt'), 'x'.repeat(round))
    here.push((await receive(listUrl(context))).wholeMs)
    const startMs = performance.now()
    bareListing(join(folder, 'many'))
    bare.push(performance.now() - startMs)
  }
  report.add({
    measure: `GET /api/list, ${entries} entries, one just changed, p50`, value: median(here), unit: 'ms', bare: median(bare),
    promise: { most: median(bare) / 0.9 },
    note: `p99 ${Math.round(percentile(here, 0.99))} ms; bare: readdir, lstat and JSON, without a request`
  })
  report.add({ measure: '… the first, with the start of a thread', value: first.wholeMs, unit: 'ms' })
  const seconds = quick ? 2 : 4
  const unchanged = await load({ url: listUrl(context), connections: 1, seconds })
  report.add({
    measure: '… nothing changed, c=1', value: unchanged.perSecond, unit: '/s', bare: 1000 / median(bare), promise: { least: 1_000 }
  })
  const etag = (await fetch(listUrl(context))).headers.get('etag') ?? ''
  const matched = await load({ url: listUrl(context), connections: 1, seconds, headers: { 'if-none-match': etag }, expected: [304] })
  report.add({
    measure: '… nothing changed, If-None-Match, c=1', value: matched.perSecond, unit: '/s', bare: 1000 / median(bare),
    promise: { least: 1_000 }
  })
}

/** Returns how far the memory of the service rises above its initial value, in MiB. */
async function memoryAdded<T> (pid: number, work: () => Promise<T>): Promise<{ result: T, addedMib: number }> {
  await delay(500)
  const beforeMib = residentMib(pid)
  let mostMib = beforeMib
  const look = setInterval(() => { mostMib = Math.max(mostMib, residentMib(pid)) }, 10)
  try {
    const result = await work()
    return { result, addedMib: Math.max(mostMib, residentMib(pid)) - beforeMib }
  } finally {
    clearInterval(look)
  }
}

/** Sends a search for each letter typed, as the composer does; the list is made for the first one. */
async function searchRows (context: Context): Promise<void> {
  const { report, service, sessionId, folder } = context
  const find = async (query: string): Promise<number> =>
    (await receive(`${service.url}/api/file/search?session_id=${sessionId}&q=${query}`)).wholeMs
  const startMs = performance.now()
  const { length } = readdirSync(folder, { recursive: true })
  const walkMs = performance.now() - startMs
  const typed = [
    's', 'so', 'som', 'somo', 'somod', 'somodu', 'somodul', 'somodule', 'somodule4', 'somodule49', 'somodule499', 'somodule4999'
  ]
  const { result, addedMib } = await memoryAdded(service.pid, async () => {
    const times: number[] = []
    for (const query of typed) times.push(await find(query))
    return times
  })
  report.add({
    measure: `GET /api/file/search, ${length} entries, the first letter`, value: result[0]!, unit: 'ms', bare: walkMs,
    note: 'bare: readdir of the whole tree, in the process'
  })
  report.add({
    measure: '… the letters after it, p50', value: median(result.slice(1)), unit: 'ms', promise: { most: 100 },
    note: `the longest ${Math.round(Math.max(...result.slice(1)))} ms`
  })
  report.add({ measure: '… memory added', value: addedMib, unit: 'MiB' })
}

async function rawRows (context: Context): Promise<void> {
  const { result, addedMib } = await memoryAdded(context.service.pid, async () => await receive(rawUrl(context)))
  context.report.add({
    measure: 'GET /api/file/raw, 20 MiB', value: result.bytes / mib / result.wholeMs * 1000, unit: 'MiB/s',
    note: `first byte after ${result.firstMs.toFixed(1)} ms`
  })
  context.report.add({ measure: '… memory added', value: addedMib, unit: 'MiB', promise: { most: 30 } })
}

async function zipRows (context: Context): Promise<void> {
  const { report } = context
  const { result, addedMib } = await memoryAdded(context.service.pid, async () => await receive(zipUrl(context)))
  const sizeMib = (zipFiles * zipFileBytes + zipLargeBytes) / mib
  report.add({
    measure: `folder of ${Math.round(sizeMib)} MiB as a zip`, value: sizeMib / result.wholeMs * 1000, unit: 'MiB/s',
    note: `${zipFiles + 1} files, ${Math.round(result.bytes / mib)} MiB sent`
  })
  report.add({ measure: '… first byte', value: result.firstMs, unit: 'ms', promise: { most: 100 } })
  report.add({ measure: '… memory added', value: addedMib, unit: 'MiB', promise: { most: 40 } })
}

/** Requests an address repeatedly from another process, so that receiving the answers does not delay the listeners here. */
async function keepAsking (url: string): Promise<() => Promise<void>> {
  const script = "const { get } = require('node:http'); (function again () { get(process.argv[1], { agent: false }, (r) => { r.resume(); r.on('close', () => setTimeout(again, 20)) }) })()"
  const child = spawn(process.execPath, ['-e', script, url], { stdio: 'ignore' })
  const gone = new Promise<void>((resolve) => child.on('exit', () => resolve()))
  await delay(300)
  return async () => {
    child.kill('SIGKILL')
    await gone
  }
}

async function besideTokens (context: Context): Promise<void> {
  const { service, endpoint, report, quick } = context
  const count = 5
  const message = `words=${(quick ? 4 : 10) * tokensPerSecond}`
  const delays = (heard: Heard[]): number[] => heard.flatMap(({ delaysMs }) => delaysMs)
  const hear = async (): Promise<number[]> => {
    const ids = await newSessions(service.url, count)
    return delays(await Promise.all(ids.map(async (id) => await hearTurn(service.url, id, message))))
  }
  await hear()
  const alone = await hear()
  report.add({
    measure: `${count} × ${tokensPerSecond} tokens/s alone: delay per token, p99`, value: percentile(alone, 0.99), unit: 'ms',
    note: `p50 ${percentile(alone, 0.5).toFixed(1)} ms`
  })
  for (const [what, url] of [
    ['lists of 5,000', listUrl(context)], ['files of 20 MiB', rawUrl(context)], ['zips of 300 MB', zipUrl(context)]
  ] as const) {
    const stop = await keepAsking(url)
    try {
      const direct = delays(await Promise.all(Array.from({ length: count }, async () => await hearDirectly(endpoint.url, message))))
      const beside = await hear()
      report.add({
        measure: `… beside ${what}: added delay per token, p99`, value: percentile(beside, 0.99) - percentile(direct, 0.99), unit: 'ms',
        bare: percentile(direct, 0.99), bareUnit: 'ms direct',
        promise: { most: 10 }, note: `p50 ${percentile(beside, 0.5).toFixed(1)}, p99 ${percentile(beside, 0.99).toFixed(1)} ms`
      })
    } finally {
      await stop()
    }
  }
}
