import { type Command, type Redirection } from 'unbash'
import { programName } from '../tables/programs.js'
import { commandArguments, expandWord, isKnown, type ShellScope, unknown } from './words.js'

/** A command's standard input; `text` if it is written in the command line. */
export interface Input { piped: boolean, text: string | null }

export interface PrintScope extends ShellScope {
  /** Returns the text that a command is given as its input; null if unknown. */
  given (command: Command): string | null
}

/** Returns the standard input that a redirection gives; null if it gives none. */
export function redirectedInput (redirection: Redirection, scope: ShellScope): Input | null {
  const { descriptor } = redirection
  if (descriptor?.type === 'FileDescriptorVariable' || (descriptor?.type === 'FileDescriptor' && descriptor.value !== 0)) return null
  if (redirection.type === 'HereDoc') return { piped: true, text: redirection.body.text }
  const { target } = redirection
  if (redirection.type === 'HereString') return { piped: true, text: target === undefined ? null : expandWord(target, scope).join('\n') }
  return ['<', '<>', '<&'].includes(redirection.operator) && target?.value !== '/dev/null' ? { piped: true, text: null } : null
}

/** Returns what a command with written-out arguments prints; null if unknown. */
export function printedText (command: Command, scope: PrintScope): string | null {
  if (command.name === undefined) return null
  const readings = commandArguments(command.args.map((word) => word.type === 'Word' ? word : [unknown]), scope)
  const words = readings.length === 1 ? readings[0] ?? [] : [unknown]
  switch (programName(command.name.value)) {
    case 'echo':
    case 'printf': {
      scope.budget.read(words)
      const text = words.filter((word, index) => index > 0 || !/^-[neE]+$/.test(word)).join(' ')
      return isKnown(text) ? text : null
    }
    case 'cat':
    case 'tee':
      return words.length === 0 || words.join() === '-' ? scope.given(command) : null
    case 'base64': {
      const text = /^(?:-d|-D|--decode)$/.test(words.join()) ? scope.given(command) : null
      if (text === null) return null
      scope.budget.read([text])
      return Buffer.from(text, 'base64').toString('utf8')
    }
    default:
      return null
  }
}
