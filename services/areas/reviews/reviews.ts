import { type Static } from '@sinclair/typebox'
import { type Review as ReviewSchema } from '../../../schemas/reviews.js'
import { type sessionFrames } from '../../../schemas/sessions.js'
import { type Clock } from '../../ground/time/clock.js'
import { Forbidden } from '../../ground/errors.js'
import { framesOf, type EventBroker } from '../../ground/events/index.js'
import { redactAhead } from '../../ground/redaction/index.js'
import { type Sessions } from '../sessions/index.js'
import { CommentOutcomes, type CommentOutcomesOptions } from './outcomes.js'
import { Places, type SessionFile } from './comment-places.js'
import { createReviewRows } from './rows.js'
import { createReviewSending } from './sending.js'
import { commentToWire } from './wire.js'
import { createWriting } from './writing.js'

export interface ReviewsOptions extends Omit<CommentOutcomesOptions, 'rows' | 'places' | 'changed'> {
  clock: Clock
  events: EventBroker
  sessions: Sessions
}

const frame = framesOf<typeof sessionFrames>()

/**
 * Comments on lines that a conversation has changed, shared by all devices of a person: written ({@link createWriting}), sent to the agent
 * as one message ({@link createReviewSending}), and followed until the outcome of each is known ({@link CommentOutcomes}). Each change
 * raises the version of the review and gives it to the comments that it changes.
 */
export function createReviews (options: ReviewsOptions) {
  const { db, events, sessions, readFile } = options
  const rows = createReviewRows(db)
  const places = new Places(rows)
  const outcomes = new CommentOutcomes({ ...options, rows, places, changed })

  /** Tells readers of the session; called inside the transaction of the change. Returns the new version. */
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

  function assertSpeakable (sessionId: string): void {
    if (sessions.get(sessionId).readOnly) throw new Forbidden('This session is read-only')
  }

  const parts = { ...options, rows, places, changed, assertSpeakable }

  return {
    ...createWriting(parts),
    ...createReviewSending(parts),

    /** Returns the comments with the present places of their lines; with credentials masked, unless `typed`. Throws NotFound. */
    async read (sessionId: string, { typed }: { typed: boolean }): Promise<Static<typeof ReviewSchema>> {
      if (sessions.isForeign(sessionId)) return { session_id: sessionId, comments: [], seen: [], version: 0 }
      sessions.get(sessionId)
      const [comments, marks, version] = [rows.list(sessionId), rows.seen(sessionId), rows.version(sessionId)]
      const paths = new Set([...comments.map(({ placePath }) => placePath), ...marks.map(({ path }) => path)])
      const files = new Map<string, SessionFile | null>()
      for (const path of paths) files.set(path, await readFile(sessionId, path))
      const found = await places.standings(comments, ({ placePath }) => files.get(placePath) ?? null)
      const shown = found.map(({ comment, standing }) => commentToWire(comment, standing))
      if (!typed) await redactAhead(shown.flatMap(({ text, quote, answer }) => [text, ...quote, answer ?? '']))
      return {
        session_id: sessionId,
        comments: typed ? shown : sessions.shown(shown),
        seen: marks.filter(({ path, version }) => (files.get(path)?.version ?? 'gone') === version).map(({ path }) => path).sort(),
        version
      }
    },

    settle: async (sessionId: string): Promise<void> => await outcomes.settle(sessionId),
    recover: async (): Promise<void> => await outcomes.recover(),

    /** Returns how many sessions are being settled, for tests and metrics. */
    size: (): number => outcomes.size()
  }
}

export type Reviews = ReturnType<typeof createReviews>
