import { signal, type ReadonlySignal } from '@preact/signals-core'

/** What a page that comes from this device, and not from the service, has for a token. */
export const noToken = 'offline'
const storedAs = 'login'

interface Store { getItem: (key: string) => string | null, setItem: (key: string, text: string) => void }

/** Which login this device's own copies belong to. They are told apart, and nothing can be done with what is kept of them. */
export interface Login {
  /** What copies are kept under; another one after `renew`. */
  readonly key: string
  /** The same of all windows of this browser, as the last one has heard of it. */
  readonly shared: () => string
  /** False while the page came from this device and the service has not said whose it is. */
  readonly isConfirmed: ReadonlySignal<boolean>
  /** The service says who is there. False: somebody else than the page was made for. */
  confirm: (token: string) => boolean
  /** The same person has another token, such as after a change of the password. */
  renew: (token: string) => void
}

/** @param token what the page carries: of the service, one for each login, and the same one while nobody has to sign in */
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

/** 53 bits of a text, to tell texts apart; nobody gets the text back from it. */
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
