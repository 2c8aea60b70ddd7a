import { epochSeconds } from '../../ground/time/clock.js'
import { Invalid } from '../../ground/errors.js'
import { redactAhead } from '../../ground/redaction/index.js'
import { linesOf, type Range } from './following.js'
import { messageOf, type SentComment } from './message.js'
import { hashOf, mostKeptChars, type SessionFile } from './comment-places.js'
import { mostQuotedLines } from './preparing.js'
import { type Comment } from './rows.js'
import { type WritingOptions } from './writing.js'

/** The message of a review. `accepted` marks its comments as sent, in the transaction that stores the message. */
export interface ReviewMessage { message: string, accepted: () => void }

export type ReviewSendingOptions = Omit<WritingOptions, 'db'>

/** A comment that is about to be sent: `place` is the present place of its lines in `file`; null if they are gone or not found. */
interface Following { comment: Comment, file: SessionFile | null, place: Range | null }

/** Builds one message of comments. From its acceptance on, they are followed from the present places of their lines. */
export function createReviewSending ({ clock, rows, places, readFile, assertSpeakable, changed }: ReviewSendingOptions) {
  /** Returns the named comments, or every draft. Throws Conflict (`review_changed`), and Invalid if there are none. */
  function chosen (sessionId: string, ids: string[] | undefined): Comment[] {
    const comments = ids === undefined
      ? rows.list(sessionId).filter(({ state }) => state === 'draft')
      : [...new Set(ids)].map((id) => rows.meant(sessionId, { id })).filter(({ state }) => state !== 'sent')
    if (comments.length === 0) throw new Invalid('There is no comment to send. Write one first')
    return comments
  }

  /** Called inside the transaction that stores the message. */
  function markSent (sessionId: string, following: readonly Following[], sentAt: number): void {
    for (const { comment } of following) rows.meant(sessionId, comment)
    const version = changed(sessionId)
    for (const { comment, file, place } of following) {
      const text = place === null || file?.text == null || file.text.length > mostKeptChars ? null : file.text
      const hash = text === null ? null : hashOf(text)
      if (text !== null && hash !== null) rows.keepText(sessionId, hash, text)
      rows.change(comment, {
        state: 'sent', sentAt, streamId: null, answer: null, changedIn: null, version,
        ...(place === null ? {} : { placeText: hash, placeLine: place.line, placeEnd: place.endLine })
      })
    }
    rows.sweepTexts(sessionId)
  }

  return {
    /** Returns the message of these comments, or of every draft. Throws NotFound, Forbidden, and the errors of `chosen`. */
    async compose (sessionId: string, { ids, note = '' }: { ids?: string[] | undefined, note?: string | undefined }): Promise<ReviewMessage> {
      assertSpeakable(sessionId)
      // The message is stored after this time, and any earlier message that names the same comments is older.
      const sentAt = epochSeconds(clock)
      const comments = chosen(sessionId, ids)
      const files = new Map<string, SessionFile | null>()
      for (const { placePath: path } of comments) if (!files.has(path)) files.set(path, await readFile(sessionId, path))
      const found = await places.standings(comments, ({ placePath }) => files.get(placePath) ?? null)
      const following = found.map(({ comment, file, standing: { place } }) => ({ comment, file, place }))
      const message = messageOf(following.map(sentOf), note)
      await redactAhead(message)
      return { message, accepted: () => markSent(sessionId, following, sentAt) }
    }
  }
}

/** Returns the present place and content of its lines; for lines that are gone, those of the comment. */
function sentOf ({ comment, file, place }: Following): SentComment {
  const { id, placePath: path, side, line, endLine, anchor } = comment
  const text = file?.text ?? null
  const isThere = side === 'new' && place !== null && text !== null && place.endLine >= place.line
  const at = isThere ? place : { line, endLine }
  const lines = isThere ? linesOf(text).slice(at.line - 1, at.endLine).slice(0, mostQuotedLines) : anchor.lines
  return { id, path, side, ...at, lines, text: comment.text }
}
