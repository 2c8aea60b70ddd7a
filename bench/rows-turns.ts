import { setTimeout as delay } from 'node:timers/promises'
import { type Bench } from './context.js'
import { processorMs, residentMib, restMs, startEndpoint, startService, type Helper, type Service } from './processes.js'
import { median, percentile, type Report } from './report.js'
import { hearDirectly, hearTurn, newSessions, rateOf, storedAnswer, type Heard } from './turns.js'

interface Context extends Bench { service: Service, endpoint: Helper }

const tokensPerSecond = 50

/** Measures turns with a model endpoint of 50 tokens a second, each against the endpoint read directly. */
export async function turnRows (bench: Bench): Promise<void> {
  await withModel(bench, async (context) => {
    const rounds = bench.quick ? 2 : 5
    await firstTurnRow(context)
    await startAnswerRows(context, rounds)
    await firstTokenRow(context, 1, rounds * 4, 20)
    await firstTokenRow(context, 20, rounds, 25)
    await firstTokenRow(context, 100, Math.ceil(rounds / 2), 100)
    await besideStartsRow(context)
  })
}

/** Measures many turns at once: how late each token is, whether all arrive, and what they cost. */
export async function tokenRows (bench: Bench): Promise<void> {
  await withModel(bench, async (context) => {
    await hearTurns(context, 1, 'words=5')
    await streamRows(context, 1, {})
    await streamRows(context, 20, { p50: 2, p99: 12, rate: 0.97, processor: true })
    await streamRows(context, 100, { p99: 60, rate: 0.96, start: 100 })
    await memoryRows(context)
  })
}

async function withModel (bench: Bench, work: (context: Context) => Promise<void>): Promise<void> {
  const endpoint = await startEndpoint(tokensPerSecond)
  const service = await startService({ ...bench, modelUrl: endpoint.url })
  await service.hostPid()
  try {
    await work({ ...bench, service, endpoint })
  } finally {
    await service.stop()
    endpoint.stop()
  }
}

async function hearTurns ({ service }: Context, count: number, message: string): Promise<Heard[]> {
  const ids = await newSessions(service.url, count)
  return await Promise.all(ids.map(async (id) => await hearTurn(service.url, id, message)))
}

async function hearDirect ({ endpoint }: Context, count: number, message: string): Promise<Heard[]> {
  return await Promise.all(Array.from({ length: count }, async () => await hearDirectly(endpoint.url, message)))
}

const firstTokenMs = (heard: Heard[]): number[] => heard.map(({ firstMs, startedMs }) => firstMs - startedMs)

async function firstTurnRow (context: Context): Promise<void> {
  const direct = await hearDirect(context, 1, 'words=5')
  const turn = await hearTurns(context, 1, 'words=5')
  context.report.add({
    measure: 'first turn of a new host: added to the first token', value: firstTokenMs(turn)[0]! - firstTokenMs(direct)[0]!, unit: 'ms',
    bare: firstTokenMs(direct)[0]!, bareUnit: 'ms direct', promise: { most: 30 }
  })
}

async function startAnswerRows (context: Context, rounds: number): Promise<void> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    times.push(...(await hearTurns(context, 20, 'words=5')).map(({ answeredMs, startedMs }) => answeredMs - startedMs))
  }
  context.report.add({ measure: 'chat start → answer, 20 at once, p50', value: median(times), unit: 'ms', promise: { most: 20 } })
  context.report.add({
    measure: '… p99', value: percentile(times, 0.99), unit: 'ms', promise: { most: 20 }, note: `${times.length} starts`
  })
}

async function firstTokenRow (context: Context, count: number, rounds: number, most: number): Promise<void> {
  const direct: number[] = []
  const here: number[] = []
  for (let round = 0; round < rounds; round++) {
    direct.push(...firstTokenMs(await hearDirect(context, count, 'words=5')))
    here.push(...firstTokenMs(await hearTurns(context, count, 'words=5')))
  }
  const added = median(here) - median(direct)
  context.report.add({
    measure: `added to the first token, ${count} at once, p50`, value: added, unit: 'ms', bare: median(direct), bareUnit: 'ms direct',
    promise: { most },
    note: `p99 ${Math.round(percentile(here, 0.99))} against ${Math.round(percentile(direct, 0.99))} ms`
  })
}

const running = 20
const starting = 100

