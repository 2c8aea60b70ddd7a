/** Options of git itself that are followed by a value of their own. */
const withValue = new Set(['-C', '-c', '--git-dir', '--work-tree', '--namespace', '--exec-path', '--super-prefix', '--config-env'])
/** Longer commands are looked at up to here, so that each takes little time. */
const mostChars = 100_000

/**
 * Whether a command line plainly runs `git push`. One that hides it (in a script, a variable or an alias) is not recognised; the answer of
 * the person who allowed it is in the log.
 */
export function pushes (command: string): boolean {
  const words = command.slice(0, mostChars).split(/[\s;&|()`'"{}]+/)
  return words.some((word, index) => {
    if (word !== 'git' && !word.endsWith('/git')) return false
    let next = index + 1
    while (words[next]?.startsWith('-') === true) next += withValue.has(words[next] ?? '') ? 2 : 1
    return words[next] === 'push'
  })
}
