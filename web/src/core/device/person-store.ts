/** A store for texts: `Storage`, and a map in tests. */
export interface TextStore {
  readonly length: number
  key: (place: number) => string | null
  getItem: (key: string) => string | null
  setItem: (key: string, text: string) => void
  removeItem: (key: string) => void
}

/** `keepsWritten`: unsent text stays, because only the sign-in ended; false: the person signed out. */
export interface Forgetting { keepsWritten: boolean }

export interface PersonStore extends TextStore {
  /** Removes everything that does not belong to the device, and refuses later writes: a window stores its content again when it is left. */
  forget: (options: Forgetting) => void
}

/** The keys of the app's appearance on this device, and whether installing it was offered. All other keys belong to the person. */
export const ofDevice: ReadonlySet<string> = new Set([
  'theme', 'density', 'single-keys', 'language', 'language-chosen', 'rail-folded', 'side-width', 'side-tab', 'install', 'typeface'
])

/** Whether a key holds the person's writing: unsent messages, their owner, and the draft of a new chat. */
const isWritten = (key: string): boolean => key.startsWith('unsent ') || key === 'login' || key === 'draft-of-new-session'

/** Creates the store for all of the person's data on this device, so that it can be deleted together. */
export function createPersonStore (store: TextStore): PersonStore {
  let isOver = false
  return {
    get length () { return store.length },
    key: (place) => store.key(place),
    getItem: (key) => store.getItem(key),
    setItem: (key, text) => { if (!isOver) store.setItem(key, text) },
    removeItem: (key) => store.removeItem(key),
    forget ({ keepsWritten }) {
      isOver = true
      const keys = Array.from({ length: store.length }, (_, place) => store.key(place)).filter((key) => key !== null)
      for (const key of keys) if (!ofDevice.has(key) && !(keepsWritten && isWritten(key))) store.removeItem(key)
    }
  }
}
