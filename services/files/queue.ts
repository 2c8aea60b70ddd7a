/** Runs work on the same key one after the other, on different keys side by side. */
export function createQueue () {
  const last = new Map<string, Promise<unknown>>()

  return async function inTurn<T> (key: string, work: () => Promise<T>): Promise<T> {
    const turn = (last.get(key) ?? Promise.resolve()).then(work, work)
    last.set(key, turn)
    try {
      return await turn
    } finally {
      if (last.get(key) === turn) last.delete(key)
    }
  }
}

export type Queue = ReturnType<typeof createQueue>
