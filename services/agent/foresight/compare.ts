import { structuredPatch, type StructuredPatchHunk } from 'diff'
import { redactPieces } from '../../ground/redaction/index.js'
import { visible } from '../../ground/text/visible.js'

/**
 * A file before and after a change; `before` is null if it did not exist. `isWhole`: what stays is part of the difference too, not only the
 * lines around the changes. Plain JSON, because it is sent to another thread.
 */
export interface CompareOrder { path: string, before: string | null, after: string, isWhole?: boolean }
/** `masked`: the same with credentials masked, if there are any. Null: the files differ in more places than a person would look at. */
export type Compared = { diff: string, masked?: string, isCut: boolean } | null

/** More than any two compared files have. A card shows it page by page. */
const mostChars = 2_000_000
/** The limit of the masked difference, which is for frames, which hold less. */
const mostMaskedChars = 16_000
const mostEdits = 1_000
/** How many lines around a change are shown. */
const usualContext = 3
/** How much of a new file is masked: the text that reveals a credential may come after the part that is shown. */
const mostNewChars = 4 * mostMaskedChars
/** Shorter lines in masked text, such as a bracket, occur anywhere, so they are not masked on the other side. */
const shortestSecret = 8

/** Returns the unified diff: unchanged, for the person who decides, and with the credentials masked that the whole files reveal. */
export function compare ({ path, before, after, isWhole = false }: CompareOrder): Compared {
  const hunks = hunksOf(before, after, isWhole ? Number.MAX_SAFE_INTEGER : usualContext)
  if (hunks === null) return null
  const sides: Sides = [(before ?? '').split('\n'), after.split('\n')]
  // As git names a file outside the repository: `a/srv/x`, not `a//srv/x`.
  const name = oneLine(path).replace(/^\/+/, '')
  const head = [`--- ${before === null ? '/dev/null' : `a/${name}`}`, `+++ b/${name}`]
  const plain = written(hunks, sides, head, mostChars)
  // For a new file, which is a single hunk, the first lines are enough.
  const alike = before === null && after.length > mostNewChars
    ? maskedAlike([''], after.slice(0, mostNewChars).split('\n'))
    : maskedAlike(...sides)
  if (alike === null) return plain
  return { ...plain, masked: written(hunks, [alike[0].map(visible), alike[1].map(visible)], head, mostMaskedChars).diff }
}

/** Returns the hunks; null if there are more changes than can be compared. */
function hunksOf (before: string | null, after: string, context: number): Hunk[] | null {
  if (before !== null) {
    return structuredPatch('', '', before, after, undefined, undefined, { context, maxEditLength: mostEdits })?.hunks ?? null
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

/** Returns the range of a hunk; an empty one names the line before it. */
const placeOf = (start: number, count: number): string => `${count === 0 ? start - 1 : start},${count}`

/**
 * Masks on each side what is masked on the other, because the change may remove the text that reveals a credential, such as the first line
 * of a key. Returns null if nothing is masked.
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

/** Returns each line, and the line as it is shown. */
function withMasked (lines: readonly string[]): Array<{ line: string, shown: string }> {
  const shown = redactPieces(lines, '\n')
  return lines.map((line, at) => ({ line, shown: shown[at] ?? '' }))
}

const withoutReturn = (line: string): string => line.replace(/\r$/, '')
const oneLine = (path: string): string => visible(path.replaceAll(/[\n\t]/g, ' '))
