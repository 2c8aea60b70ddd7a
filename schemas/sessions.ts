import { Type } from '@sinclair/typebox'
import { Flag, Id, Nullable, Seconds } from './common.js'

const Count = () => Type.Integer({ minimum: 0 })

export const Attention = Type.Object({
  kind: Type.Union([Type.Literal('approval'), Type.Literal('clarify')]),
  count: Count(),
  severity: Type.Union([Type.Literal('critical'), Type.Literal('question')])
})

const row = {
  session_id: Type.String(),
  title: Type.String(),
  display_title: Type.String(),
  workspace: Type.String(),
  model: Nullable(Type.String()),
  model_provider: Nullable(Type.String()),
  message_count: Count(),
  user_message_count: Count(),
  created_at: Seconds(),
  updated_at: Seconds(),
  last_message_at: Nullable(Seconds()),
  pinned: Type.Boolean(),
  archived: Type.Boolean(),
  project_id: Nullable(Type.String()),
  profile: Type.String(),
  personality: Nullable(Type.String()),
  input_tokens: Count(),
  output_tokens: Count(),
  cache_read_tokens: Count(),
  cache_write_tokens: Count(),
  cache_hit_percent: Nullable(Type.Integer()),
  estimated_cost: Nullable(Type.Number(), 'US dollars; null when no price is known'),
  context_length: Nullable(Type.Integer(), 'tokens'),
  window_usage_percent: Nullable(Type.Integer()),
  session_source: Type.String(),
  source_tag: Type.String(),
  raw_source: Type.String(),
  is_cli_session: Type.Boolean(),
  is_messaging_session: Type.Boolean(),
  is_streaming: Type.Boolean(),
  active_stream_id: Nullable(Type.String()),
  has_pending_user_message: Type.Boolean(),
  pending_started_at: Nullable(Seconds()),
  default_hidden: Type.Boolean(),
  worktree_path: Nullable(Type.String()),
  worktree_branch: Nullable(Type.String()),
  parent_session_id: Nullable(Type.String()),
  relationship_type: Nullable(Type.String()),
  read_only: Type.Boolean(),
  is_read_only: Type.Boolean(),
  attention: Nullable(Attention)
}

export const SessionRow = Type.Object(row, { description: 'A session as lists show it' })

export const Message = Type.Object({
  role: Type.Union([Type.Literal('user'), Type.Literal('assistant'), Type.Literal('tool'), Type.Literal('system')]),
  content: Type.Union([Type.String(), Type.Array(Type.Object({}, { additionalProperties: true }))]),
  message_id: Type.String(),
  timestamp: Seconds(),
  _ts: Seconds()
}, { additionalProperties: true, description: 'A transcript row in chat-completions form; more keys by role (tool_calls, tool_call_id, name, reasoning, attachments, _error, _partial, …)' })

export const ToolCard = Type.Object({
  name: Type.String(),
  snippet: Type.String(),
  tid: Type.String(),
  assistant_msg_idx: Type.Integer({ description: 'index of the calling row in the whole transcript; -1 when unknown' }),
  args: Type.Record(Type.String(), Type.String())
}, { additionalProperties: true })

export const SessionDetail = Type.Object({
  ...row,
  messages: Type.Array(Message),
  tool_calls: Type.Array(ToolCard),
  pending_user_message: Nullable(Type.String()),
  pending_attachments: Type.Array(Type.Object({}, { additionalProperties: true })),
  threshold_tokens: Nullable(Type.Integer()),
  last_prompt_tokens: Nullable(Type.Integer()),
  compression_anchor_visible_idx: Nullable(Type.Integer()),
  compression_anchor_message_key: Nullable(Type.Object({}, { additionalProperties: true })),
  compression_anchor_summary: Nullable(Type.String()),
  todo_state: Nullable(Type.Object({}, { additionalProperties: true })),
  runtime_journal: Nullable(Type.Object({}, { additionalProperties: true })),
  _messages_truncated: Type.Boolean(),
  _messages_offset: Type.Integer(),
  _msg_limit_max: Type.Integer()
}, { description: 'A session with its messages' })

export const SessionAnswer = Type.Object({ session: SessionDetail })
export const SessionRowAnswer = Type.Object({ session: SessionRow })

export const ListQuery = Type.Object({
  all_profiles: Flag('sessions of every profile'),
  include_archived: Flag('archived sessions as well'),
  exclude_hidden: Flag('leave out background sessions')
})
export const SessionList = Type.Object({
  sessions: Type.Array(SessionRow),
  sidebar_reference_sessions: Type.Array(SessionRow),
  cli_count: Count(),
  archived_count: Count(),
  active_profile: Type.String(),
  all_profiles: Type.Boolean(),
  include_archived: Type.Boolean(),
  server_time: Seconds(),
  server_tz: Type.String()
})

export const DetailQuery = Type.Object({
  session_id: Id('session'),
  messages: Type.Optional(Type.String({ description: '0 leaves the messages out' })),
  msg_limit: Type.Optional(Type.String({ description: 'the last N rows other than tool rows, 1 to 500' })),
  msg_before: Type.Optional(Type.String({ description: 'only rows before this index of the whole transcript' })),
  resolve_model: Type.Optional(Type.String()),
  expand_renderable: Type.Optional(Type.String({ description: 'without effect' }))
})

export const NewSessionBody = Type.Object({
  workspace: Type.Optional(Type.String({ minLength: 1, description: 'absolute path of an existing folder' })),
  model: Type.Optional(Type.String()),
  model_provider: Type.Optional(Type.String()),
  profile: Type.Optional(Type.String()),
  project_id: Type.Optional(Type.String()),
  worktree: Type.Optional(Type.Boolean({ description: 'a git worktree of its own; not available yet' }))
})
export const RenameBody = Type.Object({ session_id: Id('session'), title: Type.String({ maxLength: 10_000 }) })

export const SessionStatus = Type.Object({
  session_id: Type.String(),
  title: Type.String(),
  model: Nullable(Type.String()),
  profile: Type.String(),
  workspace: Type.String(),
  personality: Nullable(Type.String()),
  message_count: Count(),
  agent_running: Type.Boolean(),
  is_streaming: Type.Boolean(),
  active_stream_id: Nullable(Type.String()),
  pending_user_message: Nullable(Type.String()),
  input_tokens: Count(),
  output_tokens: Count(),
  total_tokens: Count(),
  estimated_cost: Nullable(Type.Number()),
  created_at: Seconds(),
  updated_at: Seconds()
})
