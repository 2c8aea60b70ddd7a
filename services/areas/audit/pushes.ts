import { gitCommandAt } from '../../agent/index.js'

/** Longer commands are looked at up to here, so that each takes little time. */
const mostChars = 100_000
/** The same for the words before the subcommand. */
const mostWords = 100

/**
 * Whether a command line plainly runs `git push`. One that hides it (in a script, a variable or an alias) is not recognised; the answer of
 * the person who allowed it is in the log.
 */
export function pushes (command: string): boolean {
  const words = command.slice(0, mostChars).split(/[\s;&|()`'"{}]+/)
  return words.some((word, index) => {
    if (word !== 'git' && !word.endsWith('/git')) return false
    const args = words.slice(index + 1, index + 1 + mostWords)
    return args[gitCommandAt(args)] === 'push'
  })
}
