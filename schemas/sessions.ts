import { Type } from '@sinclair/typebox'
import { Closed, Count, Flag, MachineName, Id, Nullable, OneOf, Seconds } from './common.js'
import { Silent } from './home-parts.js'
import { Message, MessageAttachment, TodoState, ToolCard } from './sessions-messages.js'
import { viewCallFrames } from './mcp.js'
import { Held } from './queue.js'
import { Mode, planFrames } from './plans.js'
import { reviewFrames } from './reviews.js'

export const Attention = Closed({
  kind: OneOf(['approval', 'clarify']),
  count: Count(),
  severity: OneOf(['critical', 'question'])
}, { title: 'Attention' })

const row = {
  session_id: Type.String(),
  title: Type.String(),
  display_title: Type.String(),
  workspace: Type.String({ description: 'absolute path of a folder; on another machine `name:/path`' }),
  host: MachineName(),
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
  mode: Type.Optional(OneOf(['plan'], 'plan mode: turns read and ask, and change nothing; absent: normal mode')),
  temporary: Type.Optional(Type.Literal(true, {
    description: 'a temporary chat: in no list and no search, and deleted after a day without activity; absent: a normal session'
  })),
  input_tokens: Count(),
  output_tokens: Count(),
  cache_read_tokens: Count(),
  cache_write_tokens: Count(),
  cache_hit_percent: Nullable(Type.Integer()),
  estimated_cost: Nullable(Type.Number(), 'US dollars; null: no price is known'),
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
  worktree_repo_root: Nullable(Type.String()),
  worktree_created_at: Nullable(Seconds()),
  parent_session_id: Nullable(Type.String()),
  relationship_type: Nullable(Type.String()),
  read_only: Type.Boolean(),
  is_read_only: Type.Boolean(),
  attention: Nullable(Attention),
  queued_count: Type.Optional(Count('how many messages are queued; absent: none')),
  resumes_at: Type.Optional(Nullable(
    Seconds(), 'epoch seconds: when its parked turn, which waits for the limit of a provider, resumes automatically; null: a person is ' +
      'asked; absent: no turn is parked'
  ))
}

export const SessionRow = Closed(row, { title: 'SessionRow', description: 'A session as a row of a list' })

const DraftFiles = Type.Array(Type.Unknown({
  description: 'a file, returned as it was saved; open, because each client keeps files in its own form'
}), { maxItems: 100 })
const Draft = Closed({ text: Type.String(), files: DraftFiles }, { title: 'Draft' })

export const StreamJournal = Closed({
  session_id: Type.String(),
  run_id: Type.String(),
  last_seq: Type.Integer(),
  last_event_id: Type.String(),
  last_event: Nullable(Type.String()),
  terminal: Type.Boolean(),
  terminal_state: Type.String()
}, { title: 'StreamJournal', description: 'The state of the frames of a turn' })

export const MessageVersions = Closed({
  index: Type.Integer({ description: 'index of the message in the whole transcript' }),
  session_ids: Type.Array(Type.String(), { description: 'at least two, oldest version first; one of them is this session' })
}, { title: 'MessageVersions', description: 'The sessions that hold the versions of a message of a person, and of what answered it' })

const detail = {
  ...row,
  pending_user_message: Nullable(Type.String()),
  pending_attachments: Type.Array(MessageAttachment, { description: 'always empty, because messages are stored with their files' }),
  threshold_tokens: Nullable(Type.Integer()),
  last_prompt_tokens: Nullable(Type.Integer()),
  compression_anchor_visible_idx: Nullable(Type.Integer()),
  compression_anchor_message_key: Nullable(Closed({
    role: Type.String(), ts: Nullable(Seconds()), text: Type.String(), attachments: Count()
  })),
  compression_anchor_summary: Nullable(Type.String()),
  versions: Type.Optional(Type.Array(MessageVersions, { description: 'messages that were sent again or edited; absent: none' })),
  todo_state: Nullable(TodoState),
  composer_draft: Type.Optional(Nullable(Draft)),
  runtime_journal: Nullable(StreamJournal),
  _messages_truncated: Type.Boolean(),
  _messages_offset: Type.Integer(),
  _msg_limit_max: Type.Integer()
}
export const SessionDetail = Closed({
  ...detail, messages: Type.Array(Message), tool_calls: Type.Array(ToolCard)
}, { title: 'SessionDetail', description: 'A session with its messages' })
export const SessionWithoutMessages = Closed({
  ...detail, _messages_omitted: Type.Literal(true)
}, {
  title: 'SessionWithoutMessages',
  description: 'A session in a frame, without its messages because they exceed 2,000 or 1 MiB: read GET /api/session'
})

