import { eventFrames } from '../../../../clients/typescript/src/events.js'
import { type components } from '../../../../clients/typescript/wire.js'

type ProbeFrame = components['schemas']['ProbeEvent']
/** What the service saw of a request. */
type Seen = Extract<ProbeFrame, { event: 'seen' }>['data']

/** How the service was reached, and what was measured. */
export interface Measured {
  used: Used
  /** Properties of the answer; null if there was none. */
  answer: { status: number, type: string, encoding: string | null } | null
  /** The system's code for a failure, such as CERT_HAS_EXPIRED; empty if there is none. Browsers do not tell. */
  failure: string
  seen: Seen | null
  /** The frames with their times, taken from two clocks, so only differences count. */
  ticks: ReadonlyArray<{ sentMs: number, arrivedMs: number }>
  /** Whether every frame arrived with its id. */
  hasIds: boolean
  /** Whether the service ended the stream, and not a proxy or a timeout. */
  isWhole: boolean
  /** Seconds from the first frame to the end. */
  openS: number
  /** By how many seconds the clock of this device is ahead of the service's; null if unknown. */
  clockAheadS: number | null
  /** The result of an upload of the largest size that the service accepts; null: none was tried. `status` 0: no answer. */
  upload: { bytes: number, status: number } | null
}

interface Used {
  protocol: 'http' | 'https'
  /** With the port if it is not the default one. */
  host: string
  /** Whether the name is that of this machine itself. */
  isLocal: boolean
}

export interface ProbeOptions {
  /** The origin of the service, such as `https://agent.example.org`. */
  origin: string
  /** Returns the headers of requests that change something. */
  headers: () => Readonly<Record<string, string>>
  /** For how many seconds a stream stays open. */
  holdS: number
  signal?: AbortSignal
}

/** Headers that are sent to see what arrives: an address reserved for documentation (RFC 5737), and the id of a frame. */
export const sent = { forwardedFor: '203.0.113.77', lastEventId: 'probe:7' }
const mostUploadBytes = 32 * 1024 * 1024
const [graceMs, uploadMs] = [15_000, 30_000]

/** Opens an event stream of the service as clients do, and measures what a proxy in between does to it. Never rejects. */
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
    // The address after redirects.
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
    // The stream was cut off or never came; the measurements up to here show which.
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
    // A timeout may come from a slow line, so it says nothing about the proxy.
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

/** Returns the code of a failed request's cause; empty if it has none. */
function codeOf (error: unknown): string {
  const cause = error instanceof Error ? error.cause : null
  return cause instanceof Error && 'code' in cause ? String(cause.code) : ''
}

export function usedOf (origin: string): Used {
  const { protocol, host, hostname } = new URL(origin)
  const isLocal = /^(localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
  return { protocol: protocol === 'https:' ? 'https' : 'http', host, isLocal }
}
