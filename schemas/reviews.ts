import { Type } from '@sinclair/typebox'
import { ClientId, Closed, Id, Maybe, Nullable, OneOf, Seconds } from './common.js'

const sides = ['old', 'new'] as const
const states = ['draft', 'sent', 'changed', 'answered', 'open', 'resolved'] as const
const Line = (description: string) => Type.Integer({ minimum: 1, maximum: 10_000_000, description })
const Lines = (maxItems: number, description: string) => Type.Array(Type.String({ maxLength: 2_000 }), { maxItems, description })

export const ReviewComment = Closed({
  id: Type.String(),
  path: Type.String({ description: 'relative to the workspace, at the time of the comment' }),
  side: OneOf(sides, 'the side of the diff that the line numbers refer to'),
  line: Line('the first line, counted from 1'),
  end_line: Line('the last line'),
  text: Type.String({ description: 'the message as typed; credentials are masked for tokens with the scope `read`' }),
  state: OneOf(
    states,
    'draft: not sent yet. sent: the agent has it, or it is queued. changed: the turn changed those lines. answered: the turn replied ' +
    'without changing them. open: neither. resolved: a person resolved it'
  ),
  quote: Type.Array(Type.String(), { description: 'the lines that the comment is about' }),
  place: Nullable(Closed({
    path: Type.String(),
    line: Line('the present first line'),
    end_line: Type.Integer({ minimum: 0, description: 'the present last line; less than `line`: the lines were deleted from this place' }),
    found: OneOf(['here', 'moved', 'changed', 'deleted'], 'what happened to the lines since the comment')
  }), 'where its lines are now; null: not found, or the file was deleted'),
  turn_id: Nullable(Type.String(), 'the turn that it was sent to'),
  changed_in: Nullable(Type.String(), 'the file that this turn changed in that place'),
  answer: Nullable(Type.String(), 'the reply of the agent'),
  version: Type.Integer({ description: 'version of the message; increases with every change' }),
  created_at: Seconds()
}, { title: 'ReviewComment' })

const reviewFields = {
  session_id: Type.String(),
  comments: Type.Array(ReviewComment, { description: 'in the order in which they were written' }),
  seen: Type.Array(Type.String(), { description: 'paths of files that were marked as seen and have not changed since' }),
  version: Type.Integer({ description: 'increases with every change' })
}
export const Review = Closed(reviewFields, { title: 'Review', description: 'Comments on the changes of a session' })

const ReviewInput = Type.Object({
  id: Maybe(Type.String({ pattern: '^[\\w-]{1,64}$', description: 'id of the comment to change; for a new one, an id of your own. Absent: a new comment' })),
  path: Maybe(Type.String({ minLength: 1, maxLength: 1_024, description: 'new comment: relative to the workspace' })),
  side: Maybe(OneOf(sides, 'new comment; default: new')),
  line: Maybe(Line('new comment: the first line')),
  end_line: Maybe(Line('new comment: the last line; default: the first')),
  quote: Maybe(Lines(200, 'new comment: the lines as the diff shows them; absent: those of the file')),
  before: Maybe(Lines(10, 'new comment: unchanged lines directly above')),
  after: Maybe(Lines(10, 'new comment: unchanged lines directly below')),
  text: Maybe(Type.String({ maxLength: 10_000, description: 'not blank; changing it makes the comment a draft again' })),
  state: Maybe(OneOf(['draft', 'open', 'resolved'], 'draft: it can be sent again; open: reopened; resolved: settled')),
  version: Maybe(Type.Integer({ description: 'version of the comment to change; absent: any version' }))
})

export const ReviewsBody = Type.Object({
  session_id: Id('session'),
  comments: Maybe(Type.Array(ReviewInput, { maxItems: 200, description: 'comments to add or change; all others stay' })),
  remove: Maybe(Type.Array(Type.Object({ id: Type.String({ maxLength: 64 }), version: Maybe(Type.Integer()) }), { maxItems: 200 })),
  seen: Maybe(Type.Array(Type.Object({ path: Type.String({ minLength: 1, maxLength: 1_024 }), seen: Type.Boolean() }), {
    maxItems: 100, description: 'files to mark as seen or not seen; a mark is removed when the file changes'
  })),
  client_id: ClientId()
})

export const SendReviewBody = Type.Object({
  session_id: Id('session'),
  ids: Maybe(Type.Array(Type.String({ maxLength: 64 }), { minItems: 1, maxItems: 200, description: 'absent: every draft' })),
  note: Maybe(Type.String({ maxLength: 20_000, description: 'text above the comments' })),
  model: Type.Optional(Type.String({ description: 'this and the next three fields are as in POST /api/chat/start' })),
  model_provider: Type.Optional(Type.String()),
  explicit_model_pick: Type.Optional(Type.Boolean()),
  if_busy: Type.Optional(OneOf(['queue'])),
  client_id: ClientId()
})

/** Frames on the stream of a session. */
export const reviewFrames = {
  reviews_changed: Closed({
    session_id: Type.String(), drafts: Type.Integer({ minimum: 0 }), total: Type.Integer({ minimum: 0 }),
    version: Type.Integer({ description: 'version of the review; increases with every change' })
  }, { title: 'ReviewsChanged', description: 'the review of the session has changed: read GET /api/session/reviews' })
}
