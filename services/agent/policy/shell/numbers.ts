/** What has to be known about a shell's variables to decide whether arithmetic runs commands. */
export interface Variables {
  /** Returns whether the variable may hold text from outside the line: from a file, a program or a file's name. */
  isForeign (name: string): boolean
}

/** Commands that print only numbers, and perhaps names that are in the line. */
const printsNumber = /^(?:(?:wc|nproc|seq|expr|id -[ug]|stat -c ?%[sYXZ]|grep -c|git rev-list --count)(?![\w%-])|date (?:-u )?\+%)/
const substitution = /\$\(([^()`$'"\\*?[\]{}~;&\n]*)\)/g
/** Replaces each command substitution that prints a number by a number. */
export const withoutNumbers = (text: string): string =>
  text.replaceAll(substitution, (whole, commands: string) => printsNumber.test(commands.split('|').at(-1)?.trim() ?? '') ? '0' : whole)

/** Returns whether bash would evaluate unknown text as arithmetic, which runs the substitutions in it, as in `x[$(id)]`. */
export function mayRunValue (text: string, variables: Variables): boolean {
  const rest = withoutNumbers(text).replaceAll(/\$\{#\w+\}/g, '0')
  return /\$\((?!\()|`/.test(rest) || namesIn(rest).some((name) => variables.isForeign(name))
}

/** Returns the names of the variables and arguments that an arithmetic expression reads. */
export const namesIn = (text: string): string[] =>
  [...text.matchAll(/(?<![\w])([A-Za-z_]\w*)|\$\{?(\d+|[@*])/g)].map(([, name, digits]) => name ?? digits ?? '')

/** Returns whether a word, whatever its expansions give, is a number or consists of text from the line itself. */
export function isOwnText (text: string, variables: Variables): boolean {
  if (/^\{\d+\.\.\d+\}$/.test(text)) return true
  const rest = withoutNumbers(text).replaceAll(/\$\(\([^()]*\)\)|\$[#?$!]|\$\{#\w+\}/g, '0')
    .replaceAll(/\$(?:(\w+)|\{(\w+)\})/g, (whole, plain?: string, braced?: string) =>
      variables.isForeign(plain ?? braced ?? '') ? whole : '0')
  return !/[$`*?[~]/.test(rest)
}
