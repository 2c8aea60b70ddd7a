import { type FromWindow } from './hub-worker.js'
import { Hub, type Membership, type ToWindow } from './hub.js'

/**
 * The hub as a window reaches it: in a worker that all windows share, or, in a browser that has none, one of its own.
 * A window that the browser puts aside leaves, and comes again when it is shown.
 */
export function joinHub (tell: (message: ToWindow) => void): Membership {
  if (typeof SharedWorker === 'undefined' || navigator.locks === undefined) {
    const membership = new Hub().join(tell)
    addEventListener('online', () => membership.retry())
    return membership
  }
  const { port } = new SharedWorker(new URL('./hub-worker.ts', import.meta.url), { type: 'module', name: 'events' })
  const say = (message: FromWindow): void => port.postMessage(message)
  const name = `window ${crypto.randomUUID()}`
  let wants: FromWindow | null = null
  const join = (): void => {
    // Held until the window is gone.
    void navigator.locks.request(name, async () => await new Promise(() => {}))
    say({ join: name })
    if (wants !== null) say(wants)
  }
  port.addEventListener('message', ({ data }: MessageEvent<ToWindow>) => tell(data))
  port.start()
  join()
  addEventListener('online', () => say({ retry: true }))
  addEventListener('pagehide', ({ persisted }) => { if (!persisted) say({ leave: true }) })
  return {
    want: (wanted) => say(wants = { want: wanted }),
    retry: () => say({ retry: true }),
    leave: () => say({ leave: true })
  }
}
