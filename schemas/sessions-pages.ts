import { Type } from '@sinclair/typebox'
import { Closed, Nullable } from './common.js'
import { SessionRow } from './sessions.js'

/** The fields of a session that are needed to show its row in a list. */
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
    'the beginning of the last message of a person or the assistant, as one line of plain text; null: no messages, or a ' +
    'session of another front end'
  )
}, { title: 'PageRow', description: 'A session as a row in pages of the list' })

export const SessionPage = Closed({
  sessions: Type.Array(PageRow, { description: 'newest first' }),
  pinned: Type.Array(PageRow, { description: 'on the first page: pinned sessions of later pages' }),
  next_cursor: Nullable(Type.String(), '`before` of the next page; null on the last page'),
  version: Type.Integer({
    description: 'version of the list, as in frames of GET /api/events; of two states of a row, the one with the ' +
      'higher version is the later'
  })
}, { title: 'SessionPage', description: 'One page of the list, for requests with `limit`' })
