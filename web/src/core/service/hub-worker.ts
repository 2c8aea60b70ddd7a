import { Hub, type Membership, type Wants } from './hub.js'

/**
 * A message from a window to the worker. `lock`: a lock that the window holds as long as it lives; null in a browser without locks, where
 * the window sends `alive` at intervals. `cursor`: that of the window's snapshot; empty: it has none.
 */
export type FromWindow =
  { join: { lock: string | null, cursor: string } } | { want: Wants } | { retry: true } | { alive: true } | { leave: true }

/** Sent to a window that was wrongly considered gone. */
export interface Forgotten { forgotten: true }

declare const self: { addEventListener: (type: 'connect', listener: (event: MessageEvent) => void) => void }

/** Hidden windows may be a minute late with `alive`. */
const silentMs = 150_000

// One hub for all windows of a browser, which share its connection.
const hub = new Hub()

self.addEventListener('connect', ({ ports }) => { for (const port of ports) serve(port) })

function serve (port: MessagePort): void {
  let membership: Membership | null = null
  let timer: ReturnType<typeof setTimeout> | undefined

  function leave (left: Membership | null): void {
    left?.leave()
    if (left === membership) membership = null
  }

  function join ({ lock, cursor }: { lock: string | null, cursor: string }): void {
    leave(membership)
    const joined = membership = hub.join((message) => port.postMessage(message), cursor)
    // A port does not report that its window is gone, but the lock of a crashed window becomes free.
    if (lock !== null) void navigator.locks.request(lock, () => leave(joined))
  }

  port.addEventListener('message', ({ data }: MessageEvent<FromWindow>) => {
    clearTimeout(timer)
    if ('join' in data) join(data.join)
    else if ('leave' in data) return leave(membership)
    else if (membership === null) port.postMessage({ forgotten: true } satisfies Forgotten)
    else if ('want' in data) membership.want(data.want)
    else if ('retry' in data) membership.retry()
    if (navigator.locks === undefined) timer = setTimeout(() => leave(membership), silentMs)
  })
  port.start()
}
