/** What a browser has for it: `Storage`, and in tests a map. */
interface ToldStore { getItem: (key: string) => string | null, setItem: (key: string, text: string) => void }

/** Where a window stands among those of the browser. */
export interface WindowPlace {
  /** `front`: it has the focus; `visible`: it can be seen; `hidden`. */
  now: () => 'front' | 'visible' | 'hidden'
  /** Calls once its place may be another one. What it returns ends that. */
  onChange: (listener: () => void) => () => void
}

export interface ToldOnceOptions {
  store: ToldStore
  /** One at a time of all the windows of a browser. */
  alone: <Result>(act: () => Promise<Result>) => Promise<Result>
  place: WindowPlace
  /** How long a window that is seen, but is not in front, lets the one in front go first. */
  yieldMs?: number
  nowMs?: () => number
}

const storedAs = 'told'
const mostRemembered = 50
const usualYieldMs = 300
/** What happened so long before a window is looked at again is news no more. */
const freshMs = 15 * 60_000

/**
 * Says things in one window of a browser: the one in front, else one that can be seen; where none can, in the first that is looked at
 * again. All windows hear of the same thing, also twice.
 */
export function createToldOnce ({ store, alone, place, yieldMs = usualYieldMs, nowMs = Date.now }: ToldOnceOptions) {
  async function turn (): Promise<void> {
    while (place.now() === 'hidden') await changed()
    if (place.now() === 'visible') await new Promise((resolve) => { setTimeout(resolve, yieldMs) })
  }

  const changed = async (): Promise<void> => await new Promise((resolve) => {
    const end = place.onChange(() => {
      end()
      resolve()
    })
  })

  function claim (key: string): boolean {
    const told = remembered()
    if (told.includes(key)) return false
    try {
      store.setItem(storedAs, JSON.stringify([...told, key].slice(-mostRemembered)))
    } catch {
      // Without room it may be said twice, which is better than not at all.
    }
    return true
  }

  function remembered (): string[] {
    try {
      const told: unknown = JSON.parse(store.getItem(storedAs) ?? '[]')
      return Array.isArray(told) ? told.filter((key) => typeof key === 'string') : []
    } catch {
      return []
    }
  }

  /** `key` names what has happened, `atMs` says when. Resolves when it was said here, or is not to be. */
  return async function tell (key: string, atMs: number, say: () => void): Promise<void> {
    if (remembered().includes(key)) return
    await turn()
    if (nowMs() - atMs > freshMs) return
    if (await alone(async () => claim(key))) say()
  }
}

export function windowPlace (): WindowPlace {
  const events = [[window, 'focus'], [document, 'visibilitychange']] as const
  return {
    now: () => document.visibilityState === 'hidden' ? 'hidden' : document.hasFocus() ? 'front' : 'visible',
    onChange: (listener) => {
      for (const [target, name] of events) target.addEventListener(name, listener)
      return () => { for (const [target, name] of events) target.removeEventListener(name, listener) }
    }
  }
}