/** Measures how late the tokens of running turns are while many others start, against the endpoint under the same requests. */
async function besideStartsRow (context: Context): Promise<void> {
  const words = `words=${(context.quick ? 3 : 6) * tokensPerSecond}`
  const beside = async (hear: typeof hearTurns): Promise<number[]> => {
    const heard = hear(context, running, words)
    await delay(1_000)
    await hear(context, starting, 'words=25')
    return (await heard).flatMap(({ delaysMs }) => delaysMs)
  }
  const direct = percentile(await beside(hearDirect), 0.99)
  const here = await beside(hearTurns)
  context.report.add({
    measure: `${running} × ${tokensPerSecond} tokens/s while ${starting} turns start: added delay per token, p99`,
    value: percentile(here, 0.99) - direct, unit: 'ms', bare: direct, bareUnit: 'ms direct', promise: { most: 60 },
    note: `longest ${Math.round(Math.max(...here))} ms`
  })
}

/** Measures the memory of both processes after the turns before, when everything has come to rest. */
async function memoryRows ({ service, report }: Context): Promise<void> {
  await delay(restMs)
  report.add({ measure: 'memory of the web tier after these turns', value: residentMib(service.pid), unit: 'MiB', promise: { most: 150 } })
  report.add({ measure: 'memory of the host after them', value: residentMib(await service.hostPid()), unit: 'MiB', promise: { most: 90 } })
}

/** Limits: delays in ms, `rate` as a share of the endpoint's, `start` in ms. */
interface Promises { p50?: number, p99?: number, rate?: number, start?: number, processor?: boolean }

async function streamRows (context: Context, count: number, promises: Promises): Promise<void> {
  const { service, report, quick } = context
  const words = (quick ? 2 : 6) * tokensPerSecond
  const hostPid = await service.hostPid()
  const direct = await hearDirect(context, count, `words=${words}`)
  const ids = await newSessions(service.url, count)
  const before = [processorMs(service.pid), processorMs(hostPid)] as const
  const heard = await Promise.all(ids.map(async (id) => await hearTurn(service.url, id, `words=${words}`)))
  const spent = [processorMs(service.pid) - before[0], processorMs(hostPid) - before[1]] as const
  const name = `${count} × ${tokensPerSecond} tokens/s`
  delayRows(report, name, heard, direct, promises)
  const tokens = heard.reduce((sum, { delaysMs }) => sum + delaysMs.length, 0)
  report.add({
    measure: `${name}: delivered`, value: rateOf(heard), unit: '/s', bare: rateOf(direct),
    ...(promises.rate === undefined ? {} : { promise: { least: promises.rate * rateOf(direct) } })
  })
  if (promises.start !== undefined) {
    const starts = heard.map(({ answeredMs, startedMs }) => answeredMs - startedMs)
    report.add({
      measure: `${name}: start → answer, p99`, value: percentile(starts, 0.99), unit: 'ms', promise: { most: promises.start },
      note: `p50 ${Math.round(median(starts))} ms`
    })
  }
  const stored = await Promise.all(ids.map(async (id) => await storedAnswer(service.url, id)))
  const differing = heard.filter(({ text, end }, index) => text !== stored[index] || end !== 'stream_end').length
  const misplaced = heard.reduce((sum, turn) => sum + turn.misplaced, 0)
  report.add({
    measure: `${name}: tokens lost or doubled`, value: Math.abs(count * words - tokens) + misplaced + differing, unit: '',
    promise: { most: 0 }, note: `${tokens} of ${count * words}; ${differing} transcripts differ`
  })
  if (promises.processor !== true && count !== 100) return
  const limits = promises.processor === true ? [{ most: 0.1 }, { most: 0.2 }] as const : []
  report.add({ measure: `${name}: processor per token, web tier`, value: spent[0] / tokens, unit: 'ms', promise: limits[0] })
  report.add({
    measure: `${name}: processor per token, web tier + host`, value: (spent[0] + spent[1]) / tokens, unit: 'ms', promise: limits[1]
  })
}

function delayRows (report: Report, name: string, heard: Heard[], direct: Heard[], promises: Promises): void {
  const here = heard.flatMap(({ delaysMs }) => delaysMs)
  const bare = direct.flatMap(({ delaysMs }) => delaysMs)
  for (const [label, share, limit] of [['p50', 0.5, promises.p50], ['p99', 0.99, promises.p99]] as const) {
    report.add({
      measure: `${name}: added delay per token, ${label}`, value: percentile(here, share) - percentile(bare, share), unit: 'ms',
      bare: percentile(bare, share), bareUnit: 'ms direct', ...(limit === undefined ? {} : { promise: { most: limit } })
    })
  }
}
