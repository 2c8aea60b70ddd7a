import { type LanguageModelV4 } from '@ai-sdk/provider'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { limitedFetch, withoutForeignRedirects } from '../services/providers/index.js'
import { startEndpoint } from './processes.js'
import { createReport, median } from './report.js'

// Compares the service's client for OpenAI-compatible servers with the AI SDK's: `npx tsx bench/model-clients.ts`. Each round is a process
// of its own, and the two take turns; the minimum of each figure is shown, because anything else that runs here only adds to it. CPU time
// is that of the whole process, including reading from the socket.

const clients = {
  async own (baseUrl: string): Promise<LanguageModelV4> {
    const { createCompatibleModel } = await import('../services/agent/model/compatible/compatible-model.js')
    return createCompatibleModel({ baseUrl, apiKey: 'bench', modelId: 'bench-model', fetch: withoutForeignRedirects() })
  },
  async sdk (baseURL: string): Promise<LanguageModelV4> {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
    const fetch = limitedFetch()
    return createOpenAICompatible({ name: 'openaiCompatible', baseURL, includeUsage: true, apiKey: 'bench', fetch }).chatModel('bench-model')
  }
}
type Client = keyof typeof clients

/** `burst`: 20,000 tokens of one stream at full speed; `paced`: as many tokens from 20 streams, most in their own packet. */
interface Round { loadMs: number, firstMs: number, warmFirstMs: number, burstUs: number, pacedUs: number, rssMb: number }

const rounds = 5
const tokens = 20_000
const streams = 20
const tokensPerSecond = 200

const [client, burstUrl, pacedUrl] = process.argv.slice(2)
if (client === undefined) await compare()
else process.send!(await measure(clients[client as Client], burstUrl!, pacedUrl!))

async function compare (): Promise<void> {
  const burst = await startEndpoint(0)
  const paced = await startEndpoint(tokensPerSecond)
  const results: Record<Client, Round[]> = { own: [], sdk: [] }
  for (let round = 0; round < rounds; round++) {
    for (const name of ['own', 'sdk'] as const) {
      const child = fork(fileURLToPath(import.meta.url), [name, burst.url, paced.url], { execArgv: ['--import', 'tsx', '--expose-gc'] })
      const [result] = await once(child, 'message') as [Round]
      results[name].push(result)
      child.disconnect()
    }
  }
  burst.stop()
  paced.stop()
  const report = createReport()
  const rows: Array<[keyof Round, string, string]> = [
    ['loadMs', 'loading the client', 'ms'], ['firstMs', 'first token of the first call', 'ms'], ['warmFirstMs', '… of a later call', 'ms'],
    ['burstUs', 'processor time per token, at full speed', 'µs'], ['pacedUs', `… of ${streams} streams at ${tokensPerSecond} a second`, 'µs'],
    ['rssMb', 'memory of the process afterwards', 'MB']
  ]
  for (const [figure, measure, unit] of rows) {
    const [value, bare] = (['own', 'sdk'] as const).map((name) => Math.min(...results[name].map((result) => result[figure])))
    report.add({ measure, value: value!, unit, bare: bare!, note: 'bare: the SDK\'s client' })
  }
  report.print()
}

async function measure (open: (baseUrl: string) => Promise<LanguageModelV4>, burstUrl: string, pacedUrl: string): Promise<Round> {
  const startedMs = performance.now()
  const model = await open(burstUrl)
  const loadMs = performance.now() - startedMs
  const { firstMs } = await hear(model, 1)
  const warmFirstMs: number[] = []
  for (let call = 0; call < 50; call++) warmFirstMs.push((await hear(model, 200)).firstMs)
  const burstUs = await perToken(async () => [await hear(model, tokens)])
  const paced = await open(pacedUrl)
  const pacedUs = await perToken(async () =>
    await Promise.all(Array.from({ length: streams }, async () => await hear(paced, tokens / streams))))
  globalThis.gc!()
  return { loadMs, firstMs, warmFirstMs: median(warmFirstMs), burstUs, pacedUs, rssMb: process.memoryUsage.rss() / 1_000_000 }
}

async function perToken (work: () => Promise<Array<{ words: number }>>): Promise<number> {
  const before = process.cpuUsage()
  const heard = await work()
  const { user, system } = process.cpuUsage(before)
  const words = heard.reduce((sum, { words }) => sum + words, 0)
  if (words !== tokens) throw new Error(`${words} of ${tokens} tokens were heard`)
  return (user + system) / tokens
}

async function hear (model: LanguageModelV4, words: number): Promise<{ firstMs: number, words: number }> {
  const startedMs = performance.now()
  const { stream } = await model.doStream({ prompt: [{ role: 'user', content: [{ type: 'text', text: `words=${words}` }] }] })
  let firstMs = NaN
  let heard = 0
  for await (const part of stream) {
    if (part.type === 'error') throw part.error
    if (part.type !== 'text-delta') continue
    if (heard++ === 0) firstMs = performance.now() - startedMs
  }
  return { firstMs, words: heard }
}
