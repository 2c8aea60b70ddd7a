/** The part of `Storage` that is used; a map in tests. */
interface ToldStore { getItem: (key: string) => string | null, setItem: (key: string, text: string) => void }

/** How visible a window is among the browser's windows. */
export interface WindowPlace {
  /** `front`: it has the focus; `visible`; `hidden`. */
  now: () => 'front' | 'visible' | 'hidden'
  /** Calls `listener` when its visibility may have changed. Returns a function that stops this. */
  onChange: (listener: () => void) => () => void
}

export interface ToldOnceOptions {
  store: ToldStore
  /** Runs functions one at a time across all windows of a browser. */
  alone: <Result>(act: () => Promise<Result>) => Promise<Result>
  place: WindowPlace
  /** How long a visible window waits for the front one to go first. */
  yieldMs?: number
  nowMs?: () => number
}

const storedAs = 'told'
const mostRemembered = 50
const usualYieldMs = 300
/** Older events are no longer shown when the person returns to a window. */
const freshMs = 15 * 60_000

/**
 * Shows each event in only one window of a browser: the one in front, else a visible one, else the first that becomes visible. All windows
 * receive the same event, perhaps twice.
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
      // If the storage is full, the event may be shown twice, which is better than never.
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

  /** Shows an event once. `key` identifies it, `atMs` is its time. Resolves once it was shown here, or will not be. */
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
