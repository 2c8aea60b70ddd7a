import { type ApplyOptions } from './applying.js'

/** What would be broken off by a restart. */
interface Busy { activeStreams: number, activeRuns: number, streamIds: string[] }

export interface RestartingOptions {
  /** `takesUp`: the next version takes up the turns that go on without the service. */
  busy: (takesUp: boolean) => Busy
  /** Keeps turns from beginning, so that none is cut off by the restart. */
  turns: { hold: () => void, release: () => void }
  /** Ends the service in order and starts it again; null where that cannot be done from within. `keepsTurns`: those that can go on do. */
  restart: ((keepsTurns: boolean) => void) | null
  restartAfterMs?: number
}

/** Turns run that the restart would end. */
export class Blocked extends Error {
  constructor (readonly busy: Busy) {
    const turns = Math.max(busy.activeStreams, busy.activeRuns)
    super(turns === 1
      ? 'A turn is running that the restart would end: wait for it or cancel it, then update'
      : `${turns} turns are running that the restart would end: wait for them or cancel them, then update`)
  }
}

/** So that the answer is read before the connection ends. */
const usualRestartAfterMs = 2_000

/** The restart into another version, and the turns that it must not cut off. */
export function createRestarting ({ busy, turns, restart, restartAfterMs = usualRestartAfterMs }: RestartingOptions) {
  let timer: NodeJS.Timeout | undefined

  function assertQuiet (takesUp: boolean): void {
    const now = busy(takesUp)
    if (now.activeStreams + now.activeRuns > 0) throw new Blocked(now)
  }

  return {
    isPossible: restart !== null,
    get isScheduled (): boolean { return timer !== undefined },

    /** What an update does about turns; `now`: it takes no notice of those that run. Each throws Blocked. */
    guard: (now: boolean): Pick<ApplyOptions, 'assertQuiet' | 'holdQuiet'> => ({
      assertQuiet () { if (!now) assertQuiet(true) },
      holdQuiet (takesUp) {
        if (!now) assertQuiet(takesUp)
        turns.hold()
      }
    }),
    /** Turns may begin again. */
    release: turns.release,

    schedule (takesUp: boolean): void { timer = setTimeout(() => restart?.(takesUp), restartAfterMs) },
    /** Has the service not restart any more; it counts as scheduled all the same. */
    cancel (): void { clearTimeout(timer) }
  }
}
