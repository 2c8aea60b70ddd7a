import { httpFaults } from './http-faults.js'
import { configure, eventually, isInWords, type Site } from './site.js'

const [answerLimitMs, patienceMs] = [45_000, 2_000]
/** How long a connection may stay open after its client has gone. */
const closeLimitMs = 10_000
const recording = Buffer.concat([Buffer.from('RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00', 'latin1'), Buffer.alloc(4_096)])
/** Requests to read aloud are limited for each address. */
let addresses = 0

/**
 * Tries speech servers: the request is answered with a readable error, and one that the client abandons is abandoned by the service too.
 */
export async function trySpeech (site: Site): Promise<void> {
  for (const { name, endless } of httpFaults) {
    const url = `${site.http.url(name)}/v1`
    configure(site.arena, { stt: { base_url: url }, tts: { provider: 'openai', openai: { base_url: url } } })
    const limitMs = endless === true ? patienceMs : answerLimitMs
    await Promise.all([
      tryOne(site, `transcription by "${name}"`, endless === true, async () => await transcribe(site, limitMs)),
      tryOne(site, `speech by "${name}"`, endless === true, async () => await speak(site, limitMs))
    ])
  }
}

async function tryOne (site: Site, what: string, endless: boolean, ask: () => Promise<Response>): Promise<void> {
  const { arena: { tally }, http } = site
  tally.tried('faults')
  tally.checked()
  const answer = await ask().then(async (response) => ({ status: response.status, text: await response.text() }), () => null)
  if (answer === null) {
    if (!endless) tally.wrong(`${what}: no answer within ${answerLimitMs / 1000} s`)
    if (!await eventually(() => http.open().length === 0, closeLimitMs)) tally.wrong(`${what}: its connection is open ${closeLimitMs / 1000} s after the request was given up`)
  } else if (answer.status !== 200) {
    const error = errorIn(answer.text)
    if (answer.status === 500 || !isInWords(error)) tally.wrong(`${what}: ${answer.status} ${answer.text.slice(0, 200)}`)
  }
}

function errorIn (text: string): string {
  try {
    return String((JSON.parse(text) as { error?: string }).error ?? '')
  } catch {
    return ''
  }
}

async function transcribe ({ service }: Site, limitMs: number): Promise<Response> {
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(recording)]), 'recording.wav')
  return await fetch(`${service.url}/api/transcribe`, { method: 'POST', body: form, headers: addressed(), signal: AbortSignal.timeout(limitMs) })
}

async function speak ({ service }: Site, limitMs: number): Promise<Response> {
  return await fetch(`${service.url}/api/tts`, {
    method: 'POST', body: JSON.stringify({ text: `Read this aloud, number ${addresses}.` }),
    headers: { 'content-type': 'application/json', ...addressed() }, signal: AbortSignal.timeout(limitMs)
  })
}

const addressed = (): Record<string, string> => ({ 'x-forwarded-for': `203.0.113.${++addresses % 250}` })
