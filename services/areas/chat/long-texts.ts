import { weightOf, type RunEvent, type ToolCall } from '../../agent/protocol.js'
import { isLong, textsIn } from '../../ground/redaction/index.js'

type ArgsOf = (callId: string) => ToolCall['args']

/**
 * Returns the texts of events that take long to mask when rows and frames are made: steps, calls, results. Deltas are short. `argsOf`
 * returns the arguments of a call that is under way.
 */
export function longTextsOf (events: readonly RunEvent[], argsOf: ArgsOf): string[] {
  return events.flatMap((event) => event.t === 'token' || event.t === 'reasoning' || event.t === 'tool_output'
    ? []
    : [...textsIn(event), ...argumentsIn(event, argsOf)].filter(isLong))
}

/** Returns the arguments of calls as a row stores them, one text each, and those that the frame of a result repeats. */
function argumentsIn (event: RunEvent, argsOf: ArgsOf): string[] {
  switch (event.t) {
    case 'step': return event.toolCalls.map(({ args }) => JSON.stringify(args))
    case 'tool_complete': return textsIn(argsOf(event.id))
    default: return []
  }
}

/** How many characters are processed and masked without a pause. */
const portionChars = 4_096

/** Splits events, in their order, into portions that each take a moment at most. Long texts do not count: they are masked ahead. */
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
