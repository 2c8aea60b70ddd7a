import { Listeners } from '../../ground/listeners.js'
import { type Log } from '../../ground/log.js'

export interface AccessEvents {
  /** Ways to sign in were added or removed: the status has other values under these keys. */
  changed (keys: string[]): void
}

export interface AccessNewsOptions {
  /** Returns the ways to sign in, as a client sees them that is not signed in. */
  access: () => object
  log: Log
}

/** Notifies listeners when the ways to sign in have changed. Code that may have changed them calls `look` afterwards. */
export function createAccessNews ({ access, log }: AccessNewsOptions) {
  const listeners = new Listeners<AccessEvents>((event, error) =>
    log('a listener failed after a change of sign-in', { event, reason: String(error) }))
  let seen = new Map<string, unknown>(Object.entries(access()))

  return {
    on: listeners.on,
    look (): void {
      const now = new Map<string, unknown>(Object.entries(access()))
      const keys = [...now.keys()].filter((key) => now.get(key) !== seen.get(key))
      seen = now
      if (keys.length > 0) listeners.emit('changed', keys)
    }
  }
}
