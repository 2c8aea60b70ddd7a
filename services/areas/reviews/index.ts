export { createReviews, type CommentInput, type Reviews } from './reviews.js'
export { type ReadFile, type SessionFile } from './places.js'
