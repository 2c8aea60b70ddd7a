import { randomBytes } from 'node:crypto'
import { posix } from 'node:path'
import { type Static } from '@sinclair/typebox'
import { type Review as ReviewSchema } from '../../../schemas/reviews.js'
import { type sessionFrames } from '../../../schemas/sessions.js'
import { epochSeconds, type Clock } from '../../ground/clock.js'
import { Conflict, Forbidden, Invalid } from '../../ground/errors.js'
import { framesOf, type EventBroker } from '../../ground/events/index.js'
import { redactAhead } from '../../ground/redaction/index.js'
import { type Sessions } from '../sessions/index.js'
import { Fates, type FatesOptions } from './fates.js'
import { linesOf, type Anchor, type Range } from './following.js'
import { messageOf, plainText, type SentComment } from './message.js'
import { hashOf, mostKeptChars, Places, type Place } from './places.js'
import { createReviewRows, type Comment, type CommentState } from './rows.js'
import { commentToWire } from './wire.js'

export interface ReviewsOptions extends Omit<FatesOptions, 'rows' | 'places' | 'changed'> {
  clock: Clock
  events: EventBroker
  sessions: Sessions
}

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

/** What a review is sent as. `accepted` marks its comments as sent, in the transaction that stores the message. */
export interface ReviewMessage { message: string, accepted: () => void }

const mostComments = 200
const mostSeen = 300
const mostQuotedLines = 200
const mostQuotedChars = 20_000

const frame = framesOf<typeof sessionFrames>()
const stale = (): Conflict => new Conflict('This comment was changed or removed. Read the review again', 'review_changed')
interface Prepared { comment: Omit<Comment, 'version' | 'createdAt'>, place: Place | null }

const full = (): Conflict => new Conflict(`A review holds at most ${mostComments} comments. Remove some that are settled`, 'review_full')

/**
 * Comments on lines of what a conversation has changed, for all devices of a person: written, sent to the agent as one message, and
 * followed until it is known what became of each ({@link Fates}). Each change raises the version of the review, and what it
 * changes has that version.
 */
