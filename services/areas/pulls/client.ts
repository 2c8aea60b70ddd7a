import { hash } from 'node:crypto'
import { type Response } from 'undici'
import { monotonicMs, type Clock } from '../../ground/time/clock.js'
import { Conflict, DomainError, Invalid, NotFound, RelayFailed, Unavailable } from '../../ground/errors.js'
import { createOutgoing } from '../../ground/network/guarded-connector.js'
import { beyondLimits, mostLevels } from '../../ground/text/json.js'
import { keepNewest } from '../../ground/keep-newest.js'
import { leadsToPrivate, outsideGuard, PrivateAddress } from '../../ground/network/outgoing.js'
import { timeLimit } from '../../ground/time/time-limit.js'
import { chainOf, unreachedBy, unreachedInWords } from '../../ground/network/unreached.js'
import { fieldsOf, lineOf, listOf } from './parsing.js'
import { type LogTail } from './forge.js'
import { maskedText } from './texts.js'

/** The address and the credentials for requests to one forge. */
export interface ForgeSeat {
  /** Its display name: `GitHub`, or its host. */
  name: string
  /** The address of its interface, without a slash at the end. */
  api: string
  token: string
  /** The headers that carry the token. */
  authorization: Readonly<Record<string, string>>
}

export interface RequestOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH'
  body?: unknown
  /** Returns null for status 404, instead of throwing. */
  orNull?: boolean
}

export interface ForgeClientOptions {
  clock: Clock
  /** Whether requests to this machine and private networks are allowed. */
  isPrivateAllowed: boolean
  /** The limit for a complete answer, in milliseconds; logs may take three times as long. */
  limitMs?: number
}

const usualLimitMs = 20_000
const mostBytes = 4 * 1_048_576
const mostValues = 200_000
/** How many answers are cached for requests with their ETag. */
const mostKept = 100
const largestKeptBytes = 128 * 1_024
const mostLogBytes = 64 * 1_048_576
const tailBytes = 48 * 1_024
const mostRedirects = 3
/** The pause if a forge reports too many requests, but not for how long. */
const usualPauseS = 60
const longestPauseS = 3_600

/**
 * Sends requests to forges. A token is sent only to the server that it is stored for: a redirect to another server is followed only for
 * logs, without the token. Unchanged answers are not sent again (ETags), and a pause that a forge asks for is respected.
 *
 * Throws Invalid (`auth_failed`, `network_failed`), NotFound, Conflict (`forge_refused`, with what the forge says), Unavailable
 * (`forge_limited`) and RelayFailed (`forge_unreadable`).
 */
export class ForgeClient {
  readonly #options: ForgeClientOptions
  readonly #limitMs: number
  readonly #outgoing
  /** For redirects of a forge on the internet: never into private networks. */
  readonly #outside = createOutgoing(outsideGuard(false))
  readonly #kept = new Map<string, { etag: string, body: unknown }>()
  /** Until when no requests may be sent, in monotonic milliseconds. */
  readonly #pauses = new Map<string, number>()

  constructor (options: ForgeClientOptions) {
    this.#options = options
    this.#limitMs = options.limitMs ?? usualLimitMs
    this.#outgoing = createOutgoing(outsideGuard(options.isPrivateAllowed))
  }

  async json (seat: ForgeSeat, path: string, { method = 'GET', body, orNull = false }: RequestOptions = {}): Promise<unknown> {
    const limit = timeLimit(this.#limitMs)
    try {
      const key = method === 'GET' ? hash('sha256', `${seat.token} ${seat.api}${path}`) : null
      const kept = key === null ? undefined : this.#kept.get(key)
      const response = await this.#send(seat, `${seat.api}${path}`, {
        method, signal: limit.signal, headers: { accept: 'application/json', ...(kept !== undefined && { 'if-none-match': kept.etag }) },
        ...(body !== undefined && { body: JSON.stringify(body) })
      })
      if (response.status === 304 && kept !== undefined) {
        await response.body?.cancel()
        return kept.body
      }
      const bytes = await wholeBody(response, seat)
      if (orNull && response.status === 404) return null
      if (!response.ok) throw refusalOf(seat, response.status, bytes)
      const parsed = bytes.length === 0 ? null : parsedOf(bytes, seat)
      const etag = response.headers.get('etag')
      if (key !== null && etag !== null && etag.length < 300 && bytes.length <= largestKeptBytes) {
        this.#kept.delete(key)
        this.#kept.set(key, { etag, body: parsed })
        keepNewest(this.#kept, mostKept)
      }
      return parsed
    } catch (error) {
      throw this.#failureOf(seat, error)
    } finally {
      limit.clear()
    }
  }

