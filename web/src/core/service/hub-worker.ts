import { Hub, type Membership, type Wants } from './hub.js'

/**
 * What a window says to the worker. `lock`: one that it holds as long as it lives; null where the browser has none,
 * and the window says `alive` now and then.
 */
export type FromWindow = { join: { lock: string | null } } | { want: Wants } | { retry: true } | { alive: true } | { leave: true }

/** To a window that was taken for gone, and is not. */
export interface Forgotten { forgotten: true }

declare const self: { addEventListener: (type: 'connect', listener: (event: MessageEvent) => void) => void }

/** Hidden windows are slow to say that they are there, by a minute. */
const silentMs = 150_000

// One for all windows of a browser: the connection is theirs in common.
const hub = new Hub()

self.addEventListener('connect', ({ ports }) => { for (const port of ports) serve(port) })

function serve (port: MessagePort): void {
  let membership: Membership | null = null
  let timer: ReturnType<typeof setTimeout> | undefined

  function leave (left: Membership | null): void {
    left?.leave()
    if (left === membership) membership = null
  }

  function join (lock: string | null): void {
    leave(membership)
    const joined = membership = hub.join((message) => port.postMessage(message))
    // A port does not tell that its window is gone; the lock of a window that has crashed is free.
    if (lock !== null) void navigator.locks.request(lock, () => leave(joined))
  }

  port.addEventListener('message', ({ data }: MessageEvent<FromWindow>) => {
    clearTimeout(timer)
    if ('join' in data) join(data.join.lock)
    else if ('leave' in data) return leave(membership)
    else if (membership === null) port.postMessage({ forgotten: true } satisfies Forgotten)
    else if ('want' in data) membership.want(data.want)
    else if ('retry' in data) membership.retry()
    if (navigator.locks === undefined) timer = setTimeout(() => leave(membership), silentMs)
  })
  port.start()
}
