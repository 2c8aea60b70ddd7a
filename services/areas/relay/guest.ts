import { type Operator } from '../auth/index.js'

/** All that a machine knows of a session of the service: what is told with each request. */
export interface Guest {
  sessionId: string
  profile: string
  /** A plain path of the machine. */
  workspace: string
  readOnly: boolean
  /** Conversations of the service work in this folder; else it may be one that they have worked in. */
  isKnown: boolean
  /** A turn is running in it. */
  isLive: boolean
  /** Tells whoever asks from others; says nothing else about them. */
  client: string
  /** The agent names the path that is asked for in the conversation. */
  isMentioned: boolean
  /** What a token may do that asks; absent: a person asks. */
  scope?: NonNullable<Operator['scope']>
  /** What a model of the service has said about changes, null when none did; absent where none was asked yet. */
  said?: string | null
}

/** Header of an answer that is a question to a model of the service. */
export const questionHeader = 'x-relay-question'

/** What is relayed where the workspace of a session is on another machine. A machine has these routes and no other. */
export const relayedRoutes: ReadonlySet<string> = new Set([
  '/api/list', '/api/file', '/api/file/search', '/api/file/raw', '/api/media', '/api/folder/download',
  '/api/file/create', '/api/file/save', '/api/file/rename', '/api/file/move', '/api/file/create-dir', '/api/file/path', '/api/file/delete',
  '/api/trash', '/api/trash/restore', '/api/trash/delete', '/api/trash/empty',
  '/api/file/extract', '/api/workspace/upload', '/api/upload/extract',
  '/api/git-info', '/api/git/status', '/api/git/branches', '/api/git/diff', '/api/git/log', '/api/git/show', '/api/git/stashes',
  '/api/git/stage', '/api/git/unstage', '/api/git/discard', '/api/git/commit', '/api/git/commit-selected',
  '/api/git/fetch', '/api/git/pull', '/api/git/push', '/api/git/checkout', '/api/git/stash-checkout',
  '/api/git/commit-message', '/api/git/commit-message-selected',
  '/api/rollback/list', '/api/rollback/diff', '/api/rollback/restore'
])
