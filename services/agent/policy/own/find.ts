import { within } from '../../tools/containment.js'
import { findRoots, selects } from '../program-call.js'
import { matches } from '../tables/patterns.js'
import { type Boundaries } from '../paths.js'

/** Files in the folder of the service's state. */
const kept = ['service.db', 'service.db-wal', 'service.db-shm', 'attachments', 'backups', 'checkpoints', 'boundary', 'unfinished']

/** Replaces each `?` and each bracket expression by a `*`. */
const widened = (pattern: string): string => pattern.replaceAll(/\?|\[[^\]]*\]/g, '*')

/**
 * Returns the folders of the service's state that a `find` reaches from above and that its conditions do not exclude. Names are compared;
 * any other condition may be true of any file.
 *
 * @param paths returns the paths that a word may mean
 */
export function ownFound (args: readonly string[], paths: (word: string) => string[], { serviceRoots, workspace }: Boundaries): string[] {
  const roots = findRoots(args).flatMap((root) => paths(root))
  return serviceRoots.filter((own) =>
    roots.some((root) => root !== own && within(root, own)) && !within(own, workspace) && (!selects(args) || mayFind(args, own)))
}

function mayFind (args: readonly string[], own: string): boolean {
  const names = [...kept, own.slice(own.lastIndexOf('/') + 1)]
  const places = [own, ...kept.map((name) => `${own}/${name}`)]
  const alternatives = args.join('\0').split(/\0(?:-o|-or|,)\0/).map((part) => part.split('\0'))
  return alternatives.some((words) => {
    const conditions = words.flatMap((word, index) => {
      const pattern = widened((words[index + 1] ?? '').toLowerCase())
      const negated = /^(?:!|-not)$/.test(words[index - 1] ?? '')
      if (negated) return []
      if (/^-i?name$/.test(word)) return [names.some((name) => matches(pattern, name.toLowerCase()))]
      return /^-i?(?:path|wholename)$/.test(word) ? [places.some((place) => matches(pattern, place.toLowerCase()))] : []
    })
    return conditions.every(Boolean)
  })
}
