import { eventFrames } from '../../../../clients/typescript/src/events.js'
import { type components } from '../../../../clients/typescript/wire.js'

type ProbeFrame = components['schemas']['ProbeEvent']
/** What the service saw of a request. */
type Seen = Extract<ProbeFrame, { event: 'seen' }>['data']

/** How the service is reached, and what came of it. */
export interface Measured {
  used: Used
  /** Of the answer; null where there was none. */
  answer: { status: number, type: string, encoding: string | null } | null
  /** Why there was none, where the system says so, such as CERT_HAS_EXPIRED; else empty. Browsers do not tell. */
  failure: string
  seen: Seen | null
  /** Frames that were sent at known times, on two clocks of which only differences count. */
  ticks: ReadonlyArray<{ sentMs: number, arrivedMs: number }>
  /** Every frame that came had its id. */
  hasIds: boolean
  /** The stream ended by itself, as the service ends it. */
  isWhole: boolean
  /** Seconds from the first frame to the end. */
  openS: number
  /** Seconds that the clock of this device is ahead of the service's; null: nobody knows. */
  clockAheadS: number | null
  /** Of an upload as large as the service takes; null: none was tried. `status` 0: no answer. */
  upload: { bytes: number, status: number } | null
}

interface Used {
  protocol: 'http' | 'https'
  /** With the port, where it is not the usual one. */
  host: string
  /** It is the name of this very machine. */
  isLocal: boolean
}

export interface ProbeOptions {
  /** Of the service, such as `https://agent.example.org`. */
  origin: string
  /** Of requests that change something. */
  headers: () => Readonly<Record<string, string>>
  /** Seconds for which a stream stays open. */
  holdS: number
  signal?: AbortSignal
}

/** Sent along, to see what arrives: an address that nobody has (RFC 5737), and the id of a frame. */
export const sent = { forwardedFor: '203.0.113.77', lastEventId: 'probe:7' }
const mostUploadBytes = 32 * 1024 * 1024
const [graceMs, uploadMs] = [15_000, 30_000]

/** Opens an event stream of the service as clients do, and measures what a proxy on the way makes of it. Never rejects. */
export async function measure (options: ProbeOptions): Promise<Measured> {
  const { origin, headers, holdS, signal } = options
  const measured: Measured & { ticks: Array<{ sentMs: number, arrivedMs: number }> } = {
    used: usedOf(origin), answer: null, failure: '', seen: null, ticks: [], hasIds: true, isWhole: false, openS: 0, clockAheadS: null,
    upload: null
  }
  const limit = limited(holdS * 1_000 + graceMs, signal)
  let startedMs = performance.now()
  try {
    const response = await fetch(`${origin}/api/diagnostics/stream?hold_s=${holdS}`, {
      headers: { ...headers(), 'x-forwarded-for': sent.forwardedFor, 'last-event-id': sent.lastEventId }, signal: limit.signal
    })
    // Where redirects have led to.
    measured.used = usedOf(response.url)
    const type = response.headers.get('content-type') ?? ''
    measured.answer = { status: response.status, type, encoding: response.headers.get('content-encoding') }
    if (response.status !== 200 || response.body === null || !type.startsWith('text/event-stream')) {
      await response.body?.cancel()
      return measured
    }
    for await (const { id, frame } of eventFrames<ProbeFrame>(response.body)) {
      const arrivedMs = performance.now()
      measured.hasIds &&= id !== null
      if (frame.event === 'seen') {
        measured.seen = frame.data
        measured.clockAheadS = Date.now() / 1_000 - measured.seen.at
        startedMs = arrivedMs
        measured.ticks.push({ sentMs: 0, arrivedMs })
      } else if (frame.event === 'tick') measured.ticks.push({ sentMs: frame.data.sent_ms, arrivedMs })
      else if (frame.event === 'end') measured.isWhole = true
    }
  } catch (error) {
    // It was cut, or never came: what was measured up to then says which.
    measured.failure = codeOf(error)
  } finally {
    limit.clear()
    measured.openS = (performance.now() - startedMs) / 1_000
  }
  if (measured.seen !== null && signal?.aborted !== true) measured.upload = await upload(options, measured.seen.max_upload_bytes)
  return measured
}

async function upload ({ origin, headers, signal }: ProbeOptions, mostBytes: number): Promise<Measured['upload']> {
  const bytes = Math.min(mostBytes, mostUploadBytes)
  const limit = limited(uploadMs, signal)
  try {
    const { status, body } = await fetch(`${origin}/api/diagnostics/upload`, {
      method: 'POST', headers: { ...headers(), 'content-type': 'application/octet-stream' }, body: new Uint8Array(bytes), signal: limit.signal
    })
    await body?.cancel()
    return { bytes, status }
  } catch {
    // Too slow a line says nothing of the proxy.
    return limit.signal.aborted ? null : { bytes, status: 0 }
  } finally {
    limit.clear()
  }
}

function limited (ms: number, signal?: AbortSignal): { signal: AbortSignal, clear: () => void } {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), ms)
  const abort = (): void => controller.abort()
  signal?.addEventListener('abort', abort, { once: true })
  return {
    signal: controller.signal,
    clear () {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
  }
}

/** Of what a failed request was caused by. */
function codeOf (error: unknown): string {
  const cause = error instanceof Error ? error.cause : null
  return cause instanceof Error && 'code' in cause ? String(cause.code) : ''
}

export function usedOf (origin: string): Used {
  const { protocol, host, hostname } = new URL(origin)
  const isLocal = /^(localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
  return { protocol: protocol === 'https:' ? 'https' : 'http', host, isLocal }
}
