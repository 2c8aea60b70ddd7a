import { RelayFailed } from '../../ground/errors.js'
import { fieldsOf } from '../../ground/fields.js'
import { timeLimit } from '../../ground/time/time-limit.js'
import { leadsElsewhere, withoutForeignRedirects, withoutSecrets } from '../../providers/index.js'
import { type SpeechEndpoint } from './endpoint.js'
import { Complaint, Garbled } from './transcript-events.js'

type Fetch = typeof globalThis.fetch

export interface SpeechRequest {
  endpoint: SpeechEndpoint
  /** Relative to the endpoint's address, with a leading slash. */
  path: string
  headers: Record<string, string>
  body: FormData | string
  /** The limit until the answer is complete. */
  limitMs: number
  maxBytes: number
  signal: AbortSignal
}

const readOfRefusal = 64 * 1024

class TooLong extends Error {}

/** Thrown when the service has answered, but refused the request. */
export class SpeechRefused extends RelayFailed {
  constructor (message: string, readonly status: number) {
    super(message)
  }
}

/** The answer of a service as it arrives, limited to the size that was asked for. */
export interface SpeechAnswer { type: string, chunks: AsyncIterable<Uint8Array> }

/** Sends a request to a speech service and returns its whole answer. Throws the errors of {@link readSpeechService}. */
export async function askSpeechService (fetch: Fetch, request: SpeechRequest): Promise<Buffer> {
  return await readSpeechService(fetch, request, async ({ chunks }) => await wholeBody(chunks))
}

/**
 * Sends a request to a speech service and has its answer read. Throws RelayFailed, in words without a key or an address, when the service
 * cannot be reached, refuses (SpeechRefused), does not finish in time, sends more than `maxBytes`, or an invalid answer.
 */
export async function readSpeechService<T> (
  fetch: Fetch, { endpoint, path, headers, body, limitMs, maxBytes, signal }: SpeechRequest, read: (answer: SpeechAnswer) => Promise<T>
): Promise<T> {
  const { name } = endpoint
  const limit = timeLimit(limitMs, [signal])
  try {
    const response = await withoutForeignRedirects(fetch)(endpoint.baseUrl + path, { method: 'POST', headers, body, signal: limit.signal })
    if (!response.ok) throw new SpeechRefused(refusal(endpoint, response.status, await beginning(response)), response.status)
    return await read({ type: response.headers.get('content-type') ?? '', chunks: atMost(response, maxBytes) })
  } catch (error) {
    if (error instanceof RelayFailed) throw error
    if (error instanceof Complaint) throw new RelayFailed(complaint(name, withoutSecrets(error.message, endpoint.apiKey)))
    if (error instanceof Garbled) throw new RelayFailed(`${name} sent an invalid answer.`)
    if (error instanceof TooLong) throw new RelayFailed(`${name} sent an answer that is too long.`)
    throw new RelayFailed(limit.signal.aborted
      ? `${name} did not answer in time.`
      : `${name} cannot be reached, or broke off in the middle of its answer.`)
  } finally {
    limit.clear()
  }
}

export async function wholeBody (chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const chunk of chunks) all.push(chunk)
  return Buffer.concat(all)
}

async function * atMost ({ body }: Response, maxBytes: number): AsyncGenerator<Uint8Array> {
  let sizeBytes = 0
  for await (const chunk of body ?? []) {
    sizeBytes += chunk.length
    // Leaving the loop closes the connection.
    if (sizeBytes > maxBytes) throw new TooLong()
    yield chunk
  }
}

async function beginning ({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    sizeBytes += chunk.length
    if (sizeBytes >= readOfRefusal) break
  }
  return Buffer.concat(chunks).toString()
}

function refusal ({ name, apiKey }: SpeechEndpoint, status: number, body: string): string {
  if (status === 401 || status === 403) {
    return apiKey === null
      ? `${name} wants an API key. Name it in config.yaml, beside the address, with key_env or api_key.`
      : `${name} refused the API key.`
  }
  if (status === 402) return `The account at ${name} has no quota left.`
  if (status === 429) return `${name} limits how many requests it takes and refused this one. Wait a moment and try again.`
  if (status === 413) return `${name} takes nothing of this size.`
  if (status >= 300 && status < 400) return leadsElsewhere(name, status)
  const reason = withoutSecrets(reasonIn(body), apiKey)
  return `${name} ${status >= 500 ? 'has a problem of its own' : 'refused the request'} (status ${status})${reason === '' ? '.' : `: ${reason}`}`
}

const complaint = (name: string, reason: string): string =>
  `${name} broke off in the middle of its answer${reason === '' ? '.' : `: ${reason}`}`

/**
 * Finds the reason in `{error: {message}}`, `{error}`, `{detail: {message}}`, `{detail}` or `{message}`, the formats of different servers.
 */
function reasonIn (body: string): string {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return ''
  }
  for (let depth = 0; depth < 3 && typeof value === 'object' && value !== null; depth++) {
    const { error, detail, message } = fieldsOf(value)
    value = error ?? detail ?? message
  }
  return typeof value === 'string' ? value : ''
}
