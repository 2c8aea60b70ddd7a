/** What of a shell's variables decides whether arithmetic runs commands. */
export interface Variables {
  /** The variable may hold a text that others have written: of a file, of a program, of a file's name. */
  isForeign (name: string): boolean
}

/** Commands that print numbers, and at most names that stand in the line. */
const printsNumber = /^(?:(?:wc|nproc|seq|expr|id -[ug]|stat -c ?%[sYXZ]|grep -c|git rev-list --count)(?![\w%-])|date (?:-u )?\+%)/
const substitution = /\$\(([^()`$'"\\*?[\]{}~;&\n]*)\)/g
/** A text with a number in the place of each command that prints one. */
export const withoutNumbers = (text: string): string =>
  text.replaceAll(substitution, (whole, commands: string) => printsNumber.test(commands.split('|').at(-1)?.trim() ?? '') ? '0' : whole)

/** True when bash would calculate with a text that it does not know: it runs the substitutions that stand in there, as in `x[$(id)]`. */
export function mayRunValue (text: string, variables: Variables): boolean {
  const rest = withoutNumbers(text)
  return /\$\((?!\()|`/.test(rest) || namesIn(rest).some((name) => variables.isForeign(name))
}

/** The variables that a calculation reads. */
export const namesIn = (text: string): string[] =>
  [...text.matchAll(/(?<![\w])([A-Za-z_]\w*)|\$\{?(\d+)/g)].map(([, name, digits]) => name ?? digits ?? '')

/** True for the text of a word that is a number, or a word of the line itself, whatever is put in. */
export function isOwnText (text: string, variables: Variables): boolean {
  if (/^\{\d+\.\.\d+\}$/.test(text)) return true
  const rest = withoutNumbers(text).replaceAll(/\$\(\([^()]*\)\)|\$[#?$!]|\$\{#\w+\}/g, '0')
    .replaceAll(/\$(?:(\w+)|\{(\w+)\})/g, (whole, plain?: string, braced?: string) =>
      variables.isForeign(plain ?? braced ?? '') ? whole : '0')
  return !/[$`*?[~]/.test(rest)
}
