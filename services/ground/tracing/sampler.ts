/** How it is decided whether a trace is recorded. `ratio`: the share of traces that is. */
export interface Sampling { isParentBased: boolean, ratio: number }

/** How many bits of an id are compared: as many as a number holds exactly. */
const bits = 52

/** Whether a trace is recorded. `parent`: the caller's decision; null if the trace begins here. */
export function isSampled ({ isParentBased, ratio }: Sampling, traceId: string, parent: boolean | null): boolean {
  if (isParentBased && parent !== null) return parent
  // The end of an id is random (W3C Trace Context, level 2), so all programs that use it decide the same.
  return parseInt(traceId.slice(-bits / 4), 16) >= (1 - ratio) * 2 ** bits
}
