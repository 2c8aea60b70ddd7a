import { h, type ComponentChildren, type VNode } from 'preact'
import temml from 'temml'
import './math.css'

/** What temml makes of a formula, as far as it is drawn here. */
interface Node {
  type?: string
  text?: string
  children?: Node[]
  attributes?: Record<string, string>
  classes?: string[]
  style?: Record<string, string>
}

type Drawn = VNode<Record<string, unknown>>

const known = new Map<string, Drawn | null>()
const maxKnown = 300
/** What MathML has, and the span that text in a formula may be. Everything else that could come of a formula is left out. */
const elements = new Set('math semantics mrow mi mn mo ms mtext mspace mfrac msqrt mroot mstyle merror mpadded mphantom msub msup msubsup munder mover munderover mmultiscripts mprescripts none mtable mtr mtd menclose'.split(' '))

/** A formula in MathML, or null when it is none that can be set. */
export function setFormula (tex: string, display: boolean): VNode | null {
  const key = `${display ? '$$' : '$'}${tex}`
  let drawn = known.get(key)
  if (drawn === undefined) {
    drawn = make(tex, display)
    if (known.size >= maxKnown) known.clear()
    known.set(key, drawn)
  }
  // Each place needs a drawing of its own.
  return drawn === null ? null : h(drawn.type as 'math', drawn.props) as VNode
}

/** A macro that is long and used often makes a formula of any size. */
const longestWithMacrosChars = 300
const definesMacros = /\\(?:[gex]?def|(?:re)?newcommand|providecommand|(?:future)?let|DeclareMathOperator)\b/

function make (tex: string, display: boolean): Drawn | null {
  if (tex.length > longestWithMacrosChars && definesMacros.test(tex)) return null
  try {
    const tree = temml.__renderToMathMLTree(tex, { displayMode: display, throwOnError: true, trust: false, maxExpand: 200, maxSize: [20, 20], strict: false }) as Node
    return toElement(tree, 0) as Drawn | null
  } catch {
    return null
  }
}

function toElement (node: Node, depth: number): ComponentChildren {
  if (depth > 200) throw new RangeError('The formula is too deep.')
  if (node.text !== undefined) return node.text
  const children = (node.children ?? []).map((child) => toElement(child, depth + 1))
  if (node.type === undefined || !elements.has(node.type)) return children
  const { style: _, class: ownClass, href: __, ...attributes } = node.attributes ?? {}
  const className = [ownClass, ...node.classes ?? []].filter(Boolean).join(' ')
  // As an object, it goes through the style sheet's own interface, which a strict policy lets pass.
  return h(node.type as 'math', { ...attributes, ...(className !== '' && { class: className }), ...(node.style !== undefined && Object.keys(node.style).length > 0 && { style: { ...node.style } }) }, children)
}
