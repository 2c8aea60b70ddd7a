import { Type } from '@sinclair/typebox'
import { Anything, AttachmentInput, ClientId, Closed, Id, Nullable, OneOf, Seconds } from './common.js'
import { ErrorAbout, TodoState } from './sessions-messages.js'
import { EffortWish } from './models.js'
import { Mode } from './plans.js'
import { foresight } from './prompts.js'
import { WireReason } from './reasons.js'
import { SessionDetail, SessionWithoutMessages, StreamJournal } from './sessions.js'

export const StartBody = Type.Object({
  session_id: Id('session'),
  message: Type.String({ maxLength: 4_000_000, description: 'not blank' }),
  workspace: Type.Optional(Type.String({ minLength: 1 })),
  model: Type.Optional(Type.String()),
  model_provider: Type.Optional(Type.String()),
  profile: Type.Optional(Type.String({ description: 'the profile of the session; empty: the active profile' })),
  explicit_model_pick: Type.Optional(Type.Boolean({ description: 'keep this model for the session' })),
  effort: Type.Optional(EffortWish('reasoning effort of this turn; empty: the default of the model; absent: that of the profile')),
  personality: Type.Optional(Type.String({
    maxLength: 200, description: 'personality of this turn; empty or none: no personality; absent: that of the session'
  })),
  mode: Type.Optional(Mode('mode of the session from now on; absent: unchanged. Leaving `plan` needs the scope `approve`')),
  attachments: Type.Optional(Type.Array(AttachmentInput, { description: 'only the first 20 are used' })),
  if_busy: Type.Optional(OneOf(
    ['queue'], 'queue: a message that would be refused because a turn is running or others wait is queued instead'
  )),
  client_id: ClientId()
})

export const Queued = Closed({
  queued: Type.Literal(true),
  queue_id: Type.String({ description: 'its id in GET /api/session/queue' }),
  position: Type.Integer({ minimum: 1, description: 'position in the queue; 1: next' })
}, { title: 'Queued' })
export const Started = Closed({
  stream_id: Type.String({ description: '32 hex digits' }),
  session_id: Type.String(),
  pending_started_at: Seconds(),
  turn_id: Type.String(),
  title: Type.String(),
  effective_model: Nullable(Type.String()),
  effective_model_provider: Nullable(Type.String())
}, { title: 'Started' })
export const Suppressed = Closed({
  status: Type.Literal('suppressed'), reason: Type.Literal('silent_control_message')
}, { title: 'Suppressed' })

export const StreamQuery = Type.Object({
  stream_id: Id('stream'),
  replay: Type.Optional(Type.String({ description: '1 replays from the cursor, or from the start without one' })),
  after_seq: Type.Optional(Type.String({ description: 'last sequence number seen' })),
  after_event_id: Type.Optional(Type.String({ description: 'last event id seen; wins over after_seq, which wins over Last-Event-ID' }))
})
export const StreamRef = Type.Object({ stream_id: Id('stream') })

export const StreamStatus = Closed({
  active: Type.Boolean(),
  stream_id: Type.String(),
  replay_available: Type.Boolean(),
  journal: StreamJournal
}, { title: 'StreamStatus' })

export const ResumeBody = Type.Object({
  stream_id: Id('stream'),
  now: Type.Optional(Type.Boolean({ description: 'true (default): continue at once; false: at its time, or a while later if it has none', default: true })),
  model: Type.Optional(Type.String({
    minLength: 1, maxLength: 500, description: 'continue with this model instead of the one that it waits for'
  })),
  model_provider: Type.Optional(Type.String({ minLength: 1, maxLength: 500 }))
})
export const ResumeAnswer = Closed({
  ok: Type.Boolean(),
  resumed: Type.Boolean({ description: 'false: it continues later, or was no longer parked' }),
  stream_id: Type.String(),
  resumes_at: Nullable(Seconds(), 'epoch seconds: when it continues automatically; null: not automatically')
}, { title: 'ResumeAnswer' })

export const CancelAnswer = Closed({ ok: Type.Boolean(), cancelled: Type.Boolean(), stream_id: Type.String() }, { title: 'CancelAnswer' })
export const SteerBody = Type.Object({ session_id: Id('session'), text: Type.String({ minLength: 1, maxLength: 1_000_000 }) })
export const SteerAnswer = Closed({
  accepted: Type.Boolean(),
  fallback: Nullable(Type.String({
    description: 'why the text was not accepted: no_cached_agent, agent_lacks_steer, ' +
      'not_running, stream_dead or steer_error; null: it was'
  })),
  stream_id: Nullable(Type.String())
}, { title: 'SteerAnswer' })

