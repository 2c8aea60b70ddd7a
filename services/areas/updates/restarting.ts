import { type ApplyOptions } from './applying.js'

/** What a restart would interrupt. */
interface Busy { activeStreams: number, activeRuns: number, streamIds: string[] }

export interface RestartingOptions {
  /** `takesUp`: whether the next version continues turns that run without the service. */
  busy: (takesUp: boolean) => Busy
  /** Keeps turns from beginning, so that the restart interrupts none. */
  turns: { hold: () => void, release: () => void }
  /** Stops the service in order and starts it again; null if it cannot do that itself. `keepsTurns`: turns that can continue do. */
  restart: ((keepsTurns: boolean) => void) | null
  restartAfterMs?: number
}

/** Returns how many turns a restart would end. */
export const turnsIn = ({ activeStreams, activeRuns }: Busy): number => Math.max(activeStreams, activeRuns)

/** Thrown when turns are running that the restart would end. */
export class Blocked extends Error {
  /** `takesUp`: whether the new version continues turns that run without the service. */
  constructor (readonly busy: Busy, readonly takesUp: boolean) {
    const turns = turnsIn(busy)
    super(turns === 1
      ? 'A turn is running that the restart would end: wait for it or cancel it, then update'
      : `${turns} turns are running that the restart would end: wait for them or cancel them, then update`)
  }
}

/** The delay lets clients read the answer before the connection ends. */
const usualRestartAfterMs = 2_000

/** Restarts into another version, and protects running turns. */
export function createRestarting ({ busy, turns, restart, restartAfterMs = usualRestartAfterMs }: RestartingOptions) {
  let timer: NodeJS.Timeout | undefined

  function assertQuiet (takesUp: boolean): void {
    const now = busy(takesUp)
    if (now.activeStreams + now.activeRuns > 0) throw new Blocked(now, takesUp)
  }

  return {
    isPossible: restart !== null,
    get isScheduled (): boolean { return timer !== undefined },

    /** Returns the checks that an update makes for running turns; `now`: ignores them. Each throws Blocked. */
    guard: (now: boolean): Pick<ApplyOptions, 'assertQuiet' | 'holdQuiet'> => ({
      assertQuiet () { if (!now) assertQuiet(true) },
      holdQuiet (takesUp) {
        if (!now) assertQuiet(takesUp)
        turns.hold()
      }
    }),
    /** Lets turns begin again. */
    release: turns.release,

    schedule (takesUp: boolean): void { timer = setTimeout(() => restart?.(takesUp), restartAfterMs) },
    /** Cancels the restart; it still counts as scheduled. */
    cancel (): void { clearTimeout(timer) }
  }
}
