import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Bench } from './context.js'
import { load } from './load.js'
import { residentMib, startService, type Service } from './processes.js'
import { median, percentile } from './report.js'
import { idleRows } from './rows-idle.js'
import { seedMany, workspaceOf } from './seed.js'
import { call, newSession } from './wire.js'

const rounds = 100

/** Measures very many sessions and messages, a folder of very many files, and very many idle event streams. */
export async function scaleRows (bench: Bench): Promise<void> {
  const { quick } = bench
  await sessionRows(bench, quick ? 2_000 : 20_000, quick ? 50_000 : 1_000_000)
  await folderRows(bench, quick ? 50_000 : 500_000)
  const wanted = quick ? 2_000 : 20_000
  const connections = Math.min(wanted, handles(wanted + spareHandles) - spareHandles)
  if (connections < wanted) {
    console.log(`  ${connections} of ${wanted} idle streams: more files cannot be open here; start with ulimit -n ${wanted + spareHandles}`)
  }
  await idleRows({ ...bench, connections })
}

/** Handles that a process needs besides those of its event streams. */
const spareHandles = 1_000

/** Returns how many files this process and those that it starts can have open, after raising the limit to `wanted` if it may. */
function handles (wanted: number): number {
  try {
    execFileSync('prlimit', ['--pid', String(process.pid), `--nofile=${wanted}:${wanted}`], { stdio: 'ignore' })
    return wanted
  } catch {
    // Node.js has raised the soft limit to the hard one.
    return Number(/^Max open files\s+\d+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? wanted)
  }
}

const timesOf = async (urlOf: (round: number) => string): Promise<number[]> => {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const startMs = performance.now()
    const { status } = await call(urlOf(round))
    if (status !== 200) throw new Error(`${urlOf(round)} answered ${status}`)
    times.push(performance.now() - startMs)
  }
  return times
}

async function sessionRows (bench: Bench, sessions: number, messages: number): Promise<void> {
  const { report, quick } = bench
  const home = join(bench.home, 'scale')
  const seedMs = performance.now()
  const { session } = await seedMany(home, messages, sessions)
  const name = `${sessions.toLocaleString('en')} sessions, ${messages.toLocaleString('en')} messages`
  report.add({ measure: `${name}: made in`, value: (performance.now() - seedMs) / 1_000, unit: 's' })
  const small = await startService(bench)
  const fewPerSecond = (await load({ url: `${small.url}/api/sessions?limit=50`, connections: 10, seconds: quick ? 1 : 3 })).perSecond
  await small.stop()
  const first = await startService({ ...bench, home })
  await first.stop()
  const service = await startService({ ...bench, home })
  try {
    report.add({
      measure: `${name}: start`, value: service.startedInMs, unit: 'ms', promise: { most: 1_500 },
      note: `the first after they were made ${Math.round(first.startedInMs)} ms`
    })
    const { url } = service
    report.add({
      measure: '… first page of the list, p50', value: median(await timesOf(() => `${url}/api/sessions?limit=50`)), unit: 'ms',
      promise: { most: 10 }
    })
    const { perSecond, p99 } = await load({ url: `${url}/api/sessions?limit=50`, connections: 10, seconds: quick ? 1 : 3 })
    report.add({
      measure: '… the same, c=10', value: perSecond, unit: '/s', bare: fewPerSecond, p99Ms: p99, promise: { least: 0.9 * fewPerSecond },
      note: 'bare: the service with 1,001 sessions'
    })
    const found = await timesOf((round) => `${url}/api/sessions/search?depth=0&q=${encodeURIComponent(`word${(round * 7919) % 5_000} word`)}`)
    report.add({
      measure: '… content search, p95', value: percentile(found, 0.95), unit: 'ms', promise: { most: 50 }, note: `p50 ${median(found).toFixed(1)} ms`
    })
    const last = await timesOf(() => `${url}/api/session?session_id=${session}&msg_limit=50`)
    report.add({ measure: '… the last 50 messages of one, p50', value: median(last), unit: 'ms', promise: { most: 10 } })
    report.add({ measure: '… memory of the web tier after this', value: residentMib(service.pid), unit: 'MiB', promise: { most: 300 } })
  } finally {
    await service.stop()
    rmSync(home, { recursive: true, force: true })
  }
}

async function folderRows (bench: Bench, files: number): Promise<void> {
  const { report } = bench
  const folder = join(workspaceOf(bench.home), 'half-a-million')
  mkdirSync(folder, { recursive: true })
  const seedMs = performance.now()
  for (let index = 0; index < files; index++) closeSync(openSync(join(folder, `some-module-${index}.ts`), 'w'))
  const name = `a folder of ${files.toLocaleString('en')} files`
  report.add({ measure: `${name}: made in`, value: (performance.now() - seedMs) / 1_000, unit: 's' })
  const service = await startService(bench)
  try {
    const id = await newSession(service.url)
    const listed = await besideProbe(service, async () => await call(`${service.url}/api/list?session_id=${id}&path=half-a-million`))
    report.add({ measure: `${name}: list`, value: listed.tookMs, unit: 'ms', note: `answer ${listed.status}` })
    report.add({ measure: '… longest answer of /health meanwhile', value: listed.longestMs, unit: 'ms', promise: { most: 100 } })
    const search = `${service.url}/api/file/search?session_id=${id}&q=`
    const first = await besideProbe(service, async () => await call(`${search}module-4999`))
    report.add({ measure: '… search by name, the first', value: first.tookMs, unit: 'ms', note: `answer ${first.status}` })
    report.add({ measure: '… longest answer of /health meanwhile', value: first.longestMs, unit: 'ms', promise: { most: 100 } })
    report.add({
      measure: '… search by name, the next ones, p50', value: median(await timesOf((round) => `${search}module-${round}`)), unit: 'ms',
      promise: { most: 300 }
    })
    report.add({ measure: '… memory of the web tier after this', value: residentMib(service.pid), unit: 'MiB', promise: { most: 300 } })
  } finally {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Resolves to how long a request took, and the longest that another one took at the same time, asked every 10 ms. */
async function besideProbe (
  { url }: Service, work: () => Promise<{ status: number }>
): Promise<{ tookMs: number, longestMs: number, status: number }> {
  const life = { isOver: false }
  const startMs = performance.now()
  const working = work().finally(() => { life.isOver = true })
  let longestMs = 0
  while (!life.isOver) {
    const askedMs = performance.now()
    await call(`${url}/health`)
    longestMs = Math.max(longestMs, performance.now() - askedMs)
    await delay(10)
  }
  const { status } = await working
  return { tookMs: performance.now() - startMs, longestMs, status }
}
