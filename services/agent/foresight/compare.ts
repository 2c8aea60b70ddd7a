import { structuredPatch } from 'diff'
import { redactPieces } from '../../ground/redaction/index.js'
import { visible } from './visible.js'

/** A file before and after; `before` is null where there was none. Plain JSON, as it crosses to another thread. */
export interface CompareOrder { path: string, before: string | null, after: string }
/** Null: they differ in more places than anybody would look at. */
export type Compared = { diff: string, isCut: boolean } | null

/** More than a person reads on a card, and little enough for a frame. */
const mostChars = 16_000
const mostEdits = 1_000
/** What makes a credential known may stand behind what is shown. */
const mostNewChars = 4 * mostChars

/** The difference as unified diff, credentials masked as the whole files show them. */
export function compare ({ path, before, after }: CompareOrder): Compared {
  // A new file is one run of lines, of which the first are enough.
  if (before === null && after.length > mostNewChars) return { ...compare({ path, before, after: after.slice(0, mostNewChars) })!, isCut: true }
  const patch = structuredPatch('', '', before ?? '', after, undefined, undefined, { context: 3, ...(before === null ? {} : { maxEditLength: mostEdits }) })
  if (patch === undefined) return null
  const old = maskedLines(before ?? '')
  const now = maskedLines(after)
  const lines = [`--- ${before === null ? '/dev/null' : `a/${oneLine(path)}`}`, `+++ b/${oneLine(path)}`]
  let chars = lines.join('\n').length
  for (const hunk of patch.hunks) {
    lines.push(`@@ -${placeOf(hunk.oldStart, hunk.oldLines)} +${placeOf(hunk.newStart, hunk.newLines)} @@`)
    let oldAt = hunk.oldStart - 1
    let nowAt = hunk.newStart - 1
    for (const line of hunk.lines) {
      const sign = line.charAt(0)
      const text = sign === '\\' ? line.slice(1) : (sign === '-' ? old[oldAt] : now[nowAt]) ?? ''
      if (sign === '-' || sign === ' ') oldAt++
      if (sign === '+' || sign === ' ') nowAt++
      const shown = sign + visible(text.slice(0, mostChars))
      chars += shown.length + 1
      lines.push(shown)
      if (chars > mostChars) return { diff: lines.join('\n').slice(0, mostChars), isCut: true }
    }
  }
  return { diff: `${lines.join('\n')}\n`, isCut: false }
}

/** Of no lines at all, the one in front of them is named. */
const placeOf = (start: number, count: number): string => `${count === 0 ? start - 1 : start},${count}`
const maskedLines = (text: string): string[] => redactPieces(text.split('\n'), '\n')
const oneLine = (path: string): string => visible(path.replaceAll(/[\n\t]/g, ' '))
