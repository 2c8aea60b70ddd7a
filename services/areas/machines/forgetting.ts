import { type Asking } from './asking.js'

export interface ForgettingOptions {
  asking: Pick<Asking, 'ask'> & { names: () => string[] }
  /** Whether there is such a session. */
  has: (sessionId: string) => boolean
  log: (message: string, details: Record<string, unknown>) => void
}

/** As many as one question takes. */
const atOnce = 10_000

/**
 * Machines have copies of what their runs were given. Those of deleted sessions go at once where a machine is there; one that comes back
 * says what it has, and lets go of what there is no session for. So nothing has to be remembered for it.
 */
export function createForgetting ({ asking, has, log }: ForgettingOptions) {
  return {
    removed (ids: readonly string[]): void {
      for (const host of asking.names()) asking.ask(host, 'forget_sessions', { sessions: [...ids] }).catch(() => {})
    },

    /** Never rejects: it is done again when the machine comes the next time. */
    async joined (host: string): Promise<void> {
      try {
        const gone = (await asking.ask(host, 'kept_sessions', {})).filter((id) => !has(id))
        for (let at = 0; at < gone.length; at += atOnce) {
          await asking.ask(host, 'forget_sessions', {
            sessions: gone.slice(at, at + atOnce)
          })
        }
      } catch (error) {
        log('files of deleted sessions could not be removed from a machine', { host, reason: String(error) })
      }
    }
  }
}
