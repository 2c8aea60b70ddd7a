export interface Slot {
  /** Resolves when the slot is this one's; never, if it is left before. */
  free: Promise<void>
  isTaken (): boolean
  /** Gives the slot, or the wait for it, up; the next one that waits gets it. Once is enough, more is harmless. */
  leave (): void
}

interface Takers { taken: Set<() => void>, waiting: Set<() => void> }

/** So many slots per key, given out in the order in which they were asked for. */
export function createSlots (perKey: number) {
  const keys = new Map<string, Takers>()

  function advance (key: string, { taken, waiting }: Takers): void {
    for (const enter of waiting) {
      if (taken.size >= perKey) break
      waiting.delete(enter)
      taken.add(enter)
      enter()
    }
    if (taken.size === 0 && waiting.size === 0) keys.delete(key)
  }

  return {
    take (key: string): Slot {
      const entry = keys.get(key) ?? { taken: new Set(), waiting: new Set() }
      keys.set(key, entry)
      let enter = (): void => {}
      const free = new Promise<void>((resolve) => { enter = resolve })
      entry.waiting.add(enter)
      advance(key, entry)
      return {
        free,
        isTaken: () => entry.taken.has(enter),
        leave () {
          if (entry.taken.delete(enter) || entry.waiting.delete(enter)) advance(key, entry)
        }
      }
    },

    /** Keys with a slot taken or waited for. */
    size: (): number => keys.size
  }
}
