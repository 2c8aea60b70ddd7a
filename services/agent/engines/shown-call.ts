import { type Foresight } from '../protocol.js'
import { type Tool } from '../tools/index.js'

/** How much of a call a card shows at most, page by page: more than anybody reads. */
export const mostShownChars = 1_000_000
/** How much of a diff a frame holds; the card has all of it. */
const frameChars = 16_000

/** The answer for the model that makes the call. */
export const moreThanShown = 'There is more to this call than can be shown to the user, so it was not done and they were not asked. Try again, in smaller steps.'

/** Returns what else a card shows of a call, beside its line and the diff; undefined if those show everything. */
export function broughtBy (tool: Tool, args: Record<string, unknown>, foresight: Foresight | undefined, line: string): string | undefined {
  const whole = tool.content?.(args)
  if (whole !== undefined) return whole
  const hasDiff = foresight?.change !== undefined && 'diff' in foresight.change
  return hasDiff || tool.targets(args).command !== undefined || isToldIn(line, args) ? undefined : JSON.stringify(args, null, 2)
}

/** Whether the line already contains all texts of the arguments. Numbers and booleans need not be in it; objects never are. */
const isToldIn = (line: string, args: Record<string, unknown>): boolean =>
  Object.values(args).every((value) => typeof value === 'string' ? line.includes(value) : typeof value !== 'object' || value === null)

/** Shortens a preview for the frame of a call, which everybody may see. */
export function briefly (foresight: Foresight): Foresight {
  const { change } = foresight
  if (change === undefined || 'note' in change || change.diff.length <= frameChars) return foresight
  return { ...foresight, change: { ...change, diff: change.diff.slice(0, frameChars), isCut: true } }
}
