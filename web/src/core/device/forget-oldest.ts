/** Removes the oldest entries, so that at most `most` remain. */
export function forgetOldest<Key> (map: Map<Key, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return
    map.delete(key)
  }
}
