import { type Asking } from './asking.js'
import { type Log } from '../../ground/log.js'

export interface ForgettingOptions {
  asking: Pick<Asking, 'ask'> & { names: () => string[] }
  /** Whether the session exists. */
  has: (sessionId: string) => boolean
  log: Log
}

/** The most sessions that one question may name. */
const atOnce = 10_000

/**
 * Machines keep copies of the uploads that their runs were given. Those of deleted sessions are removed at once from connected machines. A
 * machine that connects later lists the sessions it has copies of, and removes those that no longer exist, so the service has to remember
 * nothing for it.
 */
export function createForgetting ({ asking, has, log }: ForgettingOptions) {
  return {
    removed (ids: readonly string[]): void {
      for (const machine of asking.names()) asking.ask(machine, 'forget_sessions', { sessions: [...ids] }).catch(() => {})
    },

    /** Never rejects: a failure is made good the next time the machine joins. */
    async joined (machine: string): Promise<void> {
      try {
        const gone = (await asking.ask(machine, 'kept_sessions', {})).filter((id) => !has(id))
        for (let at = 0; at < gone.length; at += atOnce) {
          await asking.ask(machine, 'forget_sessions', { sessions: gone.slice(at, at + atOnce) })
        }
      } catch (error) {
        log('files of deleted sessions could not be removed from a machine', { machine, reason: String(error) })
      }
    }
  }
}
