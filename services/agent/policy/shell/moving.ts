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
    case 'mv':
    case 'exch': return 'takes'
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
export function trackMoves (walk: Walk, program: string, args: readonly string[]): void {
  const moving = movingOf(program, args)
  if (moving === null) return
  const { files, around: { disk } } = walk
  const words = program === 'git' ? args.slice(gitCommandAt(args) + 1) : args
  const operands = operandsOf(words, program === 'rsync' ? ofRsync : target)
  const named = program === 'rsync' ? [] : pairsOf(words, target).filter(({ name }) => name === '-t' || name.startsWith('--t'))
  const places = program === 'rsync' || program === 'git' ? operands.slice(-1) : arrives(words)
  // `ln -s a` makes the link here.
  const ends = program === 'ln' && operands.length === 1 && named.length === 0 ? ['.'] : places
  const sources = named.length > 0 || (program === 'ln' && operands.length === 1) ? operands : operands.slice(0, -1)
  const keepsFolders = program === 'rsync' ? hasOption(args, 'R', '--relative') : program === 'cp' && hasOption(args, '', '--parents')
  const isAbsolute = program === 'ln' && hasOption(args, 'r', '--relative')
  const isExchange = program === 'exch' || (program === 'mv' && hasOption(args, '', '--exchange'))
  for (const end of ends) {
    for (const source of sources) {
      if (!isKnown(source) || !isKnown(end)) continue // permission is asked for such a call
      const isMany = isWild(source)
      if (isWild(end) || (isMany && (moving === 'makes' || isWild(dirname(source))))) {
        trackUnnamed(walk, moving, source, end)
        continue
      }
      const froms = files.paths(isMany ? dirname(source) : source, !isMany && !source.endsWith('/'))
      for (const to of files.paths(end, true)) {
        if (moving === 'makes') {
          for (const text of isAbsolute ? froms : [source]) for (const at of [to, join(to, basename(source))]) disk.links(at, text)
          continue
        }
        for (const from of froms) {
          const whole = source.startsWith('~') ? from : source
          // From the first `/./` on, rsync keeps the folders; cp keeps all.
          const kept = keepsFolders ? program === 'rsync' ? whole.replace(/^.*?\/\.\//s, '') : whole : basename(source)
          const found = isMany ? disk.namesIn(from, basename(source)) : []
          const arrived = isMany ? [to, join(to, dirname(kept))] : [to, join(to, kept)]
          for (const at of arrived) disk.moves(from, at)
          if (isExchange) for (const at of arrived) disk.moves(at, from)
          // A pattern that finds only one may give it another name.
          if (found.length <= mostSame) for (const each of found) disk.moves(each, to)
        }
      }
    }
  }
  // It may be such a link that is taken along.
  if (walk.state.hasLooseLinks && (moving === 'takes' || disk.version > 0)) walk.state.isFilled = true
}

/** Does the same for a pattern whose names decide what arrives where: all that it finds matters, if there are links in it. */
function trackUnnamed ({ files, around: { disk }, state }: Walk, moving: Moving, source: string, end: string): void {
  const isBeside = (path: string): boolean => /^[~/]|(?:^|\/)(?:\.|[[\\]|[@+!*?]\()/.test(path.replace(/^(?:\.\/)+/, ''))
  const starts = files.paths(source, true, false)
  if (moving === 'makes') {
    // A link stays below its folder, unless its text leads out. The end may be that folder, or the link.
    if (isWild(end) || isBeside(source)) state.isFilled = true
    else starts.push(...[end, dirname(end)].flatMap((place) => files.paths(place)).map((folder) => join(folder, source)))
    state.hasLooseLinks = true
  }
  if (/[*?[(].*\/\.\.(?:\/|$)/s.test(source) || starts.some((path) => disk.bringsLinks(path))) state.isFilled = true
}