const seconds = (description: string) => Type.Number({ description })
const call = {
  name: Type.String(),
  preview: Type.String(),
  args: Anything('arguments by name; open, because each tool defines its own'),
  id: Type.String(),
  tool_call_id: Type.String({ description: 'the same as id' }),
  tid: Type.String({ description: 'the same as id' })
}
const wholeSession = { session: Type.Union([SessionDetail, SessionWithoutMessages]), session_id: Type.String() }

export const TurnUsage = Closed({
  input_tokens: Type.Integer({ description: 'tokens of the whole session, as in the next four fields' }),
  output_tokens: Type.Integer(),
  estimated_cost: Nullable(Type.Number(), 'US dollars; null: no price is known'),
  cache_read_tokens: Type.Integer(),
  cache_write_tokens: Type.Integer(),
  cache_hit_percent: Nullable(Type.Integer()),
  turn_cache_hit_percent: Nullable(Type.Integer()),
  duration_seconds: seconds('how long the turn took'),
  tps: Nullable(Type.Number(), 'tokens per second of the turn'),
  ttft_ms: Nullable(Type.Integer(), 'milliseconds until the first token'),
  used_model: Nullable(Type.String(), 'the model that answered'),
  used_provider: Nullable(Type.String()),
  context_length: Nullable(Type.Integer()),
  threshold_tokens: Nullable(Type.Integer()),
  last_prompt_tokens: Nullable(Type.Integer(), 'tokens in the context now'),
  post_compression_context_tokens_estimate: Nullable(Type.Integer()),
  usage_source: Type.Optional(
    OneOf(
      ['agent', 'none'], 'an external agent answered. agent: the figures of this turn are those that it reported; none: it reported none'
    )
  )
}, { title: 'TurnUsage' })

const cutShort = {
  finish_reason: Type.Optional(OneOf([
    'length', 'content_filter', 'budget_exhausted'
  ], 'why the answer was cut short: its length limit, a content filter of the provider, or a used-up budget; the message has it too')),
  hint: Type.Optional(Type.String({ description: 'what to do about finish_reason' }))
}

export const Done = Closed({
  ...wholeSession,
  message_id: Nullable(Type.String(), 'id of the message with the answer'),
  usage: TurnUsage,
  terminal_state: Type.Optional(OneOf(['tool_limit_reached', 'budget_exhausted', 'client_calls'])),
  terminal_reason: Type.Optional(OneOf(['max_iterations', 'budget', 'client_calls'])),
  ...cutShort
}, { title: 'Done' })
/** `usage` is separate, because clients show it in the gauge of their conversation, to which this answer does not belong. */
export const DoneOnTheSide = Closed({
  ...wholeSession,
  message_id: Nullable(Type.String()),
  ephemeral: Type.Literal(true),
  answer: Type.String(),
  usage: Closed({ input_tokens: Type.Integer(), output_tokens: Type.Integer() }),
  ...cutShort
}, { title: 'DoneOnTheSide' })
export const Cancelled = Closed({
  ...wholeSession, type: Type.Literal('cancelled'), status: Type.Literal('cancelled'), message: Type.String()
}, { title: 'Cancelled' })
export const Failed = Closed({
  session: Type.Union([SessionDetail, SessionWithoutMessages, Type.Null()]),
  session_id: Type.String(),
  error: Type.String(),
  message: Type.String({ description: 'the same as error' }),
  type: Type.String({ description: 'rate_limit, quota_exhausted, auth_mismatch, model_not_found, mode_not_allowed, no_response, answer_too_large, compression_exhausted, format_missed, unsupported, interrupted, cancelled or error' }),
  hint: Type.Optional(Type.String()),
  about: Type.Optional(ErrorAbout),
  retry_after: Type.Optional(Type.Integer({
    description: 'rate_limit, quota_exhausted: seconds until the provider accepts requests again, if it told'
  })),
  recovery_control: Type.Optional(Type.Literal(true)),
  stream_id: Type.Optional(Type.String()),
  terminal_state: Type.String()
}, { title: 'Failed' })
const StreamEnd = Closed({ session_id: Type.String() }, { title: 'StreamEnd' })
/** Replaces a last frame that is too large to be read again, so that its stream still ends. */
const LostFrame = Closed({
  message: Type.String(), error: Type.String(), session: Type.Null(), usage: Type.Null()
}, { title: 'LostFrame', description: 'stands for a frame that is too large to be sent again: load the session' })

