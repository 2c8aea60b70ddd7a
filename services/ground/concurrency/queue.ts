/** Runs work on the same key one at a time, in order of arrival. Work on different keys runs concurrently. */
export interface Queue {
  <T> (key: string, work: () => Promise<T>): Promise<T>
  /** Returns the number of keys with work that runs or waits. */
  size (): number
}

export function createQueue (): Queue {
  const last = new Map<string, Promise<unknown>>()

  async function inTurn<T> (key: string, work: () => Promise<T>): Promise<T> {
    const turn = (last.get(key) ?? Promise.resolve()).then(work, work)
    last.set(key, turn)
    try {
      return await turn
    } finally {
      if (last.get(key) === turn) last.delete(key)
    }
  }

  return Object.assign(inTurn, { size: () => last.size })
}
