/** Runs work on the same key one after the other, in the order in which it was asked for; on different keys side by side. */
export interface Queue {
  <T> (key: string, work: () => Promise<T>): Promise<T>
  /** Keys on which something runs or waits. */
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
