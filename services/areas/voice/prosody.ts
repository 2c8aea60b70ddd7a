import { Invalid } from '../../ground/errors.js'

/** Speed and pitch of speech: factors, where 1 is normal. */
export interface Prosody {
  /** 0.5 to 2. */
  rate: number
  /** 0 to 2. */
  pitch: number
}

const mostChars = 5_000
const mostPercent = 100
const slowest = 0.5
const fastest = 2
const highest = 2
/** The pitch of a typical voice, to which changes in Hz are related. */
const usualHz = 200

/**
 * Reads rate and pitch of a request: a number (1 is normal), or a change such as `+10%` and, for the pitch, `-5Hz`. Undefined, an empty
 * text, null and 0 mean `usual`. Throws Invalid, which names the wrong one, the rate first.
 */
export function readProsody ({ rate, pitch }: { rate?: unknown, pitch?: unknown }, usual: Prosody = { rate: 1, pitch: 1 }): Prosody {
  return {
    rate: Math.min(fastest, Math.max(slowest, factorOf('rate', rate, { least: slowest, most: fastest, units: '%' }) ?? usual.rate)),
    pitch: Math.min(highest, factorOf('pitch', pitch, { least: 0, most: highest, units: '%|Hz' }) ?? usual.pitch)
  }
}

/** Throws Invalid for a text that is empty or longer than 5,000 characters. */
export function assertSpeakable (text: string): void {
  if (text.trim() === '') throw new Invalid('Missing required field(s): text')
  // What people count as one character takes up to two units.
  if (text.length > mostChars && (text.length > 2 * mostChars || [...text].length > mostChars)) {
    throw new Invalid(`The text is too long: at most ${mostChars} characters`)
  }
}

interface Range { least: number, most: number, units: string }

/** Returns the factor that is asked for; null if none is. */
function factorOf (name: string, value: unknown, { least, most, units }: Range): number | null {
  if (value === undefined || value === null || value === 0 || value === '') return null
  if (typeof value === 'number' && value >= least && value <= most) return value
  const [, number, unit] = (typeof value === 'string' && new RegExp(`^([+-]?\\d{1,3})(${units})$`).exec(value.trim())) || []
  const change = Number(number)
  if (number === undefined || Math.abs(change) > mostPercent) {
    throw new Invalid(
      `Invalid ${name}: must be a number from ${least} to ${most}, or a change such as +10%${units === '%' ? '' : ' or -5Hz'}, by 100 at most`
    )
  }
  return unit === 'Hz' ? 1 + change / usualHz : 1 + change / 100
}
