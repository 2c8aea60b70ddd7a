import { createContext, Script } from 'node:vm'
import { once } from '../../ground/concurrency/once.js'
import { escapeHtml } from '../../ground/text/html.js'

/** The part of highlight.js that is used here. */
interface Highlighter {
  getLanguage (name: string): { name?: string } | undefined
  highlight (code: string, options: { language: string, ignoreIllegals: boolean }): { value: string }
}

/** `source`: HTML of the code, escaped. `language`: its readable name, null if it is unknown. */
interface HighlightedCode { source: string, language: string | null }
export type Highlight = (code: string, language: string) => HighlightedCode

const maxChars = 50_000
const maxBlockMs = 200
/** Limits what code built to be slow can cost a page: at most this many times `maxBlockMs`. */
const maxOverruns = 5
/** How much highlighted code is kept for other pages, and for the same page again. */
const maxKeptChars = 4_000_000

// The cast keeps out the package's types, which bring those of the DOM into the whole project; bundlers still see the name.
const highlighter = once(async () => (await import('highlight.js/lib/common' as string) as { default: Highlighter }).default)

/** HTML of code by language and code, the one used last at the end. Highlighting takes most of the time of a page. */
const kept = new Map<string, string>()
let keptChars = 0

function keep (key: string, value: string): void {
  if (!kept.delete(key)) keptChars += key.length + value.length
  kept.set(key, value)
  for (const [oldest, html] of kept) {
    if (keptChars <= maxKeptChars) return
    kept.delete(oldest)
    keptChars -= oldest.length + html.length
  }
}

/** Forgets the code of all pages, because some of it may belong to a conversation that was deleted. */
export function forgetHighlighted (): void {
  kept.clear()
  keptChars = 0
}

/** Loads a highlighter for one page; its languages are read when the first page needs one. */
export async function loadHighlight (): Promise<Highlight> {
  const engine = await highlighter()
  let overruns = 0
  return (code, language) => {
    const known = engine.getLanguage(language)
    const name = known === undefined ? null : known.name ?? language
    if (known === undefined || code.length > maxChars || overruns === maxOverruns) return { source: escapeHtml(code), language: name }
    const key = `${language}\n${code}`
    const value = kept.get(key) ?? withinMs(maxBlockMs, () => engine.highlight(code, { language, ignoreIllegals: true }).value)
    if (value === undefined) overruns++
    else keep(key, value)
    return { source: value ?? escapeHtml(code), language: name }
  }
}

/** For pages without code. */
export const withoutHighlight: Highlight = (code) => ({ source: escapeHtml(code), language: null })

const room: { work?: () => string } = createContext({})
const call = new Script('work()')

/**
 * Returns the result of `work`, or undefined if it takes too long or fails. Some grammars take time quadratic in the input; only a script's
 * time limit can stop a regular expression on its own thread.
 */
function withinMs (limitMs: number, work: () => string): string | undefined {
  room.work = work
  try {
    return call.runInContext(room, { timeout: limitMs }) as string
  } catch {
    return undefined
  } finally {
    delete room.work
  }
}
