import { signal, type ReadonlySignal } from '@preact/signals-core'

/** The token of a page that comes from this device's cache. */
export const noToken = 'offline'
const storedAs = 'login'

interface Store { getItem: (key: string) => string | null, setItem: (key: string, text: string) => void }

/** The login that owns this device's copies. Keys are hashes, from which the token cannot be recovered. */
export interface Login {
  /** The key of the copies; `renew` changes it. */
  readonly key: string
  /** Returns the key that was last stored by any window of this browser. */
  readonly shared: () => string
  /** Whether it is certain whose page this is; false while the page came from this device's cache and the service has not answered. */
  readonly isConfirmed: ReadonlySignal<boolean>
  /** Confirms the login. Returns false if the page was made for someone else. */
  confirm: (token: string) => boolean
  /** Takes over a new token of the same person, such as after a change of the password. */
  renew: (token: string) => void
}

/** @param token from the page: one for each login, always the same if no sign-in is needed */
export function createLogin ({ token, store }: { token: string, store: Store }): Login {
  const isOffline = token === noToken
  let key = isOffline ? store.getItem(storedAs) ?? '' : fingerprint(token)
  const isConfirmed = signal(!isOffline)
  if (!isOffline) store.setItem(storedAs, key)
  return {
    get key () { return key },
    shared: () => store.getItem(storedAs) ?? key,
    isConfirmed,
    confirm (said) {
      const isSame = fingerprint(said) === key
      store.setItem(storedAs, fingerprint(said))
      isConfirmed.value = isSame
      return isSame
    },
    renew (next) {
      key = fingerprint(next)
      store.setItem(storedAs, key)
    }
  }
}

/** Returns a 53-bit hash of a text, from which the text cannot be recovered. */
function fingerprint (text: string): string {
  let [high, low] = [0xdeadbeef, 0x41c6ce57]
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    high = Math.imul(high ^ code, 2654435761)
    low = Math.imul(low ^ code, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36)
}
