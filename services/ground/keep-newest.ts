/** Removes the oldest entries beyond `most`: those that were put in first. */
export function keepNewest (entries: Map<unknown, unknown> | Set<unknown>, most: number): void {
  for (const key of entries.keys()) {
    if (entries.size <= most) return
    entries.delete(key)
  }
}
