import { type Assignment, type Command, type CommandArgument, type Word } from 'unbash'
import { elements, othersName, subscript } from './evaluation.js'
import { isOwnText } from './numbers.js'
import { type ShellState } from './state.js'
import { isOthersName, variableTexts } from './variable-names.js'
import { type Caller, type Walk } from './walk.js'
import { commandArguments, commandReadings, expandWord, isArguments, isPlain, list, maySplit, ownText, type ShellScope, scopesOf, unknown } from './words.js'
import { reason } from '../../../../reasons/index.js'

/** Returns whether shells other than bash, and bash as `sh`, keep the assignment in `X=1 export`, and in `X=1 f` for a function. */
const keepsAssignments = (name: string, { functions }: ShellState): boolean =>
  /^(?::|\.|source|break|continue|eval|exec|exit|export|readonly|return|set|shift|times|trap|unset)$/.test(name) || functions.has(name)

/** Reads a simple command: assigns its variables, sets its input, and judges the calls that its words may stand for. */
export function readSimpleCommand (shell: Walk, caller: Caller, command: Command): void {
  const { state } = shell
  const { environment } = state
  for (const part of [...command.prefix, ...command.suffix]) if (part.type === 'Assignment') assign(shell, command, part)
  const before = state.input
  for (const redirection of command.redirects) state.takeInput(redirection)
  if (command.name !== undefined) judgeCalls(shell, caller, command.name, command.args)
  if (command.name !== undefined && command.prefix.length > 0) state.environment = environment
  // `exec < file` without a program redirects the shell itself, for all that follows.
  if (command.name?.value !== 'exec' || command.args.length > 0) state.input = before
}

function assign (shell: Walk, { name, prefix, suffix }: Command, part: Assignment): void {
  const { state } = shell
  const values = valuesOf(shell, part)
  if (part.index !== undefined) subscript(shell, part.name, part.index)
  if ('elements' in part.value || part.index !== undefined) state.arrays.add(part.name)
  if ('elements' in part.value && !state.maps.has(part.name)) elements(shell, part.value.elements)
  const store = (): void => {
    state.assign(part.name, values, 'elements' in part.value ? part.value.elements.map(({ text }) => text) : [part.value.text])
  }
  if (name === undefined || suffix.includes(part)) store()
  else if (keepsAssignments(name.value, state)) state.unsurely(store)
  else if (part.name !== 'IFS' || name.value !== 'read') state.set(part.name, values) // `IFS= read` concerns that line only
  if (name !== undefined && prefix.includes(part)) state.give(values)
}

function judgeCalls (shell: Walk, caller: Caller, name: Word, words: readonly CommandArgument[]): void {
  const { state, findings } = shell
  const texts = [name, ...words].flatMap((word) => word.type === 'Word' ? [word.text] : [])
  if (variableTexts(texts).some((text) => isOthersName(text, state))) findings.cannotRead(othersName)
  if (name.value === 'let') for (const text of texts.slice(1)) state.calculate(text)
  const many = words.some((word) => word.type === 'Word' && maySplit(word, state))
  const given = words.map((word) => word.type === 'Word' ? word : declared(shell, word))
  const varying = [name, ...given.flatMap((word) => Array.isArray(word) ? [] : [word])]
  for (const scope of scopesOf(varying, state)) {
    for (const args of commandArguments(given, scope)) judgeCall(shell, caller, name, args, scope, many)
  }
}

function judgeCall (
  { findings, depth }: Walk, caller: Caller, name: Word, args: readonly string[], scope: ShellScope, many: boolean
): void {
  const isOpen = !isPlain(name)
  for (const reading of isOpen ? commandArguments([name], scope) : commandReadings(name, scope)) {
    if (isOpen || (reading.length > 1 && !isArguments(name))) findings.cannotRead(reason('unknown_program'))
    const argv = [...reading, ...args]
    findings.runs(argv)
    caller.call(argv, depth, false, many)
  }
}

/** Returns what a builtin that declares variables is given. */
function declared (shell: Walk, word: Assignment): string[] {
  const isOwn = word.value.type === 'Word' && isOwnText(word.value.text, shell.state)
  return valuesOf(shell, word).map((value) => `${word.name}=${value === unknown && isOwn ? ownText : value}`)
}

function valuesOf ({ state }: Walk, { value, append, index }: Assignment): string[] {
  // Braces are not expanded in assignments.
  const isRead = value.type === 'Word' && append !== true && index === undefined && value.parts?.some(({ type }) => type === 'BraceExpansion') !== true
  return isRead ? expandWord(value, state) : ['elements' in value ? list : unknown]
}
