import { type Foresight } from '../protocol.js'
import { type Tool } from '../tools/index.js'

/** More than anybody reads. A card shows it page by page. */
export const mostShownChars = 1_000_000
/** A frame has less, and a card has it all. */
const frameChars = 16_000

/** For whoever makes the call. */
export const moreThanShown = 'There is more to this call than can be shown to the user, so it was not done and they were not asked. Try again, in smaller steps.'

/** What a card shows beside the line that stands for a call, and the difference: whatever else the call says. */
export function broughtBy (tool: Tool, args: Record<string, unknown>, foresight: Foresight | undefined, line: string): string | undefined {
  const whole = tool.content?.(args)
  if (whole !== undefined) return whole
  const hasDiff = foresight?.change !== undefined && 'diff' in foresight.change
  return hasDiff || tool.targets(args).command !== undefined || isToldIn(line, args) ? undefined : JSON.stringify(args, null, 2)
}

/** Figures and switches are no matter of a line. */
const isToldIn = (line: string, args: Record<string, unknown>): boolean =>
  Object.values(args).every((value) => typeof value === 'string' ? line.includes(value) : typeof value !== 'object' || value === null)

/** As it is told in the frame of a call, where everybody may look. */
export function briefly (foresight: Foresight): Foresight {
  const { change } = foresight
  if (change === undefined || 'note' in change || change.diff.length <= frameChars) return foresight
  return { ...foresight, change: { ...change, diff: change.diff.slice(0, frameChars), isCut: true } }
}
