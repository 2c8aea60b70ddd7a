/** Runs what shares a lane one after the other, in the order in which it was asked for. */
export function createLanes () {
  const lanes = new Map<string, Promise<unknown>>()

  return {
    async inLane<T> (lane: string, work: () => Promise<T>): Promise<T> {
      const before = lanes.get(lane) ?? Promise.resolve()
      const mine = before.then(work, work)
      lanes.set(lane, mine)
      try {
        return await mine
      } finally {
        if (lanes.get(lane) === mine) lanes.delete(lane)
      }
    },

    size: (): number => lanes.size
  }
}
