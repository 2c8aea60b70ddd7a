import { spawn } from 'node:child_process'
import { get, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { type Bench } from './context.js'
import { startEndpoint, startService, type Service } from './processes.js'
import { median, percentile } from './report.js'
import { hearTurn, newSessions } from './turns.js'

const tokensPerSecond = 50
const measuredTurns = 4
/** Turns of prose besides them, spoken or silent. */
const spokenTurns = 2
const sentence = `${'The quick brown fox jumps over the lazy dog, and '.repeat(4)}so on.`.slice(0, 200)
/** As often as the service allows for one client. */
const textEveryMs = 2_000
/** Each text comes from another address, so that the limit per address does not affect the measurement. */
const variables = { SVC_WEBUI_TRUSTED_PROXIES: 'loopback' }

/** Measures speech by espeak-ng: how soon it is heard, and its effect on tokens that stream at the same time. */
export async function speechRows (bench: Bench): Promise<void> {
  if (!await isInstalled()) {
    console.log('  skipped: espeak-ng is not installed')
    return
  }
  await firstSoundRows(bench)
  await tokenRows(bench)
}

async function firstSoundRows ({ report, quick, ...bench }: Bench): Promise<void> {
  const cold: number[] = []
  const warm: number[] = []
  const itself: number[] = []
  for (let round = 0; round < (quick ? 2 : 5); round++) {
    const service = await startService({ ...bench, variables })
    try {
      const speak = speakerOf(service)
      cold.push(await timed(speak))
      for (let time = 0; time < (quick ? 5 : 20); time++) {
        itself.push(await timed(speakDirectly))
        warm.push(await timed(speak))
      }
    } finally {
      await service.stop()
    }
  }
  const bare = median(itself)
  report.add({
    measure: `a sentence of ${sentence.length} characters, the first of a service`, value: Math.max(...cold), unit: 'ms', bare,
    promise: { most: 400 }, note: `worst of ${cold.length}; bare: espeak-ng itself`
  })
  report.add({
    measure: '… the next ones', value: median(warm), unit: 'ms', bare, promise: { most: 100 },
    note: `p99 ${Math.round(percentile(warm, 0.99))} ms`
  })
}

async function tokenRows ({ report, quick, ...bench }: Bench): Promise<void> {
  const endpoint = await startEndpoint(tokensPerSecond)
  const service = await startService({ ...bench, variables, modelUrl: endpoint.url })
  await service.hostPid()
  const words = (quick ? 2 : 6) * tokensPerSecond
  let sentences = 0
  // The audio is not parsed: that would block this process, in which the delays are measured.
  const listen = (streamId: string): void => {
    get(`${service.url}/api/tts/stream?stream_id=${streamId}&engine=espeak&voice=en`, (response) => {
      response.on('data', (chunk: Buffer) => { if (chunk.includes('event: audio')) sentences++ })
      response.on('error', () => {})
    }).on('error', () => {})
  }
  const turns = async (started?: (streamId: string) => void): Promise<number[]> => {
    const ids = await newSessions(service.url, measuredTurns + spokenTurns)
    const heard = await Promise.all(ids.map(async (id, index) =>
      await (index < measuredTurns ? hearTurn(service.url, id, `words=${words}`) : hearTurn(service.url, id, `prose=${words}`, started))))
    return heard.flatMap(({ delaysMs }) => delaysMs)
  }
  try {
    const speak = speakerOf(service)
    await speak()
    await turns()
    const silent: number[] = []
    const spoken: number[] = []
    let texts = 0
    for (let round = 0; round < (quick ? 1 : 4); round++) {
      silent.push(...await turns())
      const beside = { isWanted: true }
      const over = (async () => {
        for (; beside.isWanted; texts++) {
          await speak()
          await delay(textEveryMs)
        }
      })()
      spoken.push(...await turns(listen))
      beside.isWanted = false
      await over
    }
    const bare = percentile(silent, 0.99)
    report.add({
      measure: `${measuredTurns} × ${tokensPerSecond} tokens/s beside speech: added delay per token, p99`,
      value: percentile(spoken, 0.99) - bare, unit: 'ms', bare, bareUnit: 'ms in silence', promise: { most: 10 },
      note: `${sentences} sentences of ${spokenTurns} turns and ${texts} texts were spoken; p50 ${(median(spoken) - median(silent)).toFixed(1)} ms`
    })
  } finally {
    await service.stop()
    endpoint.stop()
  }
}

/** Returns a function that has the sentence read aloud, to the last byte of its audio. */
function speakerOf ({ url }: Service): () => Promise<void> {
  let asked = 0
  return async () => {
    const body = JSON.stringify({ text: sentence, voice: 'en-US-AriaNeural', engine: 'espeak' })
    await new Promise<void>((resolve, reject) => {
      const headers = {
        'content-type': 'application/json', 'content-length': Buffer.byteLength(body),
        'x-forwarded-for': `198.51.${asked >> 8}.${asked++ & 0xff}`
      }
      const call = request(`${url}/api/tts`, { method: 'POST', headers }, (response) => {
        response.resume()
        response.on('end', () => response.statusCode === 200 ? resolve() : reject(new Error(`/api/tts answered ${response.statusCode}`)))
      })
      call.on('error', reject)
      call.end(body)
    })
  }
}

async function speakDirectly (): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const child = spawn('espeak-ng', ['--stdin', '--stdout', '-b', '1', '-v', 'en-us+f3'], { stdio: ['pipe', 'pipe', 'ignore'] })
    child.stdout.resume()
    child.on('error', reject)
    child.on('close', () => resolve())
    child.stdin.end(sentence)
  })
}

const isInstalled = async (): Promise<boolean> => await speakDirectly().then(() => true, () => false)

async function timed (work: () => Promise<void>): Promise<number> {
  const startMs = performance.now()
  await work()
  return performance.now() - startMs
}
