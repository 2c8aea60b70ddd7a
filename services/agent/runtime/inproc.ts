import { Host, type HostOptions } from '../host/host.js'
import { type ToHost } from '../protocol.js'
import { type HostTransport } from './connection.js'

export interface InprocOptions extends Omit<HostOptions, 'send' | 'profileHome'> { profileHome: (profile: string) => string }

/** Runs the host in this process, for tests: same protocol, same JSON, no child process. */
export function inprocTransport ({ profileHome, ...options }: InprocOptions): HostTransport {
  return (profile) => {
    const messageListeners: Array<(message: unknown) => void> = []
    const exitListeners: Array<(reason: string) => void> = []
    let stopped = false
    const host = new Host({
      ...options,
      profileHome: profileHome(profile),
      send (message) {
        const copy: unknown = JSON.parse(JSON.stringify(message))
        setImmediate(() => { if (!stopped) for (const listener of messageListeners) listener(copy) })
        return true
      }
    })
    const stop = async (): Promise<void> => {
      if (stopped) return
      stopped = true
      const closed = host.close()
      for (const listener of exitListeners) listener('stopped')
      await closed
    }
    return {
      pid: null,
      send (message) {
        const copy: ToHost = JSON.parse(JSON.stringify(message))
        setImmediate(() => { if (!stopped) host.receive(copy) })
      },
      onMessage (listener) { messageListeners.push(listener) },
      onExit (listener) { exitListeners.push(listener) },
      stop,
      kill: () => { void stop() }
    }
  }
}
