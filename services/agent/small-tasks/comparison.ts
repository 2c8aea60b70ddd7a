import { withoutThoughts } from '../engines/whole-answer.js'
import { isRecord } from '../../ground/fields.js'

/** What is known of an attempt. */
export interface Compared { answer: string, check: string, diff: string }

/** `best`: its number, from 1; 0: none. `reasons`: by number, in order, '' where none was given. */
export interface Comparison { best: number, reasons: string[] }

const reasonChars = 1_000
/** How much of an answer is read, in characters. */
const readChars = 40_000

/** Reads which attempt is best out of what a model said: JSON, with or without a fence or talk around it. Null for anything else. Pure. */
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
  typeof value === 'string' ? value.replaceAll(/\s+/g, ' ').trim().slice(0, reasonChars).replace(/[\uD800-\uDBFF]$/, '') : ''
