import { join } from 'node:path'
import { type Bench } from './context.js'
import { processorMs, startEndpoint, startService } from './processes.js'
import { median, percentile } from './report.js'
import { seedMany } from './seed.js'
import { hearDirectly, hearTurn, newSessions, type Heard } from './turns.js'
import { call } from './wire.js'

type Point = [x: number, y: number]

const tokensPerSecond = 50
const rounds = 100

/** Measures what becomes slower with scale: by the number of stored messages, and of turns that stream at once. */
export async function curveRows (bench: Bench): Promise<void> {
  await messageCurves(bench)
  await streamCurves(bench)
}

async function messageCurves (bench: Bench): Promise<void> {
  const amounts = bench.quick ? [100, 1_000, 10_000] : [100, 1_000, 10_000, 100_000, 1_000_000]
  const lines: Record<'start' | 'page' | 'last' | 'search', Point[]> = { start: [], page: [], last: [], search: [] }
  for (const messages of amounts) {
    const home = join(bench.home, `messages-${messages}`)
    const { session } = await seedMany(home, messages)
    // The first start masks existing texts by the current rules, once.
    await (await startService({ ...bench, home })).stop()
    const service = await startService({ ...bench, home })
    try {
      lines.start.push([messages, service.startedInMs])
      lines.page.push([messages, await medianMs(() => `${service.url}/api/sessions?limit=50`)])
      lines.last.push([messages, await medianMs(() => `${service.url}/api/session?session_id=${session}&msg_limit=50`)])
      lines.search.push([messages, await medianMs((round) =>
        `${service.url}/api/sessions/search?depth=0&q=${encodeURIComponent(`word${(round * 7919) % 5000} word`)}`)])
    } finally {
      await service.stop()
    }
  }
  bench.report.draw({
    title: 'Times by the number of messages that are kept', xLabel: 'messages', yLabel: 'ms, median',
    series: [
      { name: 'start', points: lines.start }, { name: 'search by content', points: lines.search },
      { name: 'last 50 messages', points: lines.last }, { name: 'first page of the list', points: lines.page }
    ]
  })
}

async function medianMs (url: (round: number) => string): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const startMs = performance.now()
    await call(url(round))
    times.push(performance.now() - startMs)
  }
  return median(times)
}

async function streamCurves (bench: Bench): Promise<void> {
  const amounts = bench.quick ? [1, 10, 100] : [1, 3, 10, 30, 100, 300, 1_000]
  const words = 4 * tokensPerSecond
  const lines: Record<'here50' | 'here99' | 'direct99' | 'web' | 'host', Point[]> = { here50: [], here99: [], direct99: [], web: [], host: [] }
  const endpoint = await startEndpoint(tokensPerSecond)
  const service = await startService({ ...bench, modelUrl: endpoint.url })
  try {
    const hostPid = await service.hostPid()
    await hearTurn(service.url, (await newSessions(service.url, 1))[0] ?? '', 'words=5')
    for (const count of amounts) {
      const direct = await Promise.all(Array.from({ length: count }, async () => await hearDirectly(endpoint.url, `words=${words}`)))
      const ids = await newSessions(service.url, count)
      const before = [processorMs(service.pid), processorMs(hostPid)] as const
      const heard = await Promise.all(ids.map(async (id) => await hearTurn(service.url, id, `words=${words}`)))
      const tokens = count * words
      lines.here50.push([count, late(heard, 0.5)])
      lines.here99.push([count, late(heard, 0.99)])
      lines.direct99.push([count, late(direct, 0.99)])
      lines.web.push([count, (processorMs(service.pid) - before[0]) / tokens * 1000])
      lines.host.push([count, (processorMs(hostPid) - before[1]) / tokens * 1000])
    }
  } finally {
    await service.stop()
    endpoint.stop()
  }
  bench.report.draw({
    title: 'How late a token is, by the number of turns at once', xLabel: `turns of ${tokensPerSecond} tokens a second`, yLabel: 'ms',
    series: [{ name: 'p50', points: lines.here50 }, { name: 'p99', points: lines.here99 }, { name: 'p99, endpoint', points: lines.direct99 }]
  })
  bench.report.draw({
    title: 'Processor time per token, by the number of turns at once', xLabel: `turns of ${tokensPerSecond} tokens a second`, yLabel: 'µs',
    series: [{ name: 'web tier', points: lines.web }, { name: 'host', points: lines.host }]
  })
}

const late = (heard: readonly Heard[], share: number): number => percentile(heard.flatMap(({ delaysMs }) => delaysMs), share)
