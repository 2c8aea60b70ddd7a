import { parsePatch } from 'diff'
import { fieldsOf } from '../../../ground/fields.js'
import { tried } from '../../../ground/tried.js'
import { type Fields } from '../dialect.js'
import { list, text } from '../wire.js'

type Patch = ReturnType<typeof parsePatch>[number]

/** Changes in the form of version 1: a text before and after, or a piece of each. */
interface Changes {
  diffs: Fields[]
  /** Files that change, but without a text of the change. */
  untold: string[]
  /** A description of those changes. */
  note: string
}

/** Translates changes. `changes` decides which files change; the patch gives the texts, if it can be read and matches. */
export function diffsAs1 ({ changes: told, patch }: Fields): Changes {
  const changes = list(told).map(fieldsOf)
  const { format, text: patchText } = fieldsOf(patch)
  const patches = format === 'git_patch' && typeof patchText === 'string' ? tried(() => parsePatch(patchText), []) : []
  const left = new Set(patches)
  const found = changes.map((change) => {
    const mine = patches.filter((one) => left.has(one) && isOf(one, change))
    const [only] = mine
    if (mine.length !== 1 || only === undefined || only.hunks.length === 0) return { change, patch: null }
    left.delete(only)
    return { change, patch: only }
  })
  // A patch that also contains other files does not match the changes: it is shown unchanged.
  const fits = left.size === 0
  const diffs = found.flatMap(({ change, patch: one }) => fits && one !== null ? piecesOf(change, one) : [])
  const untold = found.filter(({ change, patch: one }) => !fits || one === null || change['operation'] === 'move')
  return {
    diffs,
    untold: untold.flatMap(({ change }) => [change['oldPath'], change['path']].flatMap((path) => text(path) ?? [])),
    note: [
      ...untold.map(({ change: { operation, oldPath, path } }) => [operation, oldPath, path].flatMap((word) => text(word) ?? []).join(' ')),
      ...fits ? [] : [text(patchText) ?? '']
    ].join('\n')
  }
}

/** Whether a patch is for this change. Its paths begin with `a/` and `b/`, and may be relative to any folder. */
function isOf ({ oldFileName = '', newFileName = '' }: Patch, { operation, oldPath, path }: Fields): boolean {
  const ends = (whole: unknown, name: string): boolean => {
    const bare = name.replace(/^[ab]\//, '').replace(/^\/+/, '')
    return typeof whole === 'string' && bare !== '' && (whole === name || whole.endsWith(`/${bare}`))
  }
  if (operation === 'delete') return ends(path, oldFileName)
  return ends(path, newFileName) && (operation === 'add' || ends(text(oldPath) ?? path, oldFileName))
}

function piecesOf ({ operation, path }: Fields, { hunks }: Patch): Fields[] {
  return hunks.map(({ lines }) => ({
    type: 'diff', path,
    oldText: operation === 'add' ? null : sideOf(lines, '-'),
    newText: sideOf(lines, '+')
  }))
}

/** Returns one side of a hunk. The last line ends with a line break unless the patch says otherwise. */
function sideOf (lines: readonly string[], sign: '-' | '+'): string {
  let side = ''
  for (const [index, line] of lines.entries()) {
    if (line.startsWith('\\')) continue
    if (line.startsWith(sign) || line.startsWith(' ') || line === '') side += `${line.slice(1)}${lines[index + 1]?.startsWith('\\') === true ? '' : '\n'}`
  }
  return side
}
