import { ApiError, type Api } from '../service/api.js'

/** The parts of a hunk that reverting it needs; see `DiffHunk`. */
export interface RevertedHunk {
  readonly lines: ReadonlyArray<{ readonly kind: 'same' | 'add' | 'del' | 'note', readonly text: string, readonly after: number | null, readonly isCrlf?: true }>
}

/**
 * Returns a text as it was before a hunk: its added lines are removed, its removed lines come back, and everything else stays, line endings
 * included. Returns null if the text no longer matches the result of the hunk.
 */
export function withoutHunk (text: string, { lines }: RevertedHunk): string | null {
  const all = text.split('\n')
  const ending = isAllCrlf(all) && lines.every(({ isCrlf }) => isCrlf !== true) ? '\r' : ''
  const [after, before] = [sideOf(lines, 'add', ending), sideOf(lines, 'del', ending)]
  const first = lines.find((line) => line.after !== null)?.after
  // A hunk without lines of the new text has left the text empty.
  if (first === undefined) return text === '' ? joined(before) : null
  const from = (first ?? 1) - 1
  const to = from + after.texts.length
  if (after.texts.some((line, at) => all[from + at] !== line)) return null
  const rest = all.slice(to)
  const isAtEnd = rest.length === 0 || (rest.length === 1 && rest[0] === '')
  if (after.isOpen && rest.length > 0) return null
  if (before.isOpen && !isAtEnd) return null
  const end = !isAtEnd ? rest : before.isOpen || before.texts.length + from === 0 ? [] : ['']
  return [...all.slice(0, from), ...before.texts, ...end].join('\n')
}

const joined = ({ texts, isOpen }: Side): string => texts.join('\n') + (isOpen || texts.length === 0 ? '' : '\n')

/** Git may compare such a text with its line endings converted, so that the hunk does not have them. */
const isAllCrlf = (lines: readonly string[]): boolean =>
  lines.length > 1 && lines.every((line, at) => at === lines.length - 1 || line.endsWith('\r'))

/** The lines of one side, with a carriage return where they end with one. `isOpen`: the last one has no line break. */
interface Side { texts: string[], isOpen: boolean }

function sideOf (lines: RevertedHunk['lines'], changed: 'add' | 'del', ending: string): Side {
  const side: Side = { texts: [], isOpen: false }
  for (const [at, { kind, text, isCrlf }] of lines.entries()) {
    if (kind === 'same' || kind === changed) side.texts.push(text + (isCrlf === true ? '\r' : ending))
    // The note belongs to the line before it.
    else if (kind === 'note') side.isOpen ||= lines[at - 1]?.kind === 'same' || lines[at - 1]?.kind === changed
  }
  // The last line of a text without a line break has no ending to convert.
  if (side.isOpen && ending !== '') side.texts = side.texts.map((text, at) => at === side.texts.length - 1 ? text.slice(0, -1) : text)
  return side
}

/**
 * Reverts one hunk of a changed file, unless the file has changed since it was compared. Returns a function that undoes the revert (it
 * resolves with false if the file has changed since), or null if the hunk no longer fits. Throws ApiError.
 */
export async function revertHunk (
  api: Api, sessionId: string, path: string, hunk: RevertedHunk
): Promise<(() => Promise<boolean>) | null> {
  const { content, version, is_lossy: isLossy, is_binary: isBinary } = await api.get('/api/file', { session_id: sessionId, path })
  const next = isLossy || isBinary ? null : withoutHunk(content, hunk)
  if (next === null) return null
  const saved = await save(next, version)
  return saved === null ? null : async () => await save(content, saved) !== null

  async function save (text: string, ifMatch: string): Promise<string | null> {
    try {
      return (await api.post('/api/file/save', { session_id: sessionId, path, content: text, if_match: ifMatch })).version
    } catch (error) {
      if (error instanceof ApiError && error.code === 'changed') return null
      throw error
    }
  }
}
