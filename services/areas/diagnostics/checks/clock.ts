import { stat } from 'node:fs/promises'
import { monotonicMs, type Clock } from '../../../ground/time/clock.js'
import { timeLimit } from '../../../ground/time/time-limit.js'
import { type Check, type Finding, coded, ok, problem, skipped, warning } from '../check.js'
import { ageWords } from '../texts.js'

/** Returns the time of a server on the internet in epoch ms; null if no server can be asked, or none answered. */
export type AskTime = (signal: AbortSignal) => Promise<number | null>

export interface ClockOptions {
  clock: Clock
  startedAt: { wallMs: number, monotonicMs: number }
  databaseFile: string
  askTime: AskTime
  askLimitMs?: number
}

const synchronise = 'Synchronise the clock:\nsudo timedatectl set-ntp true\ntimedatectl status'
/** A `Date` header has whole seconds, and an answer takes time to arrive. */
const uncertainS = 5
/** Shorter than the limit of the check: a firewall that drops packets is no fault of the clock. */
const usualAskLimitMs = 3_000
const [noticeableS, harmfulS] = [30, 300]

/** Checks the clock against a server on the internet, against itself since the start, and against the database's last write. */
export function clockCheck ({ clock, startedAt, databaseFile, askTime, askLimitMs = usualAskLimitMs }: ClockOptions): Check {
  return {
    id: 'clock',
    group: 'service',
    title: 'Clock',
    async run (signal) {
      const back = setBack({ wallMs: clock.now() - startedAt.wallMs, passedMs: monotonicMs(clock) - startedAt.monotonicMs })
      if (back !== null) return back
      const writtenMs = (await stat(databaseFile).catch(() => null))?.mtimeMs ?? 0
      const future = beforeLastWrite((writtenMs - clock.now()) / 1_000)
      if (future !== null) return future
      const limit = timeLimit(askLimitMs, [signal])
      const theirsMs = await askTime(limit.signal).catch(() => null).finally(limit.clear)
      return theirsMs === null
        ? coded(skipped('No server could be asked for the time. The clock has not been set back since the start.'), 'clock_unasked')
        : offset((clock.now() - theirsMs) / 1_000)
    }
  }
}

export function setBack ({ wallMs, passedMs }: { wallMs: number, passedMs: number }): Finding | null {
  const backS = (passedMs - wallMs) / 1_000
  if (backS < noticeableS) return null
  const found = warning(`The clock was set back by ${ageWords(backS)} since the start of the service.`, synchronise)
  return coded(found, 'clock_set_back', { seconds: Math.round(backS) })
}

export function beforeLastWrite (aheadS: number): Finding | null {
  if (aheadS < noticeableS) return null
  const found = problem(`The clock is behind: the database was written ${ageWords(aheadS)} later than the time it shows.`, synchronise)
  return coded(found, 'clock_before_write', { seconds: Math.round(aheadS) })
}

/** @param aheadS how far this clock is ahead of the other; negative if behind */
export function offset (aheadS: number): Finding {
  const byS = Math.max(0, Math.abs(aheadS) - uncertainS)
  if (byS === 0) return coded(ok('The clock agrees with that of a server on the internet.'), 'clock_right')
  const side = aheadS > 0 ? 'ahead' : 'behind'
  const values = { seconds: Math.round(Math.abs(aheadS)) }
  const words = `The clock is ${ageWords(values.seconds)} ${side}.`
  if (byS >= harmfulS) return coded(problem(`${words} Sign-ins, webhooks and TLS certificates fail.`, synchronise), `clock_far_${side}`, values)
  return coded(byS >= noticeableS ? warning(words, synchronise) : ok(words), `clock_${side}`, values)
}
