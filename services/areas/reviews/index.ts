export { createReviews, type Reviews } from './reviews.js'
export { type SessionFile } from './comment-places.js'
export { type CommentInput } from './preparing.js'
