export { type FeedRequest } from './contract.js'
export { Feed } from './feed.js'
export { type FolderRef } from './folders.js'
