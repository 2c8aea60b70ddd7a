export interface Place {
  /** Resolves when the place is this one's; never, if it is left before. */
  free: Promise<void>
  isTaken (): boolean
  /** Gives the place, or the wait for it, up; the next in line gets it. Once is enough, more is harmless. */
  leave (): void
}

interface Line { taken: Set<() => void>, waiting: Set<() => void> }

/** So many places per key, given out in the order in which they were asked for. */
export function createPlaces (perKey: number) {
  const lines = new Map<string, Line>()

  function advance (key: string, { taken, waiting }: Line): void {
    for (const enter of waiting) {
      if (taken.size >= perKey) break
      waiting.delete(enter)
      taken.add(enter)
      enter()
    }
    if (taken.size === 0 && waiting.size === 0) lines.delete(key)
  }

  return {
    take (key: string): Place {
      const line = lines.get(key) ?? { taken: new Set(), waiting: new Set() }
      lines.set(key, line)
      let enter = (): void => {}
      const free = new Promise<void>((resolve) => { enter = resolve })
      line.waiting.add(enter)
      advance(key, line)
      return {
        free,
        isTaken: () => line.taken.has(enter),
        leave () {
          if (line.taken.delete(enter) || line.waiting.delete(enter)) advance(key, line)
        }
      }
    },

    /** Keys with a place taken or waited for. */
    size: (): number => lines.size
  }
}
