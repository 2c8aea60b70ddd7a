import { beginningOf } from '../../ground/redaction/index.js'
import { wholeEnd } from '../../ground/text/whole-characters.js'
import { withoutThoughts } from '../engines/whole-answer.js'

export interface Judgement { verdict: 'done' | 'continue' | 'unclear', reason: string }

const reasonChars = 500
/** How many characters of an answer are read, from its end. */
const readChars = 20_000

/**
 * Reads the verdict from a model's answer: JSON, with or without a fence, thoughts or talk around it, broken JSON, or a word followed by an
 * explanation. Two different verdicts count as none. Pure.
 */
export function parseVerdict (answer: string): Judgement {
  const text = withoutThoughts(answer.slice(-readChars))
  if (text === '') return { verdict: 'unclear', reason: 'The judge gave no answer.' }
  const stated = readObject(text) ?? readPair(text) ?? readWord(text)
  if (stated === null) return { verdict: 'unclear', reason: `The judge's answer was not understood: ${oneLine(text, 200)}` }
  return { verdict: stated.verdict, reason: oneLine(stated.reason, reasonChars) || withoutReason[stated.verdict] }
}

const withoutReason: Record<Judgement['verdict'], string> = {
  done: 'The judge counts the goal as met and gave no reason.',
  continue: 'The judge sees more to do and gave no reason.',
  unclear: 'The judge could not tell and gave no reason.'
}

function readObject (text: string): Judgement | null {
  try {
    const {
      verdict, reason
    }: { verdict?: unknown, reason?: unknown } = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1))
    const word = typeof verdict === 'string' ? asVerdict(verdict) : null
    return word === null ? null : { verdict: word, reason: typeof reason === 'string' ? reason : '' }
  } catch {
    return null
  }
}

/** Reads `"verdict": "done"` anywhere in the text, unless another verdict is stated elsewhere in it. */
function readPair (text: string): Judgement | null {
  const verdicts = [...text.matchAll(/\bverdict["'”*]*\s*[:=][\s"'“*`]*([a-z]+)(?!\s*(?:["'”]\s*)?(?:\||or\b)|\w)/gi)].map(([, word = '']) =>
    asVerdict(word))
  const [verdict] = verdicts
  if (verdict === undefined || verdict === null || verdicts.some((other) => other !== verdict)) return null
  const reason = [...text.matchAll(/\breason["'”*]*\s*[:=][\s"'“*]*([^\n"”}]*)/gi)].at(-1)?.[1] ?? ''
  return { verdict, reason }
}

/** Reads the word alone, or before its explanation. */
function readWord (text: string): Judgement | null {
  // oxlint-disable-next-line regexp/no-super-linear-backtracking -- the rest is anything
  const [, word = '', gap = '', rest = ''] = /^[\s*_`"'“]*([a-z]+)([\s*_`"'”]*)([^]*)$/i.exec(text) ?? []
  const verdict = asVerdict(word)
  const line = gap.lastIndexOf('\n')
  if (verdict === null) return null
  if (rest === '') return { verdict, reason: '' }
  if (/^[.:–—-]/.test(rest)) return { verdict, reason: rest.slice(1) }
  return line === -1 ? null : { verdict, reason: gap.slice(line + 1) + rest }
}

function asVerdict (word: string): Judgement['verdict'] | null {
  const verdict = word.trim().toLowerCase()
  return verdict === 'done' || verdict === 'continue' || verdict === 'unclear' ? verdict : null
}

const oneLine = (text: string, limit: number): string => beginningOf(text.replaceAll(/\s+/g, ' ').trim(), limit)

/** Returns the end of a text that is too long. */
export function lastChars (text: string, limit: number): string {
  if (text.length <= limit) return text
  return `[… the beginning is left out …]\n${wholeEnd(text, limit)}`
}
