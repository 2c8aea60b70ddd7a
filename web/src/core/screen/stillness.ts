/** How long no answer may have grown before the app does what would interrupt it. */
const stillMs = 1_000

/** Knows whether an answer is growing on the screen. */
export function createStillness ({
  nowMs = () => performance.now(), wait = (ms: number, act: () => void): unknown => setTimeout(act, ms)
} = {}) {
  let grewAtMs = -Infinity
  return {
    /** Called whenever the text of an answer is drawn. */
    grew (): void { grewAtMs = nowMs() },
    /** Resolves once no answer has grown for a second, also while one waits for the person. */
    async reached (): Promise<void> {
      while (nowMs() - grewAtMs < stillMs) await new Promise<void>((resolve) => wait(grewAtMs + stillMs - nowMs(), resolve))
    }
  }
}

/** The stillness of this window. */
export const stillness = createStillness()