export function createReviews (options: ReviewsOptions) {
  const { db, clock, events, sessions, readFile } = options
  const rows = createReviewRows(db)
  const places = new Places(rows)
  const fates = new Fates({ ...options, rows, places, changed })

  /** Tells whoever looks at the session; inside the transaction of the change. Returns the version that it has. */
  function changed (sessionId: string): number {
    const version = rows.raise(sessionId)
    db.afterCommit(() => {
      events.publish({ kind: 'session', id: sessionId }, () => {
        const { drafts, all } = rows.counts(sessionId)
        return frame('reviews_changed', { session_id: sessionId, drafts, total: all, version: rows.version(sessionId) })
      })
    })
    return version
  }

  /** Throws NotFound, and Forbidden where nobody may speak. */
  function assertSpeakable (sessionId: string): void {
    if (sessions.get(sessionId).readOnly) throw new Forbidden('This session is read-only')
  }

  /** Throws Conflict (`review_changed`) unless it is there as it is meant. */
  function meant (sessionId: string, { id, version }: { id: string, version?: number | undefined }): Comment {
    const comment = rows.find(sessionId, id)
    if (comment === undefined || (version !== undefined && version !== comment.version)) throw stale()
    return comment
  }

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

  function edit (sessionId: string, input: CommentInput & { id: string }, version: () => number): void {
    const comment = meant(sessionId, input)
    const { text, state } = input
    if (text?.trim() === '') throw new Invalid('text is required')
    const isReworded = text !== undefined && plainText(text) !== comment.text
    const next = state ?? (isReworded ? 'draft' : comment.state)
    if (!isReworded && next === comment.state) return
    rows.change(comment, {
      ...(isReworded ? { text: plainText(text) } : {}), state: next,
      ...(next === 'draft' ? { sentAt: null, streamId: null, answer: null, changedIn: null } : {}),
      version: version()
    })
  }

  return {
    /** The comments with their lines as they are now; unless `typed`, with credentials masked. Throws NotFound. */
    async read (sessionId: string, { typed }: { typed: boolean }): Promise<Static<typeof ReviewSchema>> {
      if (sessions.isForeign(sessionId)) return { session_id: sessionId, comments: [], seen: [], version: 0 }
      sessions.get(sessionId)
      const [comments, marks, version] = [rows.list(sessionId), rows.seen(sessionId), rows.version(sessionId)]
      const paths = new Set([...comments.map(({ placePath }) => placePath), ...marks.map(({ path }) => path)])
      const files = new Map<string, Awaited<ReturnType<typeof readFile>>>()
      for (const path of paths) files.set(path, await readFile(sessionId, path))
      const shown = comments.map((comment) => commentToWire(comment, places.standing(comment, files.get(comment.placePath) ?? null)))
      if (!typed) await redactAhead(shown.flatMap(({ text, quote, answer }) => [text, ...quote, answer ?? '']))
      return {
        session_id: sessionId,
        comments: typed ? shown : sessions.shown(shown),
        seen: marks.filter(({ path, version }) => (files.get(path)?.version ?? 'gone') === version).map(({ path }) => path).sort(),
        version
      }
    },

    /** Throws NotFound, Forbidden, Invalid, and Conflict (`review_changed`, `review_full`). */
    async change ({ sessionId, comments, remove, seen }: ReviewChange, accepted: (ids: string[]) => void): Promise<string[]> {
      assertSpeakable(sessionId)
      const isNew = ({ id }: CommentInput): boolean => id === undefined || rows.find(sessionId, id) === undefined
      const prepared = new Map<CommentInput, Prepared>()
      // What names a comment that is gone says nothing of its place, and is refused as such.
      for (const input of comments) {
        if (isNew(input) && (input.id === undefined || input.path !== undefined)) prepared.set(input, await prepare(sessionId, input))
      }
      const marks: Array<{ path: string, version: string | null }> = []
      for (const { path, seen: isSeen } of seen) {
        const inside = insidePath(path)
        marks.push({ path: inside, version: isSeen ? (await readFile(sessionId, inside))?.version ?? 'gone' : null })
      }
      await redactAhead(comments.map(({ text }) => text ?? ''))
      return await db.durably(() => {
        assertSpeakable(sessionId)
        let raised: number | null = null
        const version = (): number => {
          raised ??= changed(sessionId)
          return raised
        }
        for (const ref of remove) {
          meant(sessionId, ref)
          rows.remove(sessionId, ref.id)
          version()
        }
        const ids = comments.map((input) => {
          const made = prepared.get(input)
          // Two devices may make one of the same id: the second has changed it then.
          if (made === undefined || rows.find(sessionId, made.comment.id) !== undefined) {
            edit(sessionId, { ...input, id: made?.comment.id ?? input.id ?? '' }, version)
            return made?.comment.id ?? input.id ?? ''
          }
          const { comment, place } = made
          rows.insert({ ...comment, version: version(), createdAt: epochSeconds(clock) })
          if (place?.text != null && comment.placeText !== null) rows.keepText(sessionId, comment.placeText, place.text)
          return comment.id
        })
        if (rows.counts(sessionId).all > mostComments && ids.length > 0) throw full()
        for (const { path, version: of } of marks) {
          if (of !== null) rows.see(sessionId, path, of)
          else rows.unsee(sessionId, [path])
        }
        rows.unsee(sessionId, rows.seen(sessionId).slice(0, -mostSeen).map(({ path }) => path))
        if (marks.length > 0) version()
        if (remove.length > 0) rows.sweepTexts(sessionId)
        accepted(ids)
        return ids
      })
    },

    /**
     * The message of these comments, or of every draft. From when it is accepted they are followed from where their lines are now. Throws
     * NotFound, Forbidden, Invalid when there is nothing to send, and Conflict (`review_changed`).
     */
    async compose (sessionId: string, { ids, note = '' }: { ids?: string[] | undefined, note?: string | undefined }): Promise<ReviewMessage> {
      assertSpeakable(sessionId)
      // Its message is younger than this, and whatever named the same comments before is older.
      const sentAt = epochSeconds(clock)
      const chosen = ids === undefined
        ? rows.list(sessionId).filter(({ state }) => state === 'draft')
        : [...new Set(ids)].map((id) => meant(sessionId, { id })).filter(({ state }) => state !== 'sent')
      if (chosen.length === 0) throw new Invalid('There is no comment to send. Write one first')
      const now = new Map<string, Awaited<ReturnType<typeof readFile>>>()
      for (const { placePath } of chosen) if (!now.has(placePath)) now.set(placePath, await readFile(sessionId, placePath))
      const following = chosen.map((comment) => {
        const file = now.get(comment.placePath) ?? null
        return { comment, file, place: places.standing(comment, file).place }
      })
      const message = messageOf(following.map(({ comment, file, place }) => sentOf(comment, place, file?.text ?? null)), note)
      await redactAhead(message)
      return {
        message,
        accepted: () => {
          for (const { comment } of following) meant(sessionId, comment)
          const version = changed(sessionId)
          for (const { comment, file, place } of following) {
            const text = place === null ? null : keepable(file?.text ?? null)
            const hash = text === null ? null : hashOf(text)
            if (text !== null && hash !== null) rows.keepText(sessionId, hash, text)
            rows.change(comment, {
              state: 'sent', sentAt, streamId: null, answer: null, changedIn: null, version,
              ...(place === null ? {} : { placeText: hash, placeLine: place.line, placeEnd: place.endLine })
            })
          }
          rows.sweepTexts(sessionId)
        }
      }
    },

    settle: async (sessionId: string): Promise<void> => await fates.settle(sessionId),
    takeUp: async (): Promise<void> => await fates.takeUp(),

    /** What it holds, for tests and metrics. */
    size: (): number => fates.size()
  }
}

export type Reviews = ReturnType<typeof createReviews>

/** A path in the workspace as a comment names it. Throws Invalid for one that leads out of it. */
function insidePath (path: string): string {
  const inside = posix.normalize(path)
  if (posix.isAbsolute(inside) || /^\.{1,2}(?:\/|$)/.test(inside) || /\p{Cc}/u.test(inside)) {
    throw new Invalid('A path is not in the workspace', 'outside_workspace')
  }
  return inside.replace(/\/+$/, '')
}

const keepable = (text: string | null): string | null => text === null || text.length > mostKeptChars ? null : text

/** Where its lines are now, and what they say now; of lines that are gone, as they were. */
function sentOf (comment: Comment, place: Range | null, text: string | null): SentComment {
  const { id, placePath: path, side, line, endLine, anchor } = comment
  const isThere = side === 'new' && place !== null && text !== null && place.endLine >= place.line
  const at = isThere ? place : { line, endLine }
  const lines = isThere ? linesOf(text).slice(at.line - 1, at.endLine).slice(0, mostQuotedLines) : anchor.lines
  return { id, path, side, ...at, lines, text: comment.text }
}
