import autocannon, { type Request } from 'autocannon'

export interface Load {
  url: string
  connections: number
  seconds: number
  /** Sent one after the other, again and again; default: GET of the address. */
  requests?: Request[]
  headers?: Record<string, string>
  /** Requests per second over all connections; default: as many as are answered. */
  rate?: number
  /** Status codes that count as an answer. */
  expected?: number[]
}

export interface LoadResult { perSecond: number, p50: number, p99: number, max: number }

const warmUpS = 1

/** Keeps connections busy for a while, after a second of warming up. Throws when anything but an answer came back. */
export async function load ({ url, connections, seconds, requests, headers, rate, expected = [200] }: Load): Promise<LoadResult> {
  const common = {
    url, connections, timeout: 10, ...(requests === undefined ? {} : { requests }), ...(headers === undefined ? {} : { headers })
  }
  if (rate === undefined) await autocannon({ ...common, duration: warmUpS })
  const result = await autocannon({ ...common, duration: seconds, ...(rate === undefined ? {} : { overallRate: rate }) })
  const unexpected = Object.entries(result.statusCodeStats).filter(([code]) => !expected.includes(Number(code)))
  if (unexpected.length > 0 || result.errors > 0) {
    throw new Error(
      `${url}: ${unexpected.map(([code, { count }]) => `${count} × ${code}`).join(', ')} ${result.errors} errors, ${result.timeouts} time-outs`
    )
  }
  if (result.requests.total === 0) console.error(`  ${url}: not one answer could be read`)
  const { p50, p99, max } = result.latency
  return { perSecond: result.requests.total / result.duration, p50, p99, max }
}

/** A POST with a JSON body, for `requests`. */
export function jsonPost (body: unknown): Request {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}
