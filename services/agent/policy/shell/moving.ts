import { basename, dirname, join } from 'node:path'
import { arrives } from '../own/files.js'
import { gitCommandAt } from '../tables/git-command.js'
import { hasOption, operandsOf, type Options, pairsOf } from '../tables/options.js'
import { isWild } from '../tables/wildcards.js'
import { type Walk } from './walk.js'
import { isKnown } from './words.js'

/** What a call does with links: it takes them along, or makes them. */
type Moving = 'takes' | 'makes'

/** Up to how many names that a pattern finds may be of one file, before and after it was moved. */
const mostSame = 2
const target: Options = { short: 'tS', long: ['target-directory', 'suffix'] }
const ofRsync: Options = { short: 'eBTf', long: ['rsh', 'exclude', 'include', 'filter', 'exclude-from', 'include-from', 'files-from', 'chmod'] }

/** Returns what a call does with links; null: it leaves none at another place. A copy of what a link leads to is judged as reading it. */
function movingOf (program: string, args: readonly string[]): Moving | null {
  switch (program) {
    case 'mv': return 'takes'
    case 'ln': return hasOption(args, 's', '--symbolic') ? 'makes' : 'takes'
    case 'cp': return hasOption(args, 's', '--symbolic-link')
      ? 'makes'
      : hasOption(args, 'PdarRl', '--no-dereference', '--archive', '--recursive', '--link', '--preserve') ? 'takes' : null
    case 'rsync': return hasOption(args, 'al', '--archive', '--links') ? 'takes' : null
    case 'git': return args[gitCommandAt(args)] === 'mv' ? 'takes' : null
    default: return null
  }
}

/**
 * Tells the disk what a call moves, copies or links, so that later calls of the line are judged by what stands there then. Where that is
 * not known, what stands there counts as brought from elsewhere.
 */
export function trackMoves ({ files, around, state }: Walk, program: string, args: readonly string[]): void {
  const moving = movingOf(program, args)
  if (moving === null) return
  const words = program === 'git' ? args.slice(gitCommandAt(args) + 1) : args
  const operands = operandsOf(words, program === 'rsync' ? ofRsync : target)
  const named = program === 'rsync' ? [] : pairsOf(words, target).filter(({ name }) => name === '-t' || name.startsWith('--t'))
  const places = program === 'rsync' || program === 'git' ? operands.slice(-1) : arrives(words)
  // `ln -s a` makes the link here.
  const ends = program === 'ln' && operands.length === 1 && named.length === 0 ? ['.'] : places
  const sources = named.length > 0 || (program === 'ln' && operands.length === 1) ? operands : operands.slice(0, -1)
  for (const end of ends) {
    for (const source of sources) {
      if (!isKnown(source) || !isKnown(end)) continue // permission is asked for such a call
      const isMany = isWild(source)
      if (isWild(end) || (isMany && (moving === 'makes' || isWild(dirname(source))))) state.isFilled = true
      else if (moving === 'makes') for (const to of files.paths(end, true)) for (const at of [to, join(to, basename(source))]) around.disk.links(at, source)
      else {
        for (const to of files.paths(end, true)) {
          for (const from of files.paths(isMany ? dirname(source) : source, !isMany && !source.endsWith('/'))) {
            around.disk.moves(from, to)
            const found = isMany ? around.disk.namesIn(from, basename(source)) : []
            // A pattern that finds only one may give it another name.
            if (found.length <= mostSame) for (const each of found) around.disk.moves(each, to)
            if (!isMany) around.disk.moves(from, join(to, basename(source)))
          }
        }
      }
    }
  }
}