  /** Returns the end of a text of any length. */
  async tail (seat: ForgeSeat, path: string): Promise<LogTail> {
    const limit = timeLimit(3 * this.#limitMs)
    try {
      const response = await this.#send(seat, `${seat.api}${path}`, { method: 'GET', signal: limit.signal, headers: { accept: '*/*' } }, true)
      if (!response.ok) throw refusalOf(seat, response.status, await wholeBody(response, seat))
      return await endOf(response)
    } catch (error) {
      throw this.#failureOf(seat, error)
    } finally {
      limit.clear()
    }
  }

  async close (): Promise<void> {
    await Promise.all([this.#outgoing.destroy(), this.#outside.destroy()])
  }

  async #send (
    seat: ForgeSeat, address: string,
    { headers, ...init }: { method: string, signal: AbortSignal, headers: Record<string, string>, body?: string }, leavesServer = false
  ): Promise<Response> {
    this.#assertNoPause(seat)
    const { default: { fetch } } = await import('undici')
    let url = new URL(address)
    for (let followed = 0; ; followed++) {
      const isOwn = url.origin === new URL(seat.api).origin
      const outgoing = isOwn || await leadsToPrivate(new URL(seat.api)) ? this.#outgoing : this.#outside
      const response = await fetch(url, {
        ...init, redirect: 'manual', dispatcher: await outgoing.agent(),
        headers: {
          'user-agent': 'agent-web-service', ...headers, ...(isOwn && seat.authorization),
          ...(init.body !== undefined && { 'content-type': 'application/json' })
        }
      })
      const refusal = isOwn ? this.#notedPause(seat, response) : null
      if (refusal !== null) {
        await response.body?.cancel()
        throw refusal
      }
      const location = [301, 302, 303, 307, 308].includes(response.status) ? response.headers.get('location') : null
      if (location === null) return response
      await response.body?.cancel()
      if (followed === mostRedirects || init.method !== 'GET' || !URL.canParse(location, url.href)) throw misled(seat)
      url = new URL(location, url)
      if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') throw misled(seat)
      if (url.origin !== new URL(seat.api).origin && !leavesServer) throw misled(seat)
    }
  }

  #assertNoPause (seat: ForgeSeat): void {
    const leftMs = (this.#pauses.get(pauseKey(seat)) ?? 0) - monotonicMs(this.#options.clock)
    if (leftMs > 0) throw limited(seat, Math.ceil(leftMs / 1_000))
  }

  /**
   * Stores the pause that an answer asks for, and returns an error if the request was refused. GitHub: `x-ratelimit-*`; GitLab:
   * `ratelimit-*`; all: `retry-after`.
   */
  #notedPause (seat: ForgeSeat, { status, headers }: Response): Unavailable | null {
    const remaining = headers.get('x-ratelimit-remaining') ?? headers.get('ratelimit-remaining')
    const after = Number(headers.get('retry-after') ?? NaN)
    const isTooMany = status === 429 || (status === 403 && (remaining === '0' || !Number.isNaN(after)))
    if (!isTooMany && remaining !== '0') return null
    const reset = Number(headers.get('x-ratelimit-reset') ?? headers.get('ratelimit-reset') ?? NaN)
    const untilReset = reset - this.#options.clock.now() / 1_000
    const said = Math.min(Number.isNaN(after) ? untilReset : after, longestPauseS)
    // If the forge's clock differs, the time that it names may be in the past.
    if (!isTooMany && !(said > 0)) return null
    const seconds = said > 0 ? said : usualPauseS
    this.#pauses.delete(pauseKey(seat))
    this.#pauses.set(pauseKey(seat), monotonicMs(this.#options.clock) + seconds * 1_000)
    keepNewest(this.#pauses, mostKept)
    return isTooMany ? limited(seat, Math.ceil(seconds)) : null
  }

  #failureOf (seat: ForgeSeat, error: unknown): unknown {
    if (error instanceof DomainError) return error
    if (chainOf(error).some((each) => each instanceof PrivateAddress)) {
      // Even if private addresses are allowed, some addresses are always blocked.
      if (this.#options.isPrivateAllowed) return misled(seat)
      return new Invalid(`${seat.name} is on this machine or in a private network, which needs SVC_WEBUI_WEBHOOK_PRIVATE=1 in the environment of the service`, 'network_failed')
    }
    const unreached = unreachedBy(error)
    if (unreached === null) return new Invalid(`${seat.name} cannot be reached. Check its address, and the network of this machine.`, 'network_failed')
    const { says, next } = unreachedInWords(unreached)
    return new Invalid(`${seat.name} ${says}. ${next}`, 'network_failed')
  }
}

const pauseKey = ({ api, token }: ForgeSeat): string => hash('sha256', `${token} ${api}`)
const misled = ({ name }: ForgeSeat) => new RelayFailed(`${name} sends the request to another server, which is not followed`, 'forge_unreadable')
const unreadable = ({ name }: ForgeSeat) => new RelayFailed(`The answer of ${name} cannot be read`, 'forge_unreadable')

function limited ({ name }: ForgeSeat, seconds: number): Unavailable {
  const wait = seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} minutes`
  return new Unavailable(`${name} accepts no more requests for now. Try again in ${wait}`, 'forge_limited', { retryAfterS: seconds })
}

function refusalOf (seat: ForgeSeat, status: number, bytes: Buffer): DomainError {
  const { name } = seat
  if (status === 401) return new Invalid(`${name} refuses the token. Set a new one`, 'auth_failed')
  const said = saidIn(bytes)
  if (status === 403) {
    return new Conflict(`${name} does not permit this with the token${said === '' ? '' : `: ${said}`}`, 'forge_refused')
  }
  if (status === 404 || status === 410) {
    return new NotFound(`${name} has no such repository, pull request or check, or the token may not see it`)
  }
  if (status >= 500) return new Invalid(`${name} answered ${status}. Try again in a moment`, 'network_failed')
  return new Conflict(`${name} refused: ${said === '' ? `status ${status}` : said}`, 'forge_refused')
}

/** Returns the reason in a refusal; empty if it is not JSON. */
function saidIn (bytes: Buffer): string {
  let parsed: unknown
  try {
    parsed = JSON.parse(bytes.toString())
  } catch {
    return ''
  }
  const { message, error, errors } = fieldsOf(parsed)
  const parts = [message, error, ...(Array.isArray(message) ? message : []), ...listOf(errors).map((each) =>
    typeof each === 'string' ? each : fieldsOf(each)['message'])].map(lineOf).filter((part) => part !== '')
  return maskedText([...new Set(parts)].join('; ').slice(0, 300))
}

async function * piecesOf ({ body }: Response): AsyncGenerator<Uint8Array> {
  if (body !== null) yield * body
}

async function wholeBody (response: Response, seat: ForgeSeat): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of piecesOf(response)) {
    bytes += chunk.length
    if (bytes > mostBytes) throw unreadable(seat)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function parsedOf (bytes: Buffer, seat: ForgeSeat): unknown {
  if (beyondLimits(bytes, { levels: mostLevels, values: mostValues }) !== null) throw unreadable(seat)
  try {
    return JSON.parse(bytes.toString())
  } catch {
    throw unreadable(seat)
  }
}

async function endOf (response: Response): Promise<LogTail> {
  let pieces: Uint8Array[] = []
  let bytes = 0
  let heldBytes = 0
  for await (const chunk of piecesOf(response)) {
    bytes += chunk.length
    heldBytes += chunk.length
    pieces.push(chunk)
    // Not at each chunk, because chunks may be small.
    if (heldBytes > 2 * tailBytes) {
      const end = Buffer.concat(pieces).subarray(-tailBytes)
      pieces = [end]
      heldBytes = end.length
    }
    if (bytes > mostLogBytes) break
  }
  const end = Buffer.concat(pieces).subarray(-tailBytes)
  const isCut = bytes > end.length
  const from = isCut ? end.indexOf(10) + 1 : 0
  return { text: end.subarray(from).toString(), isCut }
}
