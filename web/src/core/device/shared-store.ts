/** What another app shared with this one, as the service worker stored it (web/worker/sharing.js). */
export interface Share {
  readonly id: number
  readonly text: string
  readonly files: readonly File[]
  /** The prefix of its uploads' ids, followed by the index; absent until an upload began. */
  readonly uploadsAs?: string
  /** Files that were not stored: too many for a message, or too large. */
  readonly leftOut: ReadonlyArray<{ readonly name: string, readonly why: 'many' | 'large' }>
}

/** Where shares wait until a window has handled them. Any failure means that there are none. */
export interface SharedStore {
  list: () => Promise<readonly Share[]>
  /** Stores a share again after its text was taken. */
  put: (share: Share) => Promise<void>
  remove: (id: number) => Promise<void>
  clear: () => Promise<void>
}

const name = 'shared'

export function sharedStore (): SharedStore {
  /** Opens the database for each use, because the service worker writes to it too. */
  async function run <Result> (mode: IDBTransactionMode, act: (table: IDBObjectStore) => IDBRequest<Result>): Promise<Result> {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const asked = indexedDB.open(name, 1)
      asked.onupgradeneeded = () => { asked.result.createObjectStore(name, { autoIncrement: true }) }
      asked.onsuccess = () => resolve(asked.result)
      asked.onerror = () => reject(asked.error ?? new Error('it cannot be opened'))
    })
    try {
      return await new Promise((resolve, reject) => {
        const transaction = database.transaction(name, mode)
        const request = act(transaction.objectStore(name))
        transaction.oncomplete = () => resolve(request.result)
        transaction.onabort = () => reject(transaction.error ?? new Error('it was broken off'))
      })
    } finally {
      database.close()
    }
  }
  const quietly = async (work: Promise<unknown>): Promise<void> => { await work.catch(console.warn) }

  return {
    async list () {
      try {
        const [keys, values] = await Promise.all([
          run('readonly', (table) => table.getAllKeys()), run<Array<Omit<Share, 'id'>>>('readonly', (table) => table.getAll())
        ])
        return values.map((share, at) => ({ ...share, id: Number(keys[at]) }))
      } catch {
        return []
      }
    },
    put: async ({ id, ...share }) => await quietly(run('readwrite', (table) => table.put(share, id))),
    remove: async (id) => await quietly(run('readwrite', (table) => table.delete(id))),
    clear: async () => await quietly(run('readwrite', (table) => table.clear()))
  }
}
