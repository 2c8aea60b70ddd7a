import { isDeepStrictEqual } from 'node:util'
import { resultPart, type RunEventBody, type RunSpec } from '../protocol.js'

type Announced = Extract<RunEventBody, { t: 'tool' }>
type Completed = Extract<RunEventBody, { t: 'tool_complete' }>

/**
 * Reduces the results of one run to what its service does not know from the announcements of the calls. Engines pass on all that they know
 * of a call.
 */
export class KnownCalls {
  /** Announced calls of the current step. After a restart, a service knows no others in full. */
  readonly #announced = new Map<string, Announced>()

  constructor (private readonly spec: Pick<RunSpec, 'briefResults'>) {}

  /** Returns an event as it is sent to the service. */
  reduce (event: RunEventBody): RunEventBody {
    if (event.t === 'step') this.#announced.clear()
    else if (event.t === 'tool') this.#announced.set(event.id, event)
    return event.t !== 'tool_complete' ? event : this.spec.briefResults === true ? this.#brief(event) : whole(event)
  }

  #brief ({ name, preview, args, ...event }: Completed): Completed {
    const known = this.#announced.get(event.id)
    this.#announced.delete(event.id)
    return {
      ...event,
      ...(name === known?.name ? {} : { name }),
      ...(preview === known?.preview ? {} : { preview }),
      ...(isDeepStrictEqual(args, known?.args) ? {} : { args })
    }
  }
}

/** Services of releases before `briefResults` also expect the result as models read it. */
function whole (event: Completed): Completed {
  const replay = resultPart({ id: event.id, name: event.name ?? '' }, event.result, event.isError)
  return Object.assign(event, { replay })
}
