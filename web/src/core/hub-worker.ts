import { Hub, type Membership, type Wants } from './hub.js'

/** What a window says to the worker; `name` is that of a lock which it holds as long as it lives. */
export type FromWindow = { join: string } | { want: Wants } | { retry: true } | { leave: true }

declare const self: { addEventListener: (type: 'connect', listener: (event: MessageEvent) => void) => void }

// One for all windows of a browser: the connection is theirs in common.
const hub = new Hub()

self.addEventListener('connect', ({ ports: [port] }) => {
  if (port === undefined) return
  let membership: Membership | null = null
  const leave = (): void => {
    membership?.leave()
    membership = null
  }
  port.addEventListener('message', ({ data }: MessageEvent<FromWindow>) => {
    if ('join' in data) {
      leave()
      membership = hub.join((message) => port.postMessage(message))
      // A port does not tell that its window is gone; the lock of a window that has crashed is free.
      void navigator.locks.request(data.join, leave)
    } else if ('want' in data) membership?.want(data.want)
    else if ('retry' in data) membership?.retry()
    else leave()
  })
  port.start()
})
