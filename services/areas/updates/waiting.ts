import { epochSeconds, type Clock } from '../../ground/time/clock.js'

export interface WaitingOptions {
  clock: Clock
  /** Stores since when an update waits, in epoch seconds, over restarts of the service. */
  wish: { read: () => number | null, write: (sinceS: number | null) => void }
  /** Returns how many turns are running that the restart would end. */
  left: () => number
  /** Whether an update is under way. */
  isBusy: () => boolean
  /** Starts the update. Resolves with false if turns have begun in between, for which it waits again. Never rejects. */
  begin: () => Promise<boolean>
}

export interface WaitingUpdate { sinceS: number, turns: number }

const lookEveryMs = 1_000

/** An update that waits for the last turn that its restart would end. A person can start it at once, or cancel it. */
export function createWaiting ({ clock, wish, left, isBusy, begin }: WaitingOptions) {
  let timer: NodeJS.Timeout | null = null

  function watch (): void {
    timer ??= setInterval(() => {
      if (isBusy() || left() > 0) return
      void begin().then((isOver) => { if (isOver) drop() })
    }, lookEveryMs).unref()
  }

  function stop (): void {
    if (timer !== null) clearInterval(timer)
    timer = null
  }

  /** Returns false if no update waits. */
  function drop (): boolean {
    stop()
    if (wish.read() === null) return false
    wish.write(null)
    return true
  }

  return {
    /** Returns null if no update waits. */
    state (): WaitingUpdate | null {
      const sinceS = wish.read()
      return sinceS === null ? null : { sinceS, turns: left() }
    },
    wait (): void {
      if (wish.read() === null) wish.write(epochSeconds(clock))
      watch()
    },
    drop,
    /** Called after a start of the service. `endedAtS`: when the last update ended; one that waited before that does not wait any more. */
    takeUp (endedAtS: number | null): void {
      const sinceS = wish.read()
      if (sinceS === null) return
      if (endedAtS !== null && endedAtS >= sinceS) drop()
      else watch()
    },
    stop
  }
}
