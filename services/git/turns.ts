const last = new Map<string, Promise<unknown>>()

/** Changes to one repository (its common folder is the key) one after the other: what one finds out must hold until it acts. */
export async function inTurn<T> (key: string, work: () => Promise<T>): Promise<T> {
  const turn = (last.get(key) ?? Promise.resolve()).then(work, work)
  last.set(key, turn)
  try {
    return await turn
  } finally {
    if (last.get(key) === turn) last.delete(key)
  }
}
