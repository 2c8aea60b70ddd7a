import { h, isValidElement, type ComponentChildren, type VNode } from 'preact'
import temml from 'temml'
import { isCostly, mathElements, mostLevels, settingOptions, type FormulaNode } from '../../../formulas/limits.js'
import './math.css'

type Drawn = VNode<Record<string, unknown>>

const known = new Map<string, Drawn | null>()
const maxKnown = 300
/** Returns a formula in MathML; null if it cannot be typeset. */
export function setFormula (tex: string, display: boolean): VNode | null {
  const key = `${display ? '$$' : '$'}${tex}`
  let drawn = known.get(key)
  if (drawn === undefined) {
    drawn = make(tex, display)
    if (known.size >= maxKnown) known.clear()
    known.set(key, drawn)
  }
  // Each position needs its own copy.
  return drawn === null ? null : h(drawn.type as 'math', drawn.props) as VNode
}

function make (tex: string, display: boolean): Drawn | null {
  if (isCostly(tex)) return null
  try {
    const tree = temml.__renderToMathMLTree(tex, settingOptions(display)) as FormulaNode
    const drawn = toElement(tree, 0)
    // A formula that is only a link, such as `\ref{x}`, leaves no element.
    return isValidElement(drawn) ? drawn as Drawn : null
  } catch {
    return null
  }
}

function toElement (node: FormulaNode, depth: number): ComponentChildren {
  if (depth > mostLevels) throw new RangeError('The formula is too deep.')
  if (node.text !== undefined) return node.text
  const children = (node.children ?? []).map((child) => toElement(child, depth + 1))
  if (node.type === undefined || !mathElements.has(node.type)) return children
  const { style: _, class: ownClass, href: __, ...attributes } = node.attributes ?? {}
  const className = [ownClass, ...node.classes ?? []].filter(Boolean).join(' ')
  // As an object, the style is set through the DOM, which a strict content security policy allows.
  return h(node.type as 'math', {
    ...attributes, ...(className !== '' && { class: className }),
    ...(node.style !== undefined && Object.keys(node.style).length > 0 && { style: { ...node.style } })
  }, children)
}
