import { signal, type ReadonlySignal } from '@preact/signals-core'

/** Screen readers announce the remaining time once, when this many seconds are left. */
const lastCallS = 30

export interface Countdown {
  /** Whole seconds; 0 at the end. */
  readonly leftS: ReadonlySignal<number>
  /** Stops the countdown. */
  stop: () => void
}

/** Counts down to a moment, once a second. Calls `onLastCall` once when `lastCallS` are left, unless the countdown begins with less. */
export function countDown (expiresAtS: number, onLastCall: (leftS: number) => void): Countdown {
  const left = (): number => Math.max(0, Math.round(expiresAtS - Date.now() / 1_000))
  const leftS = signal(left())
  let isTold = leftS.value <= lastCallS
  const timer = setInterval(() => {
    leftS.value = left()
    if (!isTold && leftS.value <= lastCallS) {
      isTold = true
      onLastCall(leftS.value)
    }
    if (leftS.value === 0) clearInterval(timer)
  }, 1_000)
  return { leftS, stop: () => clearInterval(timer) }
}

/** Formats seconds as `1:05` or `2:00:00`. */
export function clockOf (seconds: number): string {
  const two = (number: number): string => String(number).padStart(2, '0')
  const [hours, minutes, rest] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60]
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`
}