export const SessionAnswer = Closed({ session: SessionDetail }, { title: 'SessionAnswer' })
export const SessionRowAnswer = Closed({ session: SessionRow }, { title: 'SessionRowAnswer' })

export const ListQuery = Type.Object({
  all_profiles: Flag('include sessions of every profile'),
  include_archived: Flag('include archived sessions'),
  exclude_hidden: Flag('leave out background sessions'),
  archived_limit: Type.Optional(Type.String({ description: 'how many archived sessions to return, at most 2000' })),
  archived_offset: Type.Optional(Type.String({ description: 'how many archived sessions to skip, at most 200000' })),
  sidebar_source: Type.Optional(Type.String({ description: 'webui or cli: only sessions of this kind; any other value: both' })),
  limit: Type.Optional(Type.String({
    description: 'rows per page, 1 to 200; archived_limit and archived_offset are ignored with it'
  })),
  before: Type.Optional(Type.String({ description: 'with limit: `next_cursor` of the previous page' }))
})
export const SessionList = Closed({
  sessions: Type.Array(SessionRow),
  sidebar_reference_sessions: Type.Array(Closed({ _sidebar_reference_only: Type.Literal(true), ...row }, { title: 'ReferenceRow' }), {
    description: 'archived ancestors of the rows, for nesting only; not shown'
  }),
  cli_count: Count(),
  archived_count: Count(),
  active_profile: Type.String(),
  all_profiles: Type.Boolean(),
  include_archived: Type.Boolean(),
  archived_limit: Count(),
  archived_offset: Count(),
  webui_session_count: Count(),
  cli_session_count: Count(),
  archived_webui_count: Count(),
  archived_cli_count: Count(),
  other_profile_count: Count(),
  server_time: Seconds(),
  server_tz: Type.String()
}, { title: 'SessionList' })

export const DetailQuery = Type.Object({
  session_id: Id('session'),
  messages: Type.Optional(Type.String({ description: '0: without messages' })),
  msg_limit: Type.Optional(Type.String({ description: 'the last N rows other than tool rows, 1 to 500' })),
  msg_before: Type.Optional(Type.String({ description: 'only rows before this index of the whole transcript' })),
  resolve_model: Type.Optional(Type.String()),
  expand_renderable: Type.Optional(Type.String({ description: 'ignored' }))
})

export const OutlineEntry = Closed({
  index: Type.Integer({ description: 'index of the message in the whole transcript' }),
  kind: OneOf(['message', 'heading']),
  level: Type.Integer({ description: '0 for a message, 1 to 3 for a heading' }),
  text: Type.String({ description: 'one line of plain text, at most 120 characters; credentials masked' }),
  source: Nullable(Type.String(), '`_source` of the message'),
  timestamp: Nullable(Seconds())
}, { title: 'OutlineEntry' })
export const SessionOutline = Closed({
  session_id: Type.String(),
  message_count: Count(),
  entries: Type.Array(OutlineEntry),
  truncated: Type.Boolean({ description: 'entries before the first one are left out' })
}, { title: 'SessionOutline', description: 'The user messages of a session, and the headings of its answers' })

export const NewSessionBody = Type.Object({
  workspace: Type.Optional(Type.String({
    minLength: 1, description: 'absolute path of an existing folder; name:/path for another machine'
  })),
  model: Type.Optional(Type.String()),
  model_provider: Type.Optional(Type.String()),
  profile: Type.Optional(Type.String({ description: 'name of the profile; empty: the active one' })),
  project_id: Type.Optional(Type.String()),
  worktree: Type.Optional(Type.Boolean({ description: 'create a git worktree for the session; the workspace must be in a repository' })),
  temporary: Type.Optional(Type.Boolean({
    description: 'a temporary chat: it appears in no list and no search, and is deleted after a day without activity'
  }))
})
export const RenameBody = Type.Object({ session_id: Id('session'), title: Type.String({ maxLength: 10_000 }) })

