import { type Sample, type Timed } from './family.js'

/** Upper bounds for durations of requests, in seconds. */
export const durationBoundsS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10] as const

/** The answers with one class of status. */
interface Answered {
  labels: Readonly<Record<'method' | 'route' | 'status', string>>
  requests: number
  timed: number
  sumS: number
  /** By duration, one count for each bound. */
  counts: number[]
}

/** Methods under which routes are registered; a client may send others. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
const unknownRoute = 'unknown'

/** Counts the requests of one route. Counting looks nothing up by labels. */
export class RouteMeter {
  readonly #byClass: Array<Answered | undefined> = []

  constructor (private readonly method: string, private readonly route: string) {}

  /** `durationMs`: null if it says nothing, as with an event stream. */
  count (status: number, durationMs: number | null): void {
    const statusClass = Math.trunc(status / 100)
    const answered = this.#byClass[statusClass] ??= this.#begin(statusClass)
    answered.requests++
    if (durationMs === null) return
    const seconds = durationMs / 1000
    answered.timed++
    answered.sumS += seconds
    const bound = durationBoundsS.findIndex((most) => seconds <= most)
    if (bound !== -1) answered.counts[bound] = (answered.counts[bound] ?? 0) + 1
  }

  * answered (): Generator<Answered> {
    for (const answered of this.#byClass) if (answered !== undefined) yield answered
  }

  #begin (statusClass: number): Answered {
    const labels = { method: this.method, route: this.route, status: `${statusClass}xx` }
    return { labels, requests: 0, timed: 0, sumS: 0, counts: durationBoundsS.map(() => 0) }
  }
}

/** Requests by method, route and class of status. All requests that no route answers count as one route. */
export function createRequestMeter () {
  const routes: RouteMeter[] = []
  const unknown = new Map<string, RouteMeter>()

  function route (method: string, template: string): RouteMeter {
    const meter = new RouteMeter(method, template)
    routes.push(meter)
    return meter
  }

  return {
    /** Returns the meter of a route; called once for each. */
    route,

    /** Returns the meter of requests that no route answers. */
    unknown (method: string): RouteMeter {
      const name = methods.has(method) ? method : 'other'
      const meter = unknown.get(name) ?? route(name, unknownRoute)
      unknown.set(name, meter)
      return meter
    },

    * requests (): Generator<Sample> {
      for (const meter of routes) for (const { labels, requests: value } of meter.answered()) yield { labels, value }
    },

    * durations (): Generator<Timed> {
      for (const meter of routes) {
        for (const { labels, counts, timed: count, sumS } of meter.answered()) if (count > 0) yield { labels, counts, count, sumS }
      }
    }
  }
}

export type RequestMeter = ReturnType<typeof createRequestMeter>
