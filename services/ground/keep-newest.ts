/** Removes the oldest entries beyond `most`, in the order in which they were added. */
export function keepNewest (entries: Map<unknown, unknown> | Set<unknown>, most: number): void {
  for (const key of entries.keys()) {
    if (entries.size <= most) return
    entries.delete(key)
  }
}
