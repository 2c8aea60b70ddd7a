export interface Slot {
  /** Resolves when the slot is taken; never, if `leave` is called before. */
  free: Promise<void>
  isTaken (): boolean
  /** Releases the slot, or stops waiting for it; the next caller that waits gets it. Calling it again is harmless. */
  leave (): void
}

interface Takers { taken: Set<() => void>, waiting: Set<() => void> }

/** Gives out `perKey` slots for each key, in order of arrival. */
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

    /** Returns the number of keys with a slot that is taken or waited for. */
    size: (): number => keys.size
  }
}
