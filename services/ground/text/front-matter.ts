import { parse, parseDocument } from 'yaml'
import { isRecord } from '../fields.js'
import { visibleProse } from './visible.js'
import { wholeTo } from './whole-characters.js'

export interface FrontMatter {
  /** The fields between the `---` lines; empty if there are none, or if they cannot be read. */
  fields: Readonly<Record<string, unknown>>
  /** The text below the front matter. */
  body: string
  /** Why the fields could not be read, as a sentence that quotes nothing of the text. */
  problem?: string
}

/** More than anyone writes by hand. Longer front matter would be parsed again at every change. */
const longestChars = 32 * 1024
const mostAliases = 20

const opening = /^---[ \t]*\r?\n/
const closing = /^---[ \t]*(?:\r?\n|$)/m

/** Splits a Markdown text into its front matter (YAML, never executed) and its body. Never throws. */
export function frontMatter (text: string): FrontMatter {
  const plain = text.replace(/^\uFEFF/, '')
  const opened = opening.exec(plain)
  if (opened === null) return { fields: {}, body: plain }
  const rest = plain.slice(opened[0].length)
  const closed = closing.exec(rest.slice(0, longestChars))
  if (closed === null) {
    return {
      fields: {}, body: plain, problem: rest.length > longestChars
        ? 'The front matter is too long.'
        : 'The front matter has no end: a line of three hyphens is missing.'
    }
  }
  const body = rest.slice(closed.index + closed[0].length).replace(/^(?:[ \t]*\r?\n)+/, '')
  try {
    const fields: unknown = parse(rest.slice(0, closed.index), { maxAliasCount: mostAliases, logLevel: 'error' })
    return fields === null || fields === undefined || isRecord(fields)
      ? { fields: fields ?? {}, body }
      : { fields: {}, body, problem: 'The front matter is not a list of keys and values.' }
  } catch {
    return { fields: {}, body, problem: 'The front matter is not valid YAML.' }
  }
}

/** Returns the text with another value of a field of its front matter; unchanged if it has no such field, or cannot be read. */
export function withField (text: string, name: string, value: string): string {
  if (!Object.hasOwn(frontMatter(text).fields, name)) return text
  const plain = text.replace(/^\uFEFF/, '')
  const opened = opening.exec(plain)?.[0] ?? ''
  const end = closing.exec(plain.slice(opened.length))?.index ?? 0
  const document = parseDocument(plain.slice(opened.length, opened.length + end), { logLevel: 'error' })
  document.set(name, value)
  return `${opened}${document.toString({ lineWidth: 0 })}${plain.slice(opened.length + end)}`
}

/**
 * Returns a value of the front matter on one line, trimmed, with signs for invisible characters and at most `mostChars` long; empty if the
 * value is neither a text nor a number.
 */
export function line (value: unknown, mostChars: number): string {
  if (typeof value !== 'string' && typeof value !== 'number') return ''
  const text = visibleProse(String(value).replace(/\s+/g, ' ').trim())
  return text.length <= mostChars ? text : `${wholeTo(text, mostChars - 1)}…`
}

/** Returns a list of words as people write them: a YAML list, or one text with commas. */
export function words (value: unknown): string[] {
  const items: unknown[] = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : []
  return [...new Set(items.slice(0, 50).map((item) => line(item, 100)).filter((item) => item !== ''))]
}