/** The frames of a turn. */
export const chatFrames = {
  token: Closed({ text: Type.String() }, { title: 'Token', description: 'text to append to the answer' }),
  reasoning: Closed({ text: Type.String() }, { title: 'Reasoning', description: 'text to append to the reasoning' }),
  interim_assistant: Closed({ text: Type.String(), already_streamed: Type.Boolean() }, {
    title: 'InterimAssistant',
    description: 'true: the text repeats what was streamed before a tool call. false: what was streamed since the last tool call is ' +
      'void, because a retry answers differently; this text replaces it'
  }),
  tool: Closed({
    event_type: Type.Literal('tool.started'), ...call, ...foresight,
    client: Type.Optional(Type.String({
      description: 'name of a tool that the client runs: the turn ends, and the result of the call starts the next one'
    }))
  }, { title: 'ToolStarted', description: 'a tool call begins, or waits for approval' }),
  tool_output: Closed({
    id: call.id, tool_call_id: call.tool_call_id, tid: call.tid,
    text: Type.String({ description: 'output as the program printed it, including terminal control characters; credentials are masked' }),
    left_out_bytes: Type.Integer({
      minimum: 0, description: 'how many bytes were left out between the beginning of the output and this text'
    })
  }, {
    title: 'ToolOutput',
    description: 'output of a running tool call: append the text. If left_out_bytes is higher than in the frame before (initially 0), ' +
      'the text replaces everything that arrived since left_out_bytes was 0'
  }),
  tool_complete: Closed({
    event_type: Type.Literal('tool.completed'), ...call, is_error: Type.Boolean(), duration: seconds('seconds'), command: Type.String()
  }, { title: 'ToolCompleted', description: 'a tool call ended; preview is the beginning of its result' }),
  todo_state: TodoState,
  metering: Closed({
    tps: Nullable(Type.Number()),
    tps_available: Type.Boolean(),
    estimated: Type.Boolean(),
    high: Type.Null(),
    low: Type.Null(),
    active: Type.Integer(),
    ttft_ms: Nullable(Type.Integer()),
    session_id: Type.String()
  }, { title: 'Metering', description: 'speed of the answer, at most once a second' }),
  compressing: Closed({
    session_id: Type.String(), message: Type.String()
  }, { title: 'Compressing', description: 'the earlier part of the conversation is being summarised for the model' }),
  compressed: Closed({
    session_id: Type.String(),
    old_session_id: Type.String(),
    new_session_id: Type.String(),
    continuation_session_id: Type.String(),
    message: Type.String(),
    usage: Closed({ context_tokens_before: Type.Integer(), post_compression_context_tokens_estimate: Type.Integer() })
  }, { title: 'Compressed', description: 'the earlier part has been summarised; the four ids are the same' }),
  checkpoint: Closed({
    session_id: Type.String(), id: Type.String(), state: Type.String(), reason: Nullable(Type.String())
  }, { title: 'CheckpointTaken', description: 'a checkpoint of the workspace was made, before the turn first writes to it' }),
  state_saved: Closed({
    session_id: Type.String(),
    kind: OneOf(['memory', 'skill']),
    action: OneOf(['added', 'replaced', 'removed', 'created', 'updated'], 'what was done; created and updated: of a skill'),
    name: Type.String({ description: 'name of the memory document (memory, user) or of the skill' })
  }, { title: 'StateSaved', description: 'the agent has changed a memory document or a skill' }),
  warning: Closed({
    type: Type.String({ description: 'retry, fallback, cut_short, budget, vision, web_extract, checkpoint_skipped, frame_too_large, …' }),
    message: Type.String(),
    reason: Type.Optional(WireReason)
  }, { title: 'Warning', description: 'a notice for the person; the turn continues' }),
  parked: Closed({
    session_id: Type.String(),
    stream_id: Type.String(),
    resumes_at: Nullable(Seconds(), 'epoch seconds: when it continues automatically; null: a person is asked'),
    provider: Type.String(),
    provider_name: Type.String({ description: 'display name of the provider' }),
    model: Type.String(),
    problem: Type.Optional(Type.String({
      description: 'why it could not continue at that time, such as a missing key; absent: the limit is the reason'
    }))
  }, { title: 'TurnParked', description: 'the provider has reached its limit; the turn stays open until `resumed` or its last frame' }),
  resumed: Closed({
    session_id: Type.String(), stream_id: Type.String()
  }, { title: 'TurnResumed', description: 'a parked turn continues where it stopped' }),
  title: Closed({
    session_id: Type.String(), title: Type.String()
  }, { title: 'TitleFound', description: 'the session got a title; may follow `done`' }),
  pending_steer_leftover: Closed({
    session_id: Type.String(), text: Type.String()
  }, { title: 'SteerLeftover', description: 'steering text that the turn did not use' }),
  done: Type.Union([Done, DoneOnTheSide, LostFrame], {
    description: 'the answer is final; `session` has its messages, unless they are too many'
  }),
  stream_end: Type.Union([StreamEnd, LostFrame], { description: 'last frame of a turn that succeeded, after done' }),
  cancel: Type.Union([Cancelled, LostFrame], { description: 'last frame of a turn that was cancelled' }),
  apperror: Type.Union([Failed, LostFrame], { description: 'last frame of a turn that failed; error and message are the same text' })
}
