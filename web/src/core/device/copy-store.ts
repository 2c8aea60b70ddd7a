/** A store on this device for copies of the service's data. Any failure means that there is no copy. */
export interface CopyStore {
  get: (key: string) => Promise<unknown>
  put: (key: string, value: unknown) => Promise<void>
  delete: (key: string) => Promise<void>
  clear: () => Promise<void>
}

const databaseName = 'kept'
const tableName = 'kept'

/** Returns a store in the browser's database; without one, nothing is kept. */
export function indexedStore (): CopyStore {
  let opening: Promise<IDBDatabase> | null = null

  function database (): Promise<IDBDatabase> {
    opening ??= new Promise((resolve, reject) => {
      const asked = indexedDB.open(databaseName, 1)
      asked.onupgradeneeded = () => { asked.result.createObjectStore(tableName) }
      asked.onsuccess = () => {
        // Another window or the browser may close the connection; the next access reopens it.
        asked.result.onversionchange = () => { asked.result.close(); opening = null }
        asked.result.onclose = () => { opening = null }
        resolve(asked.result)
      }
      asked.onerror = () => { opening = null; reject(asked.error ?? new Error('it cannot be opened')) }
    })
    return opening
  }

  async function run <Result> (mode: IDBTransactionMode, act: (table: IDBObjectStore) => IDBRequest<Result>): Promise<Result | undefined> {
    try {
      const transaction = (await database()).transaction(tableName, mode)
      const request = act(transaction.objectStore(tableName))
      return await new Promise((resolve) => {
        transaction.oncomplete = () => resolve(request.result)
        transaction.onabort = () => resolve(undefined)
      })
    } catch {
      return undefined
    }
  }

  return {
    get: async (key) => await run('readonly', (table) => table.get(key)),
    put: async (key, value) => { await run('readwrite', (table) => table.put(value, key)) },
    delete: async (key) => { await run('readwrite', (table) => table.delete(key)) },
    clear: async () => { await run('readwrite', (table) => table.clear()) }
  }
}
