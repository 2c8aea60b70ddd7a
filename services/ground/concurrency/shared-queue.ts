/**
 * Runs work on a key like a read-write lock: `shared` work together, `alone` work by itself. Shared work that comes after work that waits
 * to be alone runs after it, so that neither kind starves.
 */
export interface SharedQueue {
  shared<T> (key: string, work: () => Promise<T>): Promise<T>
  alone<T> (key: string, work: () => Promise<T>): Promise<T>
  /** Returns the number of keys with work that runs or waits. */
  size (): number
}

/** `alone`: the last work that runs alone; `shared`: the shared work since then; `count`: how much runs or waits. Both never reject. */
interface State { alone: Promise<unknown>, shared: Promise<unknown>, count: number }

export function createSharedQueue (): SharedQueue {
  const states = new Map<string, State>()

  async function counted<T> (key: string, begin: (state: State) => Promise<T>): Promise<T> {
    const state = states.get(key) ?? { alone: Promise.resolve(), shared: Promise.resolve(), count: 0 }
    states.set(key, state)
    state.count++
    try {
      return await begin(state)
    } finally {
      if (--state.count === 0) states.delete(key)
    }
  }

  return {
    shared: async (key, work) => await counted(key, async (state) => {
      const turn = state.alone.then(work)
      state.shared = Promise.allSettled([state.shared, turn])
      return await turn
    }),

    alone: async (key, work) => await counted(key, async (state) => {
      const turn = Promise.all([state.alone, state.shared]).then(work)
      state.alone = turn.then(() => {}, () => {})
      state.shared = state.alone
      return await turn
    }),

    size: () => states.size
  }
}
