import autocannon, { type Request } from 'autocannon'
import { processorMs, residentMib } from './processes.js'
import { median } from './report.js'

export interface Load {
  url: string
  connections: number
  seconds: number
  /** Sent one after the other, in a loop; default: GET of the address. */
  requests?: Request[]
  headers?: Record<string, string>
  /** Requests per second over all connections; default: as many as are answered. */
  rate?: number
  /** Status codes that count as an answer. */
  expected?: number[]
  /** Process that answers; its CPU time and the growth of its memory per answer are measured too. */
  pid?: number
}

/**
 * Latencies in ms, CPU time in µs per answer, growth of the resident memory in KiB per 1,000 answers; the last two are NaN if
 * no process was named.
 */
export interface LoadResult { perSecond: number, p50: number, p99: number, max: number, processorUs: number, growthKib: number }

const warmUpS = 1
const comparedRounds = 3

/** Keeps connections busy for a while, after a second of warming up. Throws if anything but an expected answer came back. */
export async function load ({ url, connections, seconds, requests, headers, rate, expected = [200], pid }: Load): Promise<LoadResult> {
  const common = {
    url, connections, timeout: 10, ...(requests === undefined ? {} : { requests }), ...(headers === undefined ? {} : { headers })
  }
  if (rate === undefined) await autocannon({ ...common, duration: warmUpS })
  const beforeMs = pid === undefined ? NaN : processorMs(pid)
  const beforeMib = pid === undefined ? NaN : residentMib(pid)
  const result = await autocannon({ ...common, duration: seconds, ...(rate === undefined ? {} : { overallRate: rate }) })
  const unexpected = Object.entries(result.statusCodeStats).filter(([code]) => !expected.includes(Number(code)))
  if (unexpected.length > 0 || result.errors > 0) {
    throw new Error(
      `${url}: ${unexpected.map(([code, { count }]) => `${count} × ${code}`).join(', ')} ${result.errors} errors, ${result.timeouts} time-outs`
    )
  }
  if (result.requests.total === 0) console.error(`  ${url}: not one answer could be read`)
  const { p50, p99, max } = result.latency
  const processorUs = pid === undefined ? NaN : (processorMs(pid) - beforeMs) * 1000 / result.requests.total
  const growthKib = pid === undefined ? NaN : (residentMib(pid) - beforeMib) * 1_024 / (result.requests.total / 1_000)
  return { perSecond: result.requests.total / result.duration, p50, p99, max, processorUs, growthKib }
}

/** Runs two loads in turn, three times, and returns the medians of each: anything that slows the machine down affects both. */
export async function compare (here: Load, bare: Load): Promise<{ here: LoadResult, bare: LoadResult }> {
  const results = { here: [] as LoadResult[], bare: [] as LoadResult[] }
  for (let round = 0; round < comparedRounds; round++) {
    results.bare.push(await load(bare))
    results.here.push(await load(here))
  }
  return { here: middle(results.here), bare: middle(results.bare) }
}

function middle (results: readonly LoadResult[]): LoadResult {
  const of = (key: keyof LoadResult): number => median(results.map((result) => result[key]))
  return {
    perSecond: of('perSecond'), p50: of('p50'), p99: of('p99'), max: of('max'), processorUs: of('processorUs'), growthKib: of('growthKib')
  }
}

/** A POST with a JSON body, for `requests`. */
export function jsonPost (body: unknown): Request {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}
