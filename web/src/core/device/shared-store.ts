/** What another app has shared with this one, as the service worker has kept it (web/sw.js). */
export interface Share {
  readonly id: number
  readonly text: string
  readonly files: readonly File[]
  /** What the uploads of its files are called, with the place of each behind it; absent until one was begun. */
  readonly uploadsAs?: string
  /** Files that were not kept: more than go with a message, or more than there is room for. */
  readonly leftOut: ReadonlyArray<{ readonly name: string, readonly why: 'many' | 'large' }>
}

/** Where shares wait until a window has done with them. Whatever goes wrong with it means that there are none. */
export interface SharedStore {
  list: () => Promise<readonly Share[]>
  /** Its text has been taken. */
  put: (share: Share) => Promise<void>
  remove: (id: number) => Promise<void>
  clear: () => Promise<void>
}

const name = 'shared'

export function sharedStore (): SharedStore {
  /** Opened for each use: the service worker writes to it as well. */
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
