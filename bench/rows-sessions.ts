import { join } from 'node:path'
import { type Bench } from './context.js'
import { load } from './load.js'
import { startService, type Service } from './processes.js'
import { percentile } from './report.js'
import { seedMany } from './seed.js'
import { call, post } from './wire.js'

/** Measures searching, importing and listing conversations, also with very many messages. */
export async function sessionRows (bench: Bench): Promise<void> {
  const service = await startService(bench)
  try {
    await searchRows(bench, service)
    await importRow(bench, service)
  } finally {
    await service.stop()
  }
  await scaleRows(bench)
}

async function searchRows ({ report, quick }: Bench, { url }: Service): Promise<void> {
  const seconds = quick ? 2 : 4
  const search = async (query: string) => await load({ url: `${url}/api/sessions/search?${query}`, connections: 1, seconds })
  const title = await search('q=Conversation%20777&content=0')
  report.add({ measure: 'title search, 1,000 sessions, c=1', value: title.perSecond, unit: '/s', promise: { least: 1_000 } })
  const rare = await search('q=Message%201234.&depth=0')
  report.add({ measure: 'content search, 12,000 messages, c=1, a rare text', value: rare.perSecond, unit: '/s', promise: { least: 300 } })
  const recent = await search('q=Message%201999')
  report.add({ measure: '… in the last five of each session', value: recent.perSecond, unit: '/s', promise: { least: 300 } })
  const common = await search('q=lazy%20dog&depth=0')
  report.add({ measure: '… a text that every message has', value: common.perSecond, unit: '/s' })
  const short = await search('q=zq&depth=5')
  report.add({ measure: '… two characters', value: short.perSecond, unit: '/s' })
}

async function importRow ({ report }: Bench, { url }: Service): Promise<void> {
  const messages = Array.from({ length: 10 }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant', content: `Imported ${index}. ${'The quick brown fox jumps over the lazy dog. '.repeat(6)}`
  }))
  const startMs = performance.now()
  const waves = 50
  for (let wave = 0; wave < 1_000 / waves; wave++) {
    await Promise.all(Array.from({ length: waves }, (_, index) =>
      post(`${url}/api/session/import`, { title: `Import ${wave * waves + index}`, messages })))
  }
  report.add({
    measure: 'import of 1,000 sessions of 10 messages, 50 at once', value: (performance.now() - startMs) / 1000, unit: 's',
    promise: { most: 2 }
  })
  const againMs = performance.now()
  for (let index = 0; index < 1_000; index++) await post(`${url}/api/session/import`, { title: `Import ${index}`, messages })
  report.add({ measure: '… one after the other', value: (performance.now() - againMs) / 1000, unit: 's', promise: { most: 2 } })
}

/** Measures the same requests on a database with many times the messages. */
async function scaleRows (bench: Bench): Promise<void> {
  const { report, quick } = bench
  const messages = quick ? 100_000 : Number(process.env.BENCH_MESSAGES ?? 1_000_000)
  const home = join(bench.home, 'many')
  const startMs = performance.now()
  const { session } = await seedMany(home, messages)
  report.add({ measure: `${messages} messages more: made in`, value: (performance.now() - startMs) / 1000, unit: 's' })
  const service = await startService({ ...bench, home })
  try {
    const times: number[] = []
    for (let round = 0; round < 200; round++) {
      const began = performance.now()
      await call(`${service.url}/api/sessions/search?depth=0&q=${encodeURIComponent(`word${(round * 7919) % 5000} word`)}`)
      times.push(performance.now() - began)
    }
    report.add({
      measure: `content search over ${messages} messages, p95`, value: percentile(times, 0.95), unit: 'ms', promise: { most: 50 },
      note: `p50 ${percentile(times, 0.5).toFixed(1)} ms`
    })
    const list = await load({ url: `${service.url}/api/sessions`, connections: 10, seconds: 2 })
    report.add({ measure: '… list, unchanged, c=10', value: list.perSecond, unit: '/s' })
    const last = await load({ url: `${service.url}/api/session?session_id=${session}&msg_limit=50`, connections: 10, seconds: 2 })
    report.add({ measure: '… the last 50 of a session, c=10', value: last.perSecond, unit: '/s' })
  } finally {
    await service.stop()
  }
}
