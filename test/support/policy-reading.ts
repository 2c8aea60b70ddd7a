import { decide, orderOf, type PolicyContext, type Verdict } from '../../services/agent/policy/index.js'
import { readOrder } from '../../services/agent/policy/shell/reading.js'
import { type CommandReading } from '../../services/agent/policy/findings.js'
import { type Tool } from '../../services/agent/tools/index.js'

let last: { order: string, reading: CommandReading } | undefined

/**
 * Judges a call as `decide` does. A command line that was read for the judgement before is not read again, whoever may grant or deny it
 * now: as in the service, where a thread reads it. For contexts that look at files through the same functions.
 */
export function decideAgain (call: { tool: Tool, args: Record<string, unknown> }, context: PolicyContext): Verdict {
  const order = orderOf(call, context)
  if (order === null) return decide(call, context)
  const text = JSON.stringify(order)
  if (last?.order !== text) last = { order: text, reading: readOrder(order, context.resolvePath, context.look) }
  return decide(call, context, last.reading)
}
