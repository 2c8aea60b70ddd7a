/** What a browser keeps texts in: `Storage`, and in tests a map. */
export interface TextStore {
  readonly length: number
  key: (place: number) => string | null
  getItem: (key: string) => string | null
  setItem: (key: string, text: string) => void
  removeItem: (key: string) => void
}

/** `keepsWritten`: what was typed and not sent stays, as the sign-in has only ended; false: the person has signed out. */
export interface Forgetting { keepsWritten: boolean }

export interface PersonStore extends TextStore {
  /** Removes all that is not the device's own, and takes nothing any more: a window that is left writes once more what stands in it. */
  forget: (options: Forgetting) => void
}

/** How the app looks and speaks on this device, whoever uses it. Everything else belongs to who is signed in. */
export const ofDevice: ReadonlySet<string> = new Set(['theme', 'language', 'language-chosen', 'rail-folded', 'side-width', 'side-tab'])

/** Messages that wait to be sent, whose they are, and what stands in the box of a chat that is not there yet. */
const isWritten = (key: string): boolean => key.startsWith('unsent ') || key === 'login' || key === 'draft-of-new-session'

/** Where everything of the person is kept on this device, so that it can be forgotten. */
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
