/** What decides whether a trace is recorded; `ratio`: the part of them that is. */
export interface Sampling { isParentBased: boolean, ratio: number }

/** As many as a number holds. */
const bits = 52

/** Whether a trace is recorded. `parent`: what the caller has decided on it; null: it begins here. */
export function isSampled ({ isParentBased, ratio }: Sampling, traceId: string, parent: boolean | null): boolean {
  if (isParentBased && parent !== null) return parent
  // The end of an id is random (W3C Trace Context, level 2): every program that goes by them decides the same.
  return parseInt(traceId.slice(-bits / 4), 16) >= (1 - ratio) * 2 ** bits
}