export const SearchQuery = Type.Object({
  q: Type.Optional(Type.String({ maxLength: 1_000 })),
  content: Type.Optional(Type.String({ description: '0: titles only' })),
  depth: Type.Optional(Type.String({ description: 'how many of the last messages of each session to search; 0: all; default 5' })),
  all_profiles: Flag('include sessions of every profile')
})
export const SearchAnswer = Closed({
  sessions: Type.Array(Closed({
    match_type: Type.Optional(OneOf(['title', 'content'])),
    match_preview: Type.Optional(Type.String({ description: 'the text around the match, credentials masked' })),
    ...row
  }, { title: 'FoundSession' })),
  query: Type.String(),
  count: Count(),
  active_profile: Type.String()
}, { title: 'SearchAnswer' })

export const Title = Type.Optional(Type.String({ maxLength: 10_000 }))
const Index = (description: string) => Type.Integer({ minimum: 0, description })

export const PinBody = Type.Object({ session_id: Id('session'), pinned: Type.Optional(Type.Boolean({ default: true })) })
export const ArchiveBody = Type.Object({ session_id: Id('session'), archived: Type.Optional(Type.Boolean({ default: true })) })
export const MoveBody = Type.Object({
  session_id: Id('session'), project_id: Type.Optional(Type.String({ description: 'absent or null: no project' }))
})
export const ChangedSession = Closed({ ok: Type.Boolean(), session: SessionRow }, { title: 'ChangedSession' })

export const UpdateBody = Type.Object({
  session_id: Id('session'),
  workspace: Type.Optional(Type.String({ minLength: 1 })),
  model: Type.Optional(Type.String({ minLength: 1 })),
  model_provider: Type.Optional(Type.String()),
  mode: Type.Optional(Mode(
    'plan: turns read and ask, and change nothing, starting with the running turn; default: normal mode, from the next turn on'
  )),
  temporary: Type.Optional(Type.Literal(false, { description: 'keeps a temporary chat: it becomes a normal session' }))
})
export const TruncateBody = Type.Object({ session_id: Id('session'), keep_count: Index('how many messages of the whole transcript to keep') })
export const RetitledAnswer = Closed({ ok: Type.Literal(true), title: Type.String(), session: SessionRow }, { title: 'RetitledAnswer' })
export const OkSession = Closed({ ok: Type.Boolean(), session: SessionDetail }, { title: 'OkSession' })
export const NothingToDo = Closed({ error: Type.String() }, { title: 'NothingToDo', description: 'no turn was found to undo or retry, so nothing was changed' })
export const UndoAnswer = Closed({ ok: Type.Boolean(), removed_count: Count(), removed_preview: Type.String() }, { title: 'UndoAnswer' })
export const TypedQuery = Type.Object({
  session_id: Id('session'), index: Type.String({ pattern: '^\\d{1,9}$', description: 'position of the message in the whole transcript, counted from 0' })
})
export const TypedAnswer = Closed({ message_id: Type.String(), text: Type.String() }, { title: 'TypedAnswer' })

export const RetryAnswer = Closed({ ok: Type.Boolean(), last_user_text: Type.String(), removed_count: Count() }, { title: 'RetryAnswer' })

export const BranchBody = Type.Object({
  session_id: Id('session'), keep_count: Type.Optional(Index('how many messages the branch starts with; absent: all')), title: Title,
  version_index: Type.Optional(Index(
    'the message of a person that you are about to replace in the session: the branch keeps its present version, and `versions` of both ' +
      'sessions names both; ignored for sessions of other front ends'
  ))
})
export const BranchAnswer = Closed({
  session_id: Type.String(), title: Type.String(), parent_session_id: Type.String()
}, { title: 'BranchAnswer' })

