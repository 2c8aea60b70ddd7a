import { withoutThoughts } from '../engines/whole-answer.js'
import { isRecord } from '../../ground/fields.js'
import { wholeTo } from '../../ground/text/whole-characters.js'

/** What is known about an attempt. */
export interface Compared { answer: string, check: string, diff: string }

/** `best`: number of the best attempt, from 1; 0 = none. `reasons`: one for each attempt, in order; '' if none was given. */
export interface Comparison { best: number, reasons: string[] }

const reasonChars = 1_000
/** How many characters of an answer are read, from its end. */
const readChars = 40_000

/** Reads from a model's answer which attempt is best: JSON, with or without a fence or talk around it. Null for anything else. Pure. */
export function parseComparison (answer: string, count: number): Comparison | null {
  const text = withoutThoughts(answer.slice(-readChars))
  try {
    const said: unknown = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1))
    if (!isRecord(said)) return null
    const best = Number(said['best'])
    const reasons = said['reasons']
    if (!Number.isInteger(best) || best < 0 || best > count) return null
    return { best, reasons: Array.from({ length: count }, (_, index) => isRecord(reasons) ? oneLine(reasons[String(index + 1)]) : '') }
  } catch {
    return null
  }
}

const oneLine = (value: unknown): string =>
  typeof value === 'string' ? wholeTo(value.replaceAll(/\s+/g, ' ').trim(), reasonChars) : ''
