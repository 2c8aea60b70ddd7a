import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { createOutgoing } from '../network/guarded-connector.js'
import { timeLimit } from '../time/time-limit.js'
import { codesOf, unreachedBy, unreachedInWords } from '../network/unreached.js'
import { json, type Batch, type Encoding } from './encoding.js'
import { protobuf } from './protobuf.js'
import { type TracingSettings } from './settings.js'

const compressed = promisify(gzip)
/** Only the status of an answer is used. */
const mostAnswerBytes = 64 * 1024
/** OTLP, "Retryable Response Codes". */
const passing = new Set([429, 502, 503, 504])

/** Why a batch was refused. `says` is the end of a sentence about the collector, `next` what can be done. Neither contains its address. */
export interface Refusal { isPassing: boolean, retryAfterMs: number | null, code: string, says: string, next: string }

export interface Collector {
  /** Sends a batch once. Resolves with null if it was accepted. Never rejects. */
  send (batch: Batch, signal: AbortSignal): Promise<Refusal | null>
  close (): Promise<void>
}

type Way = Pick<TracingSettings, 'url' | 'encoding' | 'headers' | 'isCompressed' | 'timeoutMs'>

/** Returns the destination of spans: OTLP over HTTP, by the same route as all outgoing connections. */
export function createCollector ({ url, encoding, headers, isCompressed, timeoutMs }: Way): Collector {
  const { contentType, encode }: Encoding = encoding === 'json' ? json : protobuf
  const outgoing = createOutgoing({ allowAddress: () => true, allowName: () => true, refuse: (host) => new Error(`${host} is refused`) })

  async function post (batch: Batch, signal: AbortSignal): Promise<Refusal | null> {
    const { default: { fetch } } = await import('undici')
    const plain = encode(batch)
    const body = isCompressed ? await compressed(plain) : plain
    const response = await fetch(url, {
      method: 'POST',
      body,
      headers: {
        'user-agent': 'agent-web-service', ...headers, 'content-type': contentType, ...(isCompressed && { 'content-encoding': 'gzip' })
      },
      dispatcher: await outgoing.agent(),
      redirect: 'manual',
      signal
    })
    const refusal = refusalOf(response)
    await drop(response.body)
    return refusal
  }

  return {
    async send (batch, signal) {
      const limit = timeLimit(timeoutMs, [signal])
      try {
        return await post(batch, limit.signal)
      } catch (error) {
        return unreached(error)
      } finally {
        limit.clear()
      }
    },
    close: async () => await outgoing.destroy()
  }
}

function refusalOf ({ status, headers }: { status: number, headers: Pick<Headers, 'get'> }): Refusal | null {
  const isPage = /\bhtml\b/i.test(headers.get('content-type') ?? '')
  if (status >= 200 && status < 300 && !isPage) return null
  const of = (says: string, next: string): Refusal => ({
    isPassing: passing.has(status), retryAfterMs: retryAfterMs(headers.get('retry-after')), code: String(status), says, next
  })
  if (status < 300) return of('answers with a web page', 'Name the address that takes OTLP over HTTP, usually at port 4318.')
  if (status === 401 || status === 403) return of(`does not accept the credentials (${status})`, 'Check OTEL_EXPORTER_OTLP_HEADERS.')
  if (status === 404 || status === 405) return of(`takes no traces at this address (${status})`, 'Check OTEL_EXPORTER_OTLP_ENDPOINT: /v1/traces is added to it.')
  return of(`answers ${status}`, passing.has(status) ? 'It may take them later; look into its log.' : 'Look into its log.')
}

function retryAfterMs (text: string | null): number | null {
  if (text === null) return null
  const seconds = Number(text)
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(text) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : null
}

/** Reads a short body, so that the connection can be reused. */
async function drop (body: AsyncIterable<Uint8Array> | null): Promise<void> {
  let bytes = 0
  for await (const piece of body ?? []) {
    bytes += piece.length
    if (bytes > mostAnswerBytes) return
  }
}

function unreached (error: unknown): Refusal {
  const found = unreachedBy(error)
  const code = found?.code ?? codesOf(error)[0] ?? 'unknown'
  const words = found === null
    ? { says: `cannot be reached (${code})`, next: 'Check its address, and the network of this machine.' }
    : unreachedInWords(found)
  return { isPassing: true, retryAfterMs: null, code, ...words }
}
