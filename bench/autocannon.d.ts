// The parts of autocannon 8 that are used here; the package contains no types.
declare module 'autocannon' {
  export interface Request { method?: string, path?: string, headers?: Record<string, string>, body?: string }
  export interface Options {
    url: string
    connections: number
    duration: number
    overallRate?: number
    requests?: Request[]
    headers?: Record<string, string>
    timeout?: number
  }
  export interface Result {
    requests: { total: number }
    latency: { p50: number, p99: number, max: number }
    duration: number
    errors: number
    timeouts: number
    statusCodeStats: Record<string, { count: number }>
  }
  export default function autocannon (options: Options): Promise<Result>
}
