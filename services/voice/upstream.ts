import { RelayFailed } from '../ground/errors.js'
import { timeLimit } from '../ground/time-limit.js'
import { leadsElsewhere, withoutForeignRedirects, withoutSecrets } from '../providers/index.js'
import { type SpeechEndpoint } from './endpoint.js'

type Fetch = typeof globalThis.fetch

export interface SpeechRequest {
  endpoint: SpeechEndpoint
  /** Below the endpoint's address, with a slash at the beginning. */
  path: string
  headers: Record<string, string>
  body: FormData | string
  /** The answer has to be there in whole by then. */
  limitMs: number
  maxBytes: number
  signal: AbortSignal
}

const readOfRefusal = 64 * 1024

class TooLong extends Error {}

/**
 * Asks a speech service and answers all that it says. Throws RelayFailed, in words without a key or an address, when it cannot
 * be reached, refuses, does not come to an end in time, or says more than `maxBytes`.
 */
export async function askSpeechService (fetch: Fetch, { endpoint, path, headers, body, limitMs, maxBytes, signal }: SpeechRequest): Promise<Buffer> {
  const { name } = endpoint
  const limit = timeLimit(limitMs, [signal])
  try {
    const response = await withoutForeignRedirects(fetch)(endpoint.baseUrl + path, { method: 'POST', headers, body, signal: limit.signal })
    if (!response.ok) throw new RelayFailed(refusal(endpoint, response.status, await beginning(response)))
    return await whole(response, maxBytes)
  } catch (error) {
    if (error instanceof RelayFailed) throw error
    if (error instanceof TooLong) throw new RelayFailed(`${name} sent an answer without end.`)
    throw new RelayFailed(limit.signal.aborted ? `${name} did not answer in time.` : `${name} cannot be reached, or broke off in the middle of its answer.`)
  } finally {
    limit.clear()
  }
}

async function whole ({ body }: Response, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of body ?? []) {
    sizeBytes += chunk.length
    // Leaving the loop closes the connection.
    if (sizeBytes > maxBytes) throw new TooLong()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, sizeBytes)
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
  if (status === 401 || status === 403) return `${name} refused the API key.`
  if (status === 402) return `The account at ${name} has no quota left.`
  if (status === 429) return `${name} limits how many requests it takes and refused this one. Wait a moment and try again.`
  if (status === 413) return `${name} takes nothing of this size.`
  if (status >= 300 && status < 400) return leadsElsewhere(name, status)
  const reason = withoutSecrets(reasonIn(body), apiKey)
  return `${name} ${status >= 500 ? 'has a problem of its own' : 'refused the request'} (status ${status})${reason === '' ? '.' : `: ${reason}`}`
}

/** `{error: {message}}`, `{error}`, `{detail: {message}}`, `{detail}` or `{message}`: whichever dialect it speaks. */
function reasonIn (body: string): string {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return ''
  }
  for (let depth = 0; depth < 3 && typeof value === 'object' && value !== null; depth++) {
    const { error, detail, message } = value as Record<string, unknown>
    value = error ?? detail ?? message
  }
  return typeof value === 'string' ? value : ''
}
