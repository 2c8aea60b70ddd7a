/** What temml makes of a formula, as far as it is drawn. */
export interface FormulaNode {
  type?: string
  text?: string
  children?: FormulaNode[]
  attributes?: Record<string, string>
  classes?: string[]
  style?: Record<string, string>
}

/** What MathML has, and none of it leads anywhere or loads anything. The rest of what could come of a formula is left out. */
export const mathElements: ReadonlySet<string> = new Set(('math semantics mrow mi mn mo ms mtext mspace mfrac msqrt mroot mstyle merror mpadded mphantom msub msup msubsup munder mover ' +
  'munderover mmultiscripts mprescripts none mtable mtr mtd menclose').split(' '))

/** How deep the elements of a formula may stand in each other. */
export const mostLevels = 200

/** A macro that is long and used often makes a formula of any size. */
const longestWithMacrosChars = 300
const definesMacros = /\\(?:[gex]?def|(?:re)?newcommand|providecommand|(?:future)?let|DeclareMathOperator)\b/

/** Whether it may take too long to set a formula, which is then shown as it was written. */
export const isCostly = (tex: string): boolean => tex.length > longestWithMacrosChars && definesMacros.test(tex)

/** Options of temml for text that nobody vouches for: nothing leads elsewhere, and what cannot be set is an error. */
export const settingOptions = (display: boolean): object => ({
  displayMode: display, throwOnError: true, trust: false, maxExpand: 200, maxSize: [20, 20], strict: false
})
