import { randomBytes } from 'node:crypto'
import { posix } from 'node:path'
import { Invalid } from '../../ground/errors.js'
import { isBlank } from '../../ground/text/visible.js'
import { linesOf, type Anchor } from './following.js'
import { plainText } from './message.js'
import { hashOf, type Place, type Places, type ReadFile } from './comment-places.js'
import { type Comment, type CommentState, type ReviewRows } from './rows.js'

/** A comment to add, or changes to one. Without `lines`, it quotes the file. */
export interface CommentInput {
  id?: string | undefined
  path?: string | undefined
  side?: 'old' | 'new' | undefined
  line?: number | undefined
  endLine?: number | undefined
  lines?: string[] | undefined
  before?: string[] | undefined
  after?: string[] | undefined
  text?: string | undefined
  state?: Extract<CommentState, 'draft' | 'open' | 'resolved'> | undefined
  version?: number | undefined
}

/** A new comment, and the place of its lines in the file; null if they are not found. */
export interface Prepared { comment: Omit<Comment, 'version' | 'createdAt'>, place: Place | null }

/** The version in which a file was seen; null to remove the mark. */
export interface SeenMark { path: string, version: string | null }

export interface PreparingOptions { rows: ReviewRows, places: Places, readFile: ReadFile }

export const mostQuotedLines = 200
const mostQuotedChars = 20_000

/** Reads the files that a change of a review refers to, before the transaction that writes it. */
export function createPreparing ({ rows, places, readFile }: PreparingOptions) {
  /** Builds a new comment, with the place of its lines. Throws Invalid. */
  async function prepare (sessionId: string, input: CommentInput): Promise<Prepared> {
    const { id = `r${randomBytes(4).toString('hex')}`, side = 'new', line, text = '', before = [], after = [], state = 'draft' } = input
    if (input.path === undefined || line === undefined) throw new Invalid('path and line are required')
    if (isBlank(text)) throw new Invalid('text is required')
    const path = insidePath(input.path)
    const endLine = input.endLine ?? line
    if (endLine < line || endLine - line >= mostQuotedLines) throw new Invalid(`A comment is about 1 to ${mostQuotedLines} lines`)
    const content = (await readFile(sessionId, path))?.text ?? null
    const own = content === null || side === 'old' ? [] : linesOf(content).slice(line - 1, endLine)
    const anchor: Anchor = { before, lines: input.lines ?? own, after }
    if (anchor.lines.reduce((sum, quoted) => sum + quoted.length, 0) > mostQuotedChars) throw new Invalid('The lines are too long to be quoted')
    // A line beyond the end of the file, without a quote, has no place.
    const isNowhere = content === null || (side === 'new' && anchor.lines.length === 0)
    const place = isNowhere ? null : places.begin({ anchor, line, side }, content)
    return {
      comment: {
        id, sessionId, path, side, line, endLine, text: plainText(text), anchor, state, placePath: path,
        placeText: place?.text == null ? null : hashOf(place.text), placeLine: place?.line ?? null, placeEnd: place?.endLine ?? null,
        sentAt: null, streamId: null, answer: null, changedIn: null
      },
      place
    }
  }

  return {
    /** Builds the new ones among these comments. Throws Invalid. */
    async prepareAll (sessionId: string, inputs: readonly CommentInput[]): Promise<Map<CommentInput, Prepared>> {
      const isNew = ({ id }: CommentInput): boolean => id === undefined || rows.find(sessionId, id) === undefined
      const prepared = new Map<CommentInput, Prepared>()
      // An entry that names a removed comment has no path, and is refused later.
      for (const input of inputs) {
        if (isNew(input) && (input.id === undefined || input.path !== undefined)) prepared.set(input, await prepare(sessionId, input))
      }
      return prepared
    },

    /** Throws Invalid. */
    async marksOf (sessionId: string, seen: ReadonlyArray<{ path: string, seen: boolean }>): Promise<SeenMark[]> {
      const marks: SeenMark[] = []
      for (const { path, seen: isSeen } of seen) {
        const inside = insidePath(path)
        marks.push({ path: inside, version: isSeen ? (await readFile(sessionId, inside))?.version ?? 'gone' : null })
      }
      return marks
    }
  }
}

/** Normalises a path as comments name it. Throws Invalid for one that leads out of the workspace. */
function insidePath (path: string): string {
  const inside = posix.normalize(path)
  if (posix.isAbsolute(inside) || /^\.{1,2}(?:\/|$)/.test(inside) || /\p{Cc}/u.test(inside)) {
    throw new Invalid('A path is not in the workspace', 'outside_workspace')
  }
  return inside.replace(/\/+$/, '')
}
