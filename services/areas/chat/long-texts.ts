import { weightOf, type RunEvent } from '../../agent/protocol.js'
import { isLong, textsIn } from '../../ground/redaction/index.js'

/** Texts of events that would take long to be masked where rows and frames are made of them: steps, calls, results. Deltas are short. */
export function longTextsOf (events: readonly RunEvent[]): string[] {
  return events.flatMap((event) => event.t === 'token' || event.t === 'reasoning' || event.t === 'tool_output'
    ? []
    : [...textsIn(event), ...argumentsIn(event)].filter(isLong))
}

/** As a row has them: in one text each. */
function argumentsIn (event: RunEvent): string[] {
  return event.t === 'step' ? event.toolCalls.map(({ args }) => JSON.stringify(args)) : []
}

/** What is folded and masked without a pause. */
const portionChars = 4_096

/** Events in portions, in their order, of which each takes a moment at most: of long texts, what is masked ahead apart. */
export function portionsOf<Event extends RunEvent> (events: Event[]): Event[][] {
  const portions: Event[][] = []
  let weight = Infinity
  for (const event of events) {
    weight += weightOf(event)
    if (weight <= portionChars) portions.at(-1)?.push(event)
    else {
      portions.push([event])
      weight = weightOf(event)
    }
  }
  return portions
}
