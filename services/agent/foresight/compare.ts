import { structuredPatch, type StructuredPatchHunk } from 'diff'
import { redactPieces } from '../../ground/redaction/index.js'
import { visible } from '../../ground/visible.js'

/** A file before and after; `before` is null where there was none. Plain JSON, as it crosses to another thread. */
export interface CompareOrder { path: string, before: string | null, after: string }
/** `masked`: the same with credentials masked, where there are any. Null: they differ in more places than anybody would look at. */
export type Compared = { diff: string, masked?: string, isCut: boolean } | null

/** More than two files have that are compared. A card shows it page by page. */
const mostChars = 2_000_000
/** With credentials masked it is for frames, which have less. */
const mostMaskedChars = 16_000
const mostEdits = 1_000
/** What makes a credential known may stand behind what is shown. */
const mostNewChars = 4 * mostMaskedChars
/** Shorter lines inside of what is masked, such as a bracket, are anywhere. */
const shortestSecret = 8

/** The difference as unified diff: as it is, for whoever decides, and with credentials masked as the whole files show them. */
export function compare ({ path, before, after }: CompareOrder): Compared {
  const hunks = hunksOf(before, after)
  if (hunks === null) return null
  const sides: Sides = [(before ?? '').split('\n'), after.split('\n')]
  // As git names a file that lies outside: `a/srv/x`, not `a//srv/x`.
  const name = oneLine(path).replace(/^\/+/, '')
  const head = [`--- ${before === null ? '/dev/null' : `a/${name}`}`, `+++ b/${name}`]
  const plain = written(hunks, sides, head, mostChars)
  // Of a new file, which is one run of lines, the first are enough.
  const alike = before === null && after.length > mostNewChars
    ? maskedAlike([''], after.slice(0, mostNewChars).split('\n'))
    : maskedAlike(...sides)
  if (alike === null) return plain
  return { ...plain, masked: written(hunks, [alike[0].map(visible), alike[1].map(visible)], head, mostMaskedChars).diff }
}

/** Null: there are more changes than can be compared. */
function hunksOf (before: string | null, after: string): Hunk[] | null {
  if (before !== null) {
    return structuredPatch('', '', before, after, undefined, undefined, { context: 3, maxEditLength: mostEdits })?.hunks ?? null
  }
  if (after === '') return []
  const lines = after.replace(/\n$/, '').split('\n').map((line) => `+${line}`)
  return [{
    oldStart: 1, oldLines: 0, newStart: 1, newLines: lines.length,
    lines: after.endsWith('\n') ? lines : [...lines, '\\ No newline at end of file']
  }]
}

type Hunk = Pick<StructuredPatchHunk, 'oldStart' | 'oldLines' | 'newStart' | 'newLines' | 'lines'>

/** The lines of a file before and after. */
type Sides = readonly [readonly string[], readonly string[]]

function written (hunks: readonly Hunk[], [old, now]: Sides, head: readonly string[], mostChars: number): { diff: string, isCut: boolean } {
  const lines = [...head]
  let chars = lines.join('\n').length
  for (const hunk of hunks) {
    lines.push(`@@ -${placeOf(hunk.oldStart, hunk.oldLines)} +${placeOf(hunk.newStart, hunk.newLines)} @@`)
    let oldAt = hunk.oldStart - 1
    let nowAt = hunk.newStart - 1
    for (const line of hunk.lines) {
      const sign = line.charAt(0)
      const text = sign === '\\' ? line.slice(1) : (sign === '-' ? old[oldAt] : now[nowAt]) ?? ''
      if (sign === '-' || sign === ' ') oldAt++
      if (sign === '+' || sign === ' ') nowAt++
      const shown = sign + text.slice(0, mostChars)
      chars += shown.length + 1
      lines.push(shown)
      if (chars > mostChars) return { diff: lines.join('\n').slice(0, mostChars), isCut: true }
    }
  }
  return { diff: `${lines.join('\n')}\n`, isCut: false }
}

/** Of no lines at all, the one in front of them is named. */
const placeOf = (start: number, count: number): string => `${count === 0 ? start - 1 : start},${count}`

/**
 * What is masked on one side is so on the other, although the change may take away what makes it known, such as
 * the first line of a key. Null: nothing is.
 */
function maskedAlike (before: readonly string[], after: readonly string[]): Sides | null {
  const [old, now] = [withMasked(before), withMasked(after)]
  const masked = [...old, ...now].filter(({ line, shown }) => shown !== line)
  if (masked.length === 0) return null
  const secrets = new Map(masked.filter(({ line }) => line.trim().length >= shortestSecret).map(({ line, shown }) =>
    [withoutReturn(line), shown]))
  const alike = (lines: typeof old): string[] =>
    lines.map(({ line, shown }) => shown !== line ? shown : secrets.get(withoutReturn(line)) ?? line)
  return [alike(old), alike(now)]
}

/** Each line, and how it is shown. */
function withMasked (lines: readonly string[]): Array<{ line: string, shown: string }> {
  const shown = redactPieces(lines, '\n')
  return lines.map((line, at) => ({ line, shown: shown[at] ?? '' }))
}

const withoutReturn = (line: string): string => line.replace(/\r$/, '')
const oneLine = (path: string): string => visible(path.replaceAll(/[\n\t]/g, ' '))
