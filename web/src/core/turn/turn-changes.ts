import { below } from './turn-files.js'
import { type CallPart, type Part } from './turn.js'

/** A file that a turn has changed. The numbers are null where they are unknown. */
export interface FileChange { path: string, added: number | null, removed: number | null }

const changing: ReadonlySet<string> = new Set(['write_file', 'edit_file'])
/** Where the diff in a result begins: a unified one, or the hunks that `edit_file` reports. */
const diffStart = /^(?:--- \S|@@ (?:-|line )\d)/m
/** The tool's report of a new file. */
const createdLine = /^Created [^\n]*: ([\d,]+) lines?, [\d,]+ bytes?\.$/
const cutNote = /^\[… \d+ more lines of the diff …\]$/m

/** Returns the files that a turn has changed with its tools, in the order of their first change. A line counts each time it changes. */
export function fileChanges (parts: readonly Part[], workspace: string): FileChange[] {
  const files = new Map<string, FileChange>()
  for (const part of parts) {
    if (part.kind !== 'call' || part.state !== 'done' || !changing.has(part.name)) continue
    const named = part.foresight?.file ?? part.args.path
    if (typeof named !== 'string') continue
    const path = below(named, workspace) ?? named
    const before = files.get(path) ?? { path, added: 0, removed: 0 }
    const diff = diffOf(part)
    const created = createdLine.exec(part.result ?? '')?.[1]
    const [added, removed] = diff !== null
      ? [linesWith('+', diff), linesWith('-', diff)]
      : created !== undefined ? [Number(created.replaceAll(',', '')), 0] : [null, null]
    files.set(path, { path, added: sum(before.added, added), removed: sum(before.removed, removed) })
  }
  return [...files.values()]
}

/** Returns the sums for all files; null if one number is unknown. */
export function changeTotals (files: readonly FileChange[]): { added: number | null, removed: number | null } {
  return files.reduce<{ added: number | null, removed: number | null }>(
    (all, { added, removed }) => ({ added: sum(all.added, added), removed: sum(all.removed, removed) }), { added: 0, removed: 0 }
  )
}

const sum = (a: number | null, b: number | null): number | null => a === null || b === null ? null : a + b

/** Returns the diff in a result as a unified diff, the text before it, and whether it is cut; null if there is none. */
export function diffInResult (result: string): { before: string, diff: string, isCut: boolean } | null {
  const at = result.search(diffStart)
  if (at === -1) return null
  const diff = result.slice(at)
  return { before: result.slice(0, at).trimEnd(), diff: diff.replaceAll(/^@@ line (\d+) @@$/gm, '@@ -$1 +$1 @@'), isCut: cutNote.test(diff) }
}

/** Returns the complete diff of a call; null if it has none. */
function diffOf ({ foresight, result, resultTruncated }: CallPart): string | null {
  if (foresight?.diff !== undefined) return foresight.diff_truncated === true ? null : foresight.diff
  const found = result === null || resultTruncated ? null : diffInResult(result)
  return found === null || found.isCut ? null : found.diff
}

function linesWith (sign: '+' | '-', diff: string): number {
  return diff.split('\n').filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3))).length
}
