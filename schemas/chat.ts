import { Type } from '@sinclair/typebox'
import { Closed, Id, Maybe, Nullable, Seconds } from './common.js'
import { StreamJournal } from './sessions.js'

export const AttachmentInput = Type.Union([
  Type.String({ description: 'a bare file name' }),
  Type.Object({
    name: Maybe(Type.String()),
    filename: Maybe(Type.String()),
    path: Maybe(Type.String()),
    mime: Maybe(Type.String()),
    size: Maybe(Type.Integer()),
    is_image: Maybe(Type.Boolean())
  })
])

export const StartBody = Type.Object({
  session_id: Id('session'),
  message: Type.String({ maxLength: 4_000_000, description: 'not blank' }),
  workspace: Type.Optional(Type.String({ minLength: 1 })),
  model: Type.Optional(Type.String()),
  model_provider: Type.Optional(Type.String()),
  profile: Type.Optional(Type.String()),
  explicit_model_pick: Type.Optional(Type.Boolean({ description: 'keep this model for the session' })),
  attachments: Type.Optional(Type.Array(AttachmentInput, { description: 'the first 20 count' }))
})

export const Started = Closed({
  stream_id: Type.String({ description: '32 hex digits' }),
  session_id: Type.String(),
  pending_started_at: Seconds(),
  turn_id: Type.String(),
  title: Type.String(),
  effective_model: Nullable(Type.String()),
  effective_model_provider: Nullable(Type.String())
}, { title: 'Started' })
export const Suppressed = Closed({ status: Type.Literal('suppressed'), reason: Type.Literal('silent_control_message') }, { title: 'Suppressed' })

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

export const CancelAnswer = Closed({ ok: Type.Boolean(), cancelled: Type.Boolean(), stream_id: Type.String() }, { title: 'CancelAnswer' })
export const SteerBody = Type.Object({ session_id: Id('session'), text: Type.String({ minLength: 1, maxLength: 1_000_000 }) })
export const SteerAnswer = Closed({
  accepted: Type.Boolean(),
  fallback: Nullable(Type.String({ description: 'no_cached_agent, agent_lacks_steer, not_running, stream_dead or steer_error' })),
  stream_id: Nullable(Type.String())
}, { title: 'SteerAnswer' })
