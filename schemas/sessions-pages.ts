import { Type } from '@sinclair/typebox'
import { Closed, Nullable } from './common.js'
import { SessionRow } from './sessions.js'

/** A row of a list, with only what a client needs to show it. */
export const PageRow = Closed({
  ...Type.Pick(SessionRow, [
    'session_id', 'title', 'workspace', 'host', 'model', 'model_provider', 'profile', 'project_id', 'message_count', 'created_at',
    'updated_at', 'last_message_at',
    'pinned', 'archived', 'session_source', 'source_tag', 'is_cli_session', 'read_only', 'is_streaming', 'active_stream_id', 'attention',
    'worktree_branch',
    'parent_session_id', 'relationship_type', 'queued_count', 'resumes_at', 'mode'
  ]).properties,
  preview: Nullable(
    Type.String(),
    'the beginning of what a person or the assistant said last: one line, without marks; null when nothing was said, or it is another front end\'s'
  )
}, { title: 'PageRow', description: 'A session, as pages of the list show it' })

export const SessionPage = Closed({
  sessions: Type.Array(PageRow, { description: 'latest first' }),
  pinned: Type.Array(PageRow, { description: 'on the first page: pinned sessions of later pages' }),
  next_cursor: Nullable(Type.String(), '`before` of the next page; null on the last page'),
  version: Type.Integer({
    description: 'of the list, as frames of GET /api/events have it: of two states of a row the one with the higher version is the later one'
  })
}, { title: 'SessionPage', description: 'One page of the list, when a limit is named' })
