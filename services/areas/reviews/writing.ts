import { randomBytes } from 'node:crypto'
import { posix } from 'node:path'
import { epochSeconds, type Clock } from '../../ground/clock.js'
import { type Database } from '../../ground/database/index.js'
import { Conflict, Invalid } from '../../ground/errors.js'
import { redactAhead } from '../../ground/redaction/index.js'
import { linesOf, type Anchor } from './following.js'
import { plainText } from './message.js'
import { hashOf, type Place, type Places, type ReadFile } from './places.js'
import { stale, type Comment, type CommentState, type ReviewRows } from './rows.js'

/** A comment to add, or what of one is to change. Without `lines` it quotes the file. */
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

export interface ReviewChange {
  sessionId: string
  comments: CommentInput[]
  remove: Array<{ id: string, version?: number | undefined }>
  seen: Array<{ path: string, seen: boolean }>
}

export interface WritingOptions {
  db: Database
  clock: Clock
  rows: ReviewRows
  places: Places
  readFile: ReadFile
  /** Throws NotFound, and Forbidden where nobody may speak. */
  assertSpeakable: (sessionId: string) => void
  /** Marks the review of a session as changed, inside the transaction that changes it. Returns its new version. */
  changed: (sessionId: string) => number
}

const mostComments = 200
const mostSeen = 300
export const mostQuotedLines = 200
const mostQuotedChars = 20_000

const full = (): Conflict => new Conflict(`A review holds at most ${mostComments} comments. Remove some that are settled`, 'review_full')

interface Prepared { comment: Omit<Comment, 'version' | 'createdAt'>, place: Place | null }
interface SeenMark { path: string, version: string | null }

/** Writes a review: comments are added, changed and removed, and files marked as seen, all or nothing. */
export function createWriting ({ db, clock, rows, places, readFile, assertSpeakable, changed }: WritingOptions) {
  /** A new comment with the place of its lines. Throws Invalid. */
  async function prepare (sessionId: string, input: CommentInput): Promise<Prepared> {
    const { id = `r${randomBytes(4).toString('hex')}`, side = 'new', line, text = '', before = [], after = [], state = 'draft' } = input
    if (input.path === undefined || line === undefined) throw new Invalid('path and line are required')
    if (text.trim() === '') throw new Invalid('text is required')
    const path = insidePath(input.path)
    const endLine = input.endLine ?? line
    if (endLine < line || endLine - line >= mostQuotedLines) throw new Invalid(`A comment is about 1 to ${mostQuotedLines} lines`)
    const content = (await readFile(sessionId, path))?.text ?? null
    const own = content === null || side === 'old' ? [] : linesOf(content).slice(line - 1, endLine)
    const anchor: Anchor = { before, lines: input.lines ?? own, after }
    if (anchor.lines.reduce((sum, quoted) => sum + quoted.length, 0) > mostQuotedChars) throw new Invalid('The lines are too long to be quoted')
    // A line that nobody has quoted, beyond the end of the file, is nowhere.
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

  async function prepareAll (sessionId: string, inputs: readonly CommentInput[]): Promise<Map<CommentInput, Prepared>> {
    const isNew = ({ id }: CommentInput): boolean => id === undefined || rows.find(sessionId, id) === undefined
    const prepared = new Map<CommentInput, Prepared>()
    // What names a comment that is gone says nothing of its place, and is refused as such.
    for (const input of inputs) {
      if (isNew(input) && (input.id === undefined || input.path !== undefined)) prepared.set(input, await prepare(sessionId, input))
    }
    return prepared
  }

  /** The version that each file is seen in; null: it is not. Throws Invalid. */
  async function marksOf (sessionId: string, seen: ReviewChange['seen']): Promise<SeenMark[]> {
    const marks: SeenMark[] = []
    for (const { path, seen: isSeen } of seen) {
      const inside = insidePath(path)
      marks.push({ path: inside, version: isSeen ? (await readFile(sessionId, inside))?.version ?? 'gone' : null })
    }
    return marks
  }

  /** Inside a transaction; so are those below. `version` is that of the whole change. */
  function insert ({ comment, place }: Prepared, version: number): string {
    rows.insert({ ...comment, version, createdAt: epochSeconds(clock) })
    if (place?.text != null && comment.placeText !== null) rows.keepText(comment.sessionId, comment.placeText, place.text)
    return comment.id
  }

  /** Throws Conflict (`review_changed`) and Invalid. */
  function edit (sessionId: string, input: CommentInput & { id: string }, version: () => number): string {
    const comment = rows.meant(sessionId, input)
    const { text, state } = input
    if (text?.trim() === '') throw new Invalid('text is required')
    const isReworded = text !== undefined && plainText(text) !== comment.text
    const next = state ?? (isReworded ? 'draft' : comment.state)
    if (isReworded || next !== comment.state) {
      rows.change(comment, {
        ...(isReworded ? { text: plainText(text) } : {}), state: next,
        ...(next === 'draft' ? { sentAt: null, streamId: null, answer: null, changedIn: null } : {}),
        version: version()
      })
    }
    return comment.id
  }

  function mark (sessionId: string, marks: readonly SeenMark[]): void {
    for (const { path, version } of marks) {
      if (version !== null) rows.see(sessionId, path, version)
      else rows.unsee(sessionId, [path])
    }
    rows.unsee(sessionId, rows.seen(sessionId).slice(0, -mostSeen).map(({ path }) => path))
  }

  return {
    /** The ids of the comments, in their order. Throws NotFound, Forbidden, Invalid, and Conflict (`review_changed`, `review_full`). */
    async change ({ sessionId, comments, remove, seen }: ReviewChange, accepted: (ids: string[]) => void): Promise<string[]> {
      assertSpeakable(sessionId)
      const prepared = await prepareAll(sessionId, comments)
      const marks = await marksOf(sessionId, seen)
      await redactAhead(comments.map(({ text }) => text ?? ''))
      return await db.durably(() => {
        assertSpeakable(sessionId)
        let raised: number | null = null
        const version = (): number => {
          raised ??= changed(sessionId)
          return raised
        }
        for (const ref of remove) {
          rows.remove(sessionId, rows.meant(sessionId, ref).id)
          version()
        }
        const ids = comments.map((input) => {
          const made = prepared.get(input)
          const id = made?.comment.id ?? input.id
          if (id === undefined) throw stale()
          // Two devices may make one of the same id: the second has changed it then.
          const isThere = made === undefined || rows.find(sessionId, id) !== undefined
          return isThere ? edit(sessionId, { ...input, id }, version) : insert(made, version())
        })
        if (rows.counts(sessionId).all > mostComments && ids.length > 0) throw full()
        mark(sessionId, marks)
        if (marks.length > 0) version()
        if (remove.length > 0) rows.sweepTexts(sessionId)
        accepted(ids)
        return ids
      })
    }
  }
}

/** A path in the workspace as a comment names it. Throws Invalid for one that leads out of it. */
function insidePath (path: string): string {
  const inside = posix.normalize(path)
  if (posix.isAbsolute(inside) || /^\.{1,2}(?:\/|$)/.test(inside) || /\p{Cc}/u.test(inside)) {
    throw new Invalid('A path is not in the workspace', 'outside_workspace')
  }
  return inside.replace(/\/+$/, '')
}
