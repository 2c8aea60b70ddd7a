import { Listeners } from '../../ground/listeners.js'

export interface AccessEvents {
  /** Ways to sign in have come or gone: what the status says under these keys is different. */
  changed (keys: string[]): void
}

export interface AccessNewsOptions {
  /** How the service can be got into now, as somebody sees it who is not in. */
  access: () => object
  log: (message: string, details: Record<string, unknown>) => void
}

/** Tells that the ways to sign in have changed. Whoever may have changed one calls `look` afterwards. */
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
