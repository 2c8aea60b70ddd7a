import { decide, orderOf, type PolicyContext, type Verdict } from '../../services/agent/policy/index.js'
import { readOrder } from '../../services/agent/policy/shell/reading.js'
import { type CommandReading } from '../../services/agent/policy/findings.js'
import { type Tool } from '../../services/agent/tools/index.js'

let last: { order: string, reading: CommandReading } | undefined

/**
 * Judges a call like `decide`. A command line that was parsed for the previous judgement is not parsed again, whatever permissions have
 * changed: in the service, a thread parses it once. For contexts that look at files through the same functions.
 */
export function decideAgain (call: { tool: Tool, args: Record<string, unknown> }, context: PolicyContext): Verdict {
  const order = orderOf(call, context)
  if (order === null) return decide(call, context)
  const text = JSON.stringify(order)
  if (last?.order !== text) last = { order: text, reading: readOrder(order, context.resolvePath, context.look) }
  return decide(call, context, last.reading)
}
