import { Type } from '@sinclair/typebox'
import { ClientId, Closed, Id, Maybe, Nullable, OneOf, Seconds } from './common.js'

const sides = ['old', 'new'] as const
const states = ['draft', 'sent', 'changed', 'answered', 'open', 'resolved'] as const
const Line = (description: string) => Type.Integer({ minimum: 1, maximum: 10_000_000, description })
const Lines = (maxItems: number, description: string) => Type.Array(Type.String({ maxLength: 2_000 }), { maxItems, description })

export const ReviewComment = Closed({
  id: Type.String(),
  path: Type.String({ description: 'relative to the workspace, as it was commented on' }),
  side: OneOf(sides, 'the side of the difference whose lines are counted'),
  line: Line('the first line, from 1'),
  end_line: Line('the last one'),
  text: Type.String({ description: 'as it was typed; to a token of the scope `read` with credentials masked' }),
  state: OneOf(states, 'draft: not sent yet. sent: the agent has it, or it waits in the queue. changed: the turn changed those lines. ' +
    'answered: it did not, but said something to it. open: neither. resolved: a person has settled it'),
  quote: Type.Array(Type.String(), { description: 'the lines that it is about' }),
  place: Nullable(Closed({
    path: Type.String(),
    line: Line('the first line now'),
    end_line: Type.Integer({ minimum: 0, description: 'before `line`: the lines are gone, and this is where they were' }),
    found: OneOf(['here', 'moved', 'changed', 'deleted'], 'what has become of the lines since they were commented on')
  }), 'where its lines are now; null: not to be found, or the file is gone'),
  turn_id: Nullable(Type.String(), 'the turn that had it'),
  changed_in: Nullable(Type.String(), 'the file that this turn changed there'),
  answer: Nullable(Type.String(), 'what the agent said to it'),
  version: Type.Integer({ description: 'another one after every change of it' }),
  created_at: Seconds()
}, { title: 'ReviewComment' })

const reviewFields = {
  session_id: Type.String(),
  comments: Type.Array(ReviewComment, { description: 'in the order in which they were written' }),
  seen: Type.Array(Type.String(), { description: 'paths of files that were looked at and have not changed since' }),
  version: Type.Integer({ description: 'raised by every change' })
}
export const Review = Closed(reviewFields, { title: 'Review', description: 'Comments on the changes of a session' })

const ReviewInput = Type.Object({
  id: Maybe(Type.String({ pattern: '^[\\w-]{1,64}$', description: 'of the comment that is changed; of a new one, yours. Absent: a new one' })),
  path: Maybe(Type.String({ minLength: 1, maxLength: 1_024, description: 'new: relative to the workspace' })),
  side: Maybe(OneOf(sides, 'new: default new')),
  line: Maybe(Line('new: the first line')),
  end_line: Maybe(Line('new: the last one, default the first')),
  quote: Maybe(Lines(200, 'new: the lines as the difference shows them; absent: those of the file')),
  before: Maybe(Lines(10, 'new: unchanged lines right above them')),
  after: Maybe(Lines(10, 'new: unchanged lines right below them')),
  text: Maybe(Type.String({ maxLength: 10_000, description: 'not blank; a changed one is a draft again' })),
  state: Maybe(OneOf(['draft', 'open', 'resolved'], 'draft: to be sent again')),
  version: Maybe(Type.Integer({ description: 'of the comment that is meant; absent: whatever is there' }))
})

export const ReviewsBody = Type.Object({
  session_id: Id('session'),
  comments: Maybe(Type.Array(ReviewInput, { maxItems: 200, description: 'those to add or to change; all others stay' })),
  remove: Maybe(Type.Array(Type.Object({ id: Type.String({ maxLength: 64 }), version: Maybe(Type.Integer()) }), { maxItems: 200 })),
  seen: Maybe(Type.Array(Type.Object({ path: Type.String({ minLength: 1, maxLength: 1_024 }), seen: Type.Boolean() }), {
    maxItems: 100, description: 'a mark falls when the file changes'
  })),
  client_id: ClientId()
})

export const SendReviewBody = Type.Object({
  session_id: Id('session'),
  ids: Maybe(Type.Array(Type.String({ maxLength: 64 }), { minItems: 1, maxItems: 200, description: 'absent: every draft' })),
  note: Maybe(Type.String({ maxLength: 20_000, description: 'stands above the comments' })),
  model: Type.Optional(Type.String({ description: 'as this and the next three of POST /api/chat/start' })),
  model_provider: Type.Optional(Type.String()),
  explicit_model_pick: Type.Optional(Type.Boolean()),
  if_busy: Type.Optional(OneOf(['queue'])),
  client_id: ClientId()
})

/** Sent on the stream of a session. */
export const reviewFrames = {
  reviews_changed: Closed({
    session_id: Type.String(), drafts: Type.Integer({ minimum: 0 }), total: Type.Integer({ minimum: 0 }), version: Type.Integer({ description: 'of the review, raised by every change' })
  }, { title: 'ReviewsChanged', description: 'the review of the session has changed: read GET /api/session/reviews' })
}
