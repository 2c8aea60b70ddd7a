import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { insideOf } from './removal-task.js'

const folderOnly = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
// O_NONBLOCK: opening a named pipe without a writer would otherwise block.
const entryOnly = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const chunkBytes = 256 * 1024

/**
 * Whether two folders have the same contents: folders and files of the same names, with the same bytes. Other kinds of entries, and
 * unreadable ones, count as different. No symlink is followed, even if one replaces an entry meanwhile. For worker threads.
 */
export function isSameTree (a: string, b: string): boolean {
  try {
    return during([a, b], folderOnly, ([one, other]) => {
      const [below, belowOther] = [insideOf(one, a), insideOf(other, b)]
      const names = readdirSync(below).sort()
      const others = readdirSync(belowOther).sort()
      return names.length === others.length &&
        names.every((name, index) => name === others[index] && isSameEntry(`${below}/${name}`, `${belowOther}/${name}`))
    })
  } catch {
    return false
  }
}

function isSameEntry (a: string, b: string): boolean {
  return during([a, b], entryOnly, ([one, other]) => {
    const [stats, others] = [fstatSync(one), fstatSync(other)]
    if (stats.isDirectory()) return others.isDirectory() && isSameTree(a, b)
    return stats.isFile() && others.isFile() && stats.size === others.size && isSameContent(one, other)
  })
}

function isSameContent (a: number, b: number): boolean {
  const [chunk, other] = [Buffer.allocUnsafe(chunkBytes), Buffer.allocUnsafe(chunkBytes)]
  for (let at = 0; ;) {
    const bytes = readSync(a, chunk, 0, chunkBytes, at)
    if (bytes !== readSync(b, other, 0, chunkBytes, at) || chunk.compare(other, 0, bytes, 0, bytes) !== 0) return false
    if (bytes === 0) return true
    at += bytes
  }
}

/** Opens both paths while `look` runs. */
function during ([a, b]: [string, string], flags: number, look: (opened: [number, number]) => boolean): boolean {
  const one = openSync(a, flags)
  try {
    const other = openSync(b, flags)
    try {
      return look([one, other])
    } finally {
      closeSync(other)
    }
  } finally {
    closeSync(one)
  }
}
