import { type Forgotten, type FromWindow } from './hub-worker.js'
import { type Membership, type ToWindow, type Wants } from './hub.js'

/** How often a window reports that it is alive, in a browser without locks. */
const aliveMs = 30_000

/**
 * Joins the hub, which is in a worker that all windows share; in a browser without shared workers, each window has its own. A window that
 * the browser freezes leaves, and joins again when it is shown. `cursor`: that of the window's snapshot; empty: it has none.
 */
export function joinHub (tell: (message: ToWindow) => void, cursor: string): Membership {
  const membership = typeof SharedWorker === 'undefined' ? ownHub(tell, cursor) : sharedHub(tell, cursor)
  addEventListener('online', () => membership.retry())
  return membership
}

function sharedHub (tell: (message: ToWindow) => void, cursor: string): Membership {
  const { port } = new SharedWorker(new URL('./hub-worker.ts', import.meta.url), { type: 'module', name: 'events' })
  const say = (message: FromWindow): void => port.postMessage(message)
  // Locks exist only over https and on localhost.
  const { locks }: Partial<Navigator> = navigator
  let joins = 0
  let wants: Wants | null = null
  let hasEntered = false

  function join (): void {
    hasEntered = false
    joins++
    if (locks === undefined) return enter(null)
    const lock = `window ${crypto.randomUUID()} ${joins}`
    // Held until the window is gone. The worker learns its name only once it is held: if the worker got the lock first, it would consider
    // the window gone.
    void locks.request(lock, async () => {
      enter(lock)
      await new Promise(() => {})
    })
  }

  function enter (lock: string | null): void {
    hasEntered = true
    // A window that joins again needs the current state, so it sends no cursor.
    say({ join: { lock, cursor: joins === 1 ? cursor : '' } })
    if (wants !== null) say({ want: wants })
  }

  port.addEventListener('message', ({ data }: MessageEvent<ToWindow | Forgotten>) => {
    if ('forgotten' in data) join()
    else tell(data)
  })
  port.start()
  join()
  if (locks === undefined) setInterval(() => say({ alive: true }), aliveMs)
  addEventListener('pagehide', () => say({ leave: true }))
  addEventListener('pageshow', ({ persisted }) => { if (persisted) join() })
  return {
    want (wanted) {
      wants = wanted
      if (hasEntered) say({ want: wanted })
    },
    retry: () => say({ retry: true }),
    leave: () => say({ leave: true })
  }
}

/** Loads a hub for this window alone; subscriptions made until then are kept. */
function ownHub (tell: (message: ToWindow) => void, cursor: string): Membership {
  let membership: Membership | null = null
  let wants: Wants | null = null
  void import('./hub.js').then(({ Hub }) => {
    const hub = new Hub()
    membership = hub.join(tell, cursor)
    if (wants !== null) membership.want(wants)
    // A browser allows few connections to one service, so hidden windows with their own connection close it.
    document.addEventListener('visibilitychange', () => hub.rest(document.visibilityState === 'hidden'))
  })
  return {
    want (wanted) {
      wants = wanted
      membership?.want(wanted)
    },
    retry: () => membership?.retry(),
    leave: () => membership?.leave()
  }
}
