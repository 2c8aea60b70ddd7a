import { once } from '../ground/concurrency/once.js'
import { escapeHtml, Markup } from './markup.js'

export interface Formula { length: number, tex: string, display: boolean }

/** Longer ones are shown as they were written: to set them would hold up everybody. */
const longestChars = 2_000
const longestWithMacrosChars = 300
const definesMacros = /\\(?:[gex]?def|(?:re)?newcommand|providecommand|(?:future)?let|DeclareMathOperator)\b/

/** A formula that stands at `at`: `$…$`, `$$…$$`, `\(…\)` or `\[…\]`, by the rules of the browser app (web/src/markdown/lex.ts). Sums of money are none. */
export function formulaAt (source: string, at: number): Formula | null {
  const text = source.slice(at, at + longestChars)
  const found = /^(?:\$\$([^$]+)\$\$|\\\(([\s\S]+?)\\\)|\\\[([\s\S]+?)\\\])/.exec(text)
  if (found !== null) {
    const tex = (found[1] ?? found[2] ?? found[3] ?? '').trim()
    // `\[note\]` is how Markdown writes brackets that are no link.
    if (tex === '' || /\n[ \t]*\n/.test(tex) || (found[3] !== undefined && !/[\\^_=+<>]/.test(tex))) return null
    return { length: found[0].length, tex, display: found[2] === undefined }
  }
  // The signs stand against the formula, and no digit follows: `$5 and $10` is money.
  const inline = /^\$(?![\s$])((?:[^$\\\n]|\\[^\n]|\n(?![ \t]*\n))*?[^\s\\$]|\\[^\s])\$(?![\d$A-Za-z])/.exec(text)
  const tex = inline?.[1]
  return tex === undefined || isMoney(tex) ? null : { length: inline?.[0].length ?? 0, tex, display: false }
}

/** `5 to `, `100k, or US`: begins with a number, goes on in words, and has nothing that only formulas have. */
const isMoney = (tex: string): boolean => /^\d[\d.,]*\s*[a-z]*[\s/,.-]/i.test(tex) && !/[\\^_={}]/.test(tex) && /[a-z]{2}/i.test(tex)

/** What temml makes of a formula, as far as it is written here. */
interface Node {
  type?: string
  text?: string
  children?: Node[]
  attributes?: Record<string, string>
  classes?: string[]
  style?: Record<string, string>
}

/** What MathML has, and none of it leads anywhere or loads anything. */
const elements = new Set('math mrow mi mn mo ms mtext mspace mfrac msqrt mroot mstyle merror mpadded mphantom msub msup msubsup munder mover munderover mmultiscripts mprescripts none mtable mtr mtd menclose'.split(' '))
const attributeNames = new Set(('accent accentunder columnalign columnlines columnspacing depth display displaystyle fence form height largeop linebreak linethickness lspace mathbackground mathcolor mathsize ' +
  'mathvariant maxsize minsize movablelimits notation rowlines rowspacing rspace scriptlevel separator stretchy symmetric voffset width').split(' '))

/** Its types are those of a script, its code is a module. */
interface Temml { __renderToMathMLTree: (tex: string, options: object) => unknown }
const loadTemml = once(async () => {
  const loaded: { default: unknown } = await import('temml')
  return loaded.default as Temml
})

/** Makes MathML of formulas; null: it is none that can be set. */
export async function loadFormulas (): Promise<(formula: Pick<Formula, 'tex' | 'display'>) => Markup | null> {
  const temml = await loadTemml()
  return ({ tex, display }) => {
    if (tex.length > longestWithMacrosChars && definesMacros.test(tex)) return null
    try {
      const tree = temml.__renderToMathMLTree(tex, { displayMode: display, throwOnError: true, trust: false, maxExpand: 200, maxSize: [20, 20], strict: false }) as Node
      return new Markup(written(tree, 0))
    } catch {
      return null
    }
  }
}

function written ({ type, text, children = [], attributes = {}, style = {} }: Node, depth: number): string {
  if (depth > 200) throw new RangeError('The formula is too deep.')
  if (text !== undefined) return escapeHtml(text)
  const inner = children.map((child) => written(child, depth + 1)).join('')
  if (type === undefined || !elements.has(type)) return inner
  const known = Object.entries(attributes).filter(([name]) => attributeNames.has(name))
  const align = /^(?:left|right|center)$/.exec(style['textAlign'] ?? '')?.[0]
  const named: Array<[string, string]> = [...(type === 'math' ? [['dir', 'ltr'] as [string, string]] : []), ...known, ...(align === undefined ? [] : [['style', `text-align:${align}`] as [string, string]])]
  return `<${type}${named.map(([name, value]) => ` ${name}="${escapeHtml(String(value))}"`).join('')}>${inner}</${type}>`
}
