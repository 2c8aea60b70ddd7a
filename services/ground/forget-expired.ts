/** Removes the entries that have expired from a map in which those that expire first come first. `nowMs` is of the same clock as theirs. */
export function forgetExpired (entries: Map<string, { untilMs: number }>, nowMs: number): void {
  for (const [key, { untilMs }] of entries) {
    if (untilMs > nowMs) return
    entries.delete(key)
  }
}
