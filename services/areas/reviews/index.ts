export { createReviews, type CommentInput, type Reviews } from './reviews.js'
export { type SessionFile } from './places.js'