export const AttachAnswer = Closed({
  session_id: Type.String(),
  attached: Type.Boolean({ description: 'the session is continued in place' }),
  agent: Nullable(Type.String(), 'the agent that continues it, or could; null: none is set up'),
  maker: Type.String({ description: 'display name of the program that the conversation belongs to' }),
  can_attach: Type.Boolean(),
  why: Nullable(Type.String(), 'why it cannot be continued in place, as a sentence; null: it can be, or already is')
}, { title: 'AttachAnswer' })

export const DraftBody = Type.Object({
  session_id: Id('session'), text: Type.Optional(Type.String({ maxLength: 4_000_000 })), files: Type.Optional(DraftFiles)
})
export const DraftAnswer = Closed({ ok: Type.Boolean(), draft: Draft }, { title: 'DraftAnswer' })
export const DeleteBody = Type.Object({
  session_id: Id('session'),
  temporary: Type.Optional(Type.Literal(true, { description: 'only if it is still a temporary chat' }))
})
export const DeleteAnswer = Closed({
  ok: Type.Boolean(),
  kept: Type.Optional(Type.Literal(true, { description: 'not deleted: it is no longer a temporary chat' })),
  worktree_retained: Type.Optional(Type.Boolean()),
  worktree_path: Type.Optional(Nullable(Type.String())),
  worktree_branch: Type.Optional(Nullable(Type.String())),
  worktree_repo_root: Type.Optional(Nullable(Type.String()))
}, { title: 'DeleteAnswer' })

export const SessionNews = Closed({
  session_id: Type.String(),
  stream_id: Nullable(Type.String()),
  active_stream_id: Nullable(Type.String()),
  pending_started_at: Nullable(Seconds()),
  message_count: Count(),
  updated_at: Nullable(Seconds())
}, { title: 'SessionNews', description: 'The state of a session when a stream opens' })

export const SessionStatus = Closed({
  session_id: Type.String(),
  title: Type.String(),
  model: Nullable(Type.String()),
  profile: Type.String(),
  workspace: Type.String(),
  host: MachineName(),
  personality: Nullable(Type.String()),
  message_count: Count(),
  agent_running: Type.Boolean(),
  is_streaming: Type.Boolean(),
  active_stream_id: Nullable(Type.String()),
  silent: Nullable(Silent, 'null: no turn runs, or it was active within the last ten minutes'),
  pending_user_message: Nullable(Type.String()),
  input_tokens: Count(),
  output_tokens: Count(),
  total_tokens: Count(),
  estimated_cost: Nullable(Type.Number()),
  created_at: Seconds(),
  updated_at: Seconds()
}, { title: 'SessionStatus' })

/** Frames on the stream of the list of sessions. */
export const sessionListFrames = {
  sessions_changed: Closed({
    type: Type.Literal('sessions_changed'),
    version: Type.Integer(),
    reason: Type.String({ description: 'initial, session_new, session_updated, session_rename, session_delete, settings, …' }),
    session_id: Type.Optional(Type.String({ description: 'absent: more than one session changed' }))
  }, { title: 'SessionsChanged', description: 'sent first, and whenever the list may have changed: load the list again' })
}
const changedSession = (title: string, description: string) =>
  Closed({ ...SessionNews.properties, reason: Type.String() }, { title, description })
/** Frames on the stream of one session. */
export const sessionFrames = {
  initial: SessionNews,
  'session-updated': changedSession('SessionUpdated', 'the session has changed'),
  server_turn_started: changedSession('ServerTurnStarted', 'a turn has begun'),
  queue_changed: Closed({
    session_id: Type.String(), queued_count: Count(), version: Type.Integer({
      description: 'version of the queue; increases with every change'
    }),
    held: Held
  }, { title: 'QueueChanged', description: 'the queue of the session has changed: read GET /api/session/queue' }),
  ...reviewFrames,
  ...planFrames,
  ...viewCallFrames,
  bg_task_complete: Closed({
    session_id: Type.String(), task_id: Type.String(), completed_at: Seconds()
  }, { title: 'BackgroundTaskComplete', description: 'a background task has finished: read GET /api/background/status' })
}
