import { isCostly, mathElements, mostLevels, settingOptions, type FormulaNode } from '../../../formulas/limits.js'
import { type Formula } from '../../../formulas/read.js'
import { once } from '../../ground/concurrency/once.js'
import { escapeHtml } from '../../ground/text/html.js'
import { Markup } from './markup.js'

const attributeNames = new Set(('accent accentunder columnalign columnlines columnspacing depth display displaystyle fence form height largeop linebreak linethickness lspace mathbackground mathcolor mathsize ' +
  'mathvariant maxsize minsize movablelimits notation rowlines rowspacing rspace scriptlevel separator stretchy symmetric voffset width').split(
  ' '
))

/** The package's types are those of a script, although its code is a module. */
interface Temml { __renderToMathMLTree: (tex: string, options: object) => unknown }
const loadTemml = once(async () => {
  const loaded: { default: unknown } = await import('temml')
  return loaded.default as Temml
})

/** Loads the function that converts formulas to MathML; it returns null for a formula that cannot be set. */
export async function loadFormulas (): Promise<(formula: Pick<Formula, 'tex' | 'display'>) => Markup | null> {
  const temml = await loadTemml()
  return ({ tex, display }) => {
    if (isCostly(tex)) return null
    try {
      const tree = temml.__renderToMathMLTree(tex, settingOptions(display)) as FormulaNode
      return new Markup(written(tree, 0))
    } catch {
      return null
    }
  }
}

function written ({ type, text, children = [], attributes = {}, style = {} }: FormulaNode, depth: number): string {
  if (depth > mostLevels) throw new RangeError('The formula is nested too deeply.')
  if (text !== undefined) return escapeHtml(text)
  const inner = children.map((child) => written(child, depth + 1)).join('')
  if (type === undefined || !mathElements.has(type)) return inner
  const known = Object.entries(attributes).filter(([name]) => attributeNames.has(name))
  const align = /^(?:left|right|center)$/.exec(style['textAlign'] ?? '')?.[0]
  const named: Array<readonly [string, string]> = [
    ...(type === 'math' ? [['dir', 'ltr'] as const] : []), ...known,
    ...(align === undefined ? [] : [['style', `text-align:${align}`] as const])
  ]
  return `<${type}${named.map(([name, value]) => ` ${name}="${escapeHtml(String(value))}"`).join('')}>${inner}</${type}>`
}
