import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type Bench } from './context.js'
import { load } from './load.js'
import { startBare, startEndpoint, startService } from './processes.js'
import { median, percentile } from './report.js'
import { hearTurn, newSessions } from './turns.js'
import { call, post } from './wire.js'

const tokensPerSecond = 50
/** Longer than a cold list may take. */
const storyWords = 500

/** Measures models and providers: the picker's list, warm and cold, and how soon a change takes effect. */
export async function modelRows (bench: Bench): Promise<void> {
  const { home, report, quick } = bench
  const endpoint = await startEndpoint(tokensPerSecond)
  const silent = createServer(() => {})
  const silentUrl = await listening(silent)
  const service = await startService({ ...bench, modelUrl: endpoint.url })
  const bare = await startBare(bench.bareFile, bench.seeded.long)
  try {
    await service.hostPid()
    const url = `${service.url}/api/models`
    await call(url)
    const [idle] = await newSessions(service.url, 1)
    const alone = await hearTurn(service.url, idle!, `words=${quick ? 100 : storyWords}`)

    writeFileSync(join(home, 'config.yaml'), `custom_providers:\n  - { name: Dead, base_url: "http://127.0.0.1:9/v1", models: [d] }\n  - { name: Slow, base_url: "${silentUrl}", models: [s] }\nmodel: { provider: openai, default: bench-model }\n`)
    const [id] = await newSessions(service.url, 1)
    const story = hearTurn(service.url, id!, `words=${storyWords}`)
    await new Promise((resolve) => setTimeout(resolve, 500))
    const coldMs = await took(async () => await call(url))
    report.add({
      measure: 'GET /api/models, cold, one provider dead and one silent', value: coldMs / 1000, unit: 's', promise: { most: 8.5 }
    })
    const beside = await story
    const p99 = percentile(beside.delaysMs, 0.99)
    const p99Alone = percentile(alone.delaysMs, 0.99)
    report.add({
      measure: '… p99 of the delay of tokens meanwhile', value: p99, unit: 'ms', bare: p99Alone, promise: { most: p99Alone + 5 },
      note: 'bare: without it'
    })

    const seconds = quick ? 2 : 4
    const bytes = Buffer.from(await (await fetch(url, { headers: { 'accept-encoding': 'identity' } })).arrayBuffer())
    await fetch(`${bare.url}/bytes/models`, { method: 'PUT', body: bytes })
    const direct = await load({ url: `${bare.url}/bytes/models`, connections: 10, seconds })
    const warm = await load({ url, connections: 10, seconds })
    report.add({
      measure: `GET /api/models (${(bytes.length / 1024).toFixed(1)} KiB), c=10, warm`, value: warm.perSecond, unit: '/s',
      bare: direct.perSecond
    })
    const single = []
    for (let round = 0; round < 200; round++) single.push(await took(async () => await call(url)))
    report.add({ measure: '… one at a time, p99', value: percentile(single, 0.99), unit: 'ms', promise: { most: 3 } })
    const etag = (await fetch(url)).headers.get('etag') ?? ''
    const unchanged = await load({ url, connections: 10, seconds, headers: { 'if-none-match': etag }, expected: [304] })
    report.add({ measure: '… If-None-Match', value: unchanged.perSecond, unit: '/s', bare: direct.perSecond })

    await post(`${service.url}/api/profile/create`, { name: 'other' })
    const switches = []
    for (let round = 0; round < 40; round++) {
      switches.push(
        await took(async () => await post(`${service.url}/api/profile/switch`, { name: round % 2 === 0 ? 'other' : 'default' }))
      )
    }
    report.add({ measure: 'switching the profile, p99', value: percentile(switches, 0.99), unit: 'ms', promise: { most: 30 } })

    const turns = []
    for (let round = 0; round < (quick ? 5 : 15); round++) {
      const [session] = await newSessions(service.url, 1)
      const startedMs = performance.now()
      await post(`${service.url}/api/providers`, { provider: 'openai', api_key: `bench-key-number-${round}` })
      const heard = await hearTurn(service.url, session!, 'words=1')
      turns.push(heard.firstMs - startedMs)
    }
    report.add({
      measure: 'from a changed key to the first token of a turn with it', value: median(turns), unit: 'ms', promise: { most: 300 }
    })
  } finally {
    bare.stop()
    await service.stop()
    endpoint.stop()
    silent.close()
    silent.closeAllConnections()
  }
}

async function listening (server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

async function took (work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}
