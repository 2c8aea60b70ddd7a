import { parsePatch } from 'diff'
import { fieldsOf } from '../../../ground/fields.js'
import { tried } from '../../../ground/tried.js'
import { type Fields } from '../dialect.js'
import { list, text } from '../wire.js'

type Patch = ReturnType<typeof parsePatch>[number]

/** Changes as version 1 tells them: a text before and after, or a piece of each. */
interface Changes {
  diffs: Fields[]
  /** Files that change although no text of the change is told. */
  untold: string[]
  /** What there is to say of those. */
  note: string
}

/** Which files change is what `changes` says; the patch gives the texts, as far as it can be read and fits to that. */
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
  // A patch that tells of other files is none of these changes: it is shown as it is.
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

/** Paths of a patch begin with `a/` and `b/`, and may be relative to anything. */
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

/** One side of a hunk; the last line ends where the patch does not say otherwise. */
function sideOf (lines: readonly string[], sign: '-' | '+'): string {
  let side = ''
  for (const [index, line] of lines.entries()) {
    if (line.startsWith('\\')) continue
    if (line.startsWith(sign) || line.startsWith(' ') || line === '') side += `${line.slice(1)}${lines[index + 1]?.startsWith('\\') === true ? '' : '\n'}`
  }
  return side
}
