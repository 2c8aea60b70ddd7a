import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { Conflict, Invalid } from '../../ground/errors.js'
import { redactAhead } from '../../ground/redaction/index.js'
import { isBlank } from '../../ground/text/visible.js'
import { plainText } from './message.js'
import { createPreparing, type CommentInput, type Prepared, type PreparingOptions, type SeenMark } from './preparing.js'
import { stale } from './rows.js'

export interface ReviewChange {
  sessionId: string
  comments: CommentInput[]
  remove: Array<{ id: string, version?: number | undefined }>
  seen: Array<{ path: string, seen: boolean }>
}

export interface WritingOptions extends PreparingOptions {
  db: Database
  clock: Clock
  /** Throws NotFound, and Forbidden for a read-only session. */
  assertSpeakable: (sessionId: string) => void
  /** Marks the review of a session as changed, inside the transaction that changes it. Returns its new version. */
  changed: (sessionId: string) => number
}

const mostComments = 200
const mostSeen = 300
const full = (): Conflict => new Conflict(`A review holds at most ${mostComments} comments. Remove some that are resolved`, 'review_full')

/** Writes a review: adds, changes and removes comments, and marks files as seen, all or nothing. */
export function createWriting ({ db, clock, assertSpeakable, changed, ...options }: WritingOptions) {
  const { rows } = options
  const preparing = createPreparing(options)

  /** Called inside a transaction, like the functions below. `version` is that of the whole change. */
  function insert ({ comment, place }: Prepared, version: number): string {
    rows.insert({ ...comment, version, createdAt: epochSeconds(clock) })
    if (place?.text != null && comment.placeText !== null) rows.keepText(comment.sessionId, comment.placeText, place.text)
    return comment.id
  }

  /** Throws Conflict (`review_changed`) and Invalid. */
  function edit (sessionId: string, input: CommentInput & { id: string }, version: () => number): string {
    const comment = rows.meant(sessionId, input)
    const { text, state } = input
    if (text !== undefined && isBlank(text)) throw new Invalid('text is required')
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
    /**
     * Returns the ids of the comments, in their order. Throws NotFound, Forbidden, Invalid, and Conflict (`review_changed`, `review_full`).
     */
    async change ({ sessionId, comments, remove, seen }: ReviewChange, accepted: (ids: string[]) => void): Promise<string[]> {
      assertSpeakable(sessionId)
      const prepared = await preparing.prepareAll(sessionId, comments)
      const marks = await preparing.marksOf(sessionId, seen)
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
          // Two devices may create a comment with the same id: the second request then changes it.
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
