import { type ParameterExpansionPart, type SyntaxNode, type Word } from 'unbash'
import { hasMistakable } from './characters.js'
import { steersInText } from '../tables/programs.js'
import { isOthersName } from './variable-names.js'
import { type Walk } from './walk.js'
import { expandWord, unquoted } from './words.js'
import { reason } from '../../../../reasons/index.js'

/** Judges what the shell evaluates itself, besides the programs that it runs: expansions, arithmetic and tests. */

export const othersName = reason('unknown_variable')

/** Finds what the evaluation of this part of a command line may run or set; its children are evaluated separately. */
export function evaluate (shell: Walk, node: SyntaxNode): void {
  const { state, findings } = shell
  switch (node.type) {
    case 'ParameterExpansion': return expand(shell, node)
    case 'TestCommand': return ofBash(shell)
    case 'ArithmeticCommand':
      ofBash(shell, node.body)
      sets(shell, node.body)
      return state.calculate(node.body)
    case 'ArithmeticExpansion':
      sets(shell, node.text)
      return state.calculate(node.text.slice('$(('.length, -'))'.length))
    case 'ArithmeticWord': return state.calculate(node.value)
    case 'ArithmeticBinary':
      if (/^(?:[^=!<>]|<<|>>)?=$/.test(node.operator) && node.left.type === 'ArithmeticWord') sets(shell, `${node.left.value}=`)
      return
    case 'TestUnary':
      if (!/^-[vR]$/.test(node.operator)) return
      calculates(shell, expandWord(node.operand, state))
      if (isOthersName(node.operand.text, state)) findings.cannotRead(othersName)
      return
    case 'TestBinary':
      if (!/^-(?:eq|ne|[lg][te])$/.test(node.operator)) return
      for (const { text } of [node.left, node.right]) state.calculate(text)
      return calculates(shell, [node.left, node.right].flatMap((word) => expandWord(word, state)))
    case 'Word':
      if (node.parts?.some(({ type, text }) => type === 'AnsiCQuoted' && text.includes("\\'")) === true) ofBash(shell)
      if (hasMistakable(unquoted(node))) findings.cannotRead(reason('lookalike_characters'))
  }
}

/** Judges text that is evaluated as arithmetic, which runs the substitutions in its subscripts. */
export function calculates (shell: Walk, texts: readonly string[]): void {
  for (const text of texts) {
    if (!/\$\(|`/.test(text)) continue
    shell.findings.cannotRead(reason('runs_text_calculating'))
    shell.script(`echo ${text}`, shell.depth + 1)
  }
}

/** A subscript is evaluated as arithmetic, unless the variable has been declared as an associative array. */
export function subscript ({ state }: Pick<Walk, 'state'>, name: string, index: Word): void {
  if (!/^[@*]$/.test(index.value) && !state.maps.has(name)) state.calculate(index.text)
}

/** The subscripts in an array assignment are evaluated as arithmetic: `a=([i]=1)`. */
export function elements ({ state }: Pick<Walk, 'state'>, words: readonly Word[]): void {
  for (const { text } of words) state.calculate(/^\[(.*?)\]\+?=/s.exec(text)?.[1] ?? '')
}

function expand (shell: Walk, { text, index, parameter, prefix, operation }: ParameterExpansionPart): void {
  const { state, findings } = shell
  // Expanding a value as a prompt runs the substitutions in it, whatever its source.
  if (text.endsWith('@P}')) findings.cannotRead(reason('runs_variable'))
  if (index !== undefined) subscript(shell, parameter, index)
  if (prefix === '!' && index === undefined && !/[@*]\}$/.test(text) && state.isForeign(parameter)) findings.cannotRead(othersName)
  if (operation?.type === 'Slice') for (const word of [operation.offset, operation.length]) state.calculate(word?.text ?? '')
  if (operation?.type !== 'Default' || !operation.operator.endsWith('=')) return
  if (prefix === '!') findings.cannotRead(reason('sets_unnamed'))
  else state.assign(parameter, expandWord(operation.operand, state))
}

/** Judges syntax that only bash has. @param text what another shell takes for a command */
function ofBash (shell: Walk, text = ''): void {
  if (!shell.state.isPlainShell) return
  shell.findings.cannotRead(reason('only_bash'))
  shell.floor(text, shell.depth)
}

function sets ({ findings }: Walk, text: string): void {
  if (steersInText(text)) findings.cannotRead(reason('sets_steering'))
}
