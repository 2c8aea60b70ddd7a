/** A node of the tree that temml makes from a formula, with the fields that drawing uses. */
export interface FormulaNode {
  type?: string
  text?: string
  children?: FormulaNode[]
  attributes?: Record<string, string>
  classes?: string[]
  style?: Record<string, string>
}

/** The MathML elements that are drawn. None of them links anywhere or loads anything; all others are left out. */
export const mathElements: ReadonlySet<string> = new Set(('math semantics mrow mi mn mo ms mtext mspace mfrac msqrt mroot mstyle merror mpadded mphantom msub msup msubsup munder mover ' +
  'munderover mmultiscripts mprescripts none mtable mtr mtd menclose').split(' '))

/** How deep the elements of a formula may be nested. */
export const mostLevels = 200

/** Characters. A long macro that is used often could make a formula of any size. */
const longestWithMacrosChars = 300
const definesMacros = /\\(?:[gex]?def|(?:re)?newcommand|providecommand|(?:future)?let|DeclareMathOperator)\b/

/** Returns whether a formula may take too long to typeset; it is then shown as it was written. */
export const isCostly = (tex: string): boolean => tex.length > longestWithMacrosChars && definesMacros.test(tex)

/** Returns temml's options for untrusted text: no links, and an error for what it cannot typeset. */
export const settingOptions = (display: boolean): object => ({
  displayMode: display, throwOnError: true, trust: false, maxExpand: 200, maxSize: [20, 20], strict: false
})
