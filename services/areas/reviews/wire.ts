import { type Static } from '@sinclair/typebox'
import { type ReviewComment } from '../../../schemas/reviews.js'
import { type Standing } from './comment-places.js'
import { type Comment } from './rows.js'

export function commentToWire (comment: Comment, standing: Standing): Static<typeof ReviewComment> {
  const { id, path, side, line, endLine, text, state, anchor, placePath, streamId, changedIn, answer, version, createdAt } = comment
  const { place } = standing
  return {
    id,
    path,
    side,
    line,
    end_line: endLine,
    text,
    state,
    quote: anchor.lines,
    place: place === null ? null : { path: placePath, line: place.line, end_line: place.endLine, found: foundOf(comment, standing) },
    turn_id: streamId,
    changed_in: changedIn,
    answer,
    version,
    created_at: createdAt
  }
}

type CommentStanding = NonNullable<Static<typeof ReviewComment>['place']>['found']

function foundOf ({ path, line, state, placePath, side }: Comment, { place, isChanged, isDeleted }: Standing): CommentStanding {
  if (isDeleted) return 'deleted'
  if (isChanged || state === 'changed') return 'changed'
  return placePath !== path || (side === 'new' && place?.line !== line) ? 'moved' : 'here'
}
