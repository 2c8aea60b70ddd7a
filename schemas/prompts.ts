import { Type } from '@sinclair/typebox'
import { Id, Nullable, Seconds } from './common.js'

export const PendingApproval = Type.Object({
  approval_id: Type.String(),
  session_id: Type.String(),
  command: Type.String(),
  description: Type.String(),
  pattern_key: Type.String(),
  pattern_keys: Type.Array(Type.String()),
  max_scope: Type.String({ description: 'the widest choice that can be kept: once, session or always' }),
  content: Type.Optional(Type.String({ description: 'what a file would get, at most 12,000 characters of it, credentials masked; only where a file is written as a whole' })),
  content_truncated: Type.Optional(Type.Boolean()),
  requested_at: Seconds(),
  timeout_seconds: Type.Number({ description: '0 = no limit' }),
  expires_at: Seconds('epoch seconds; 0 = never')
})
export const PendingClarification = Type.Object({
  clarify_id: Type.String(),
  session_id: Type.String(),
  question: Type.String(),
  choices_offered: Type.Array(Type.String()),
  kind: Type.String(),
  requested_at: Seconds(),
  timeout_seconds: Type.Number({ description: '0 = no limit' }),
  expires_at: Seconds('epoch seconds; 0 = never')
})
export const ApprovalPending = Type.Object({ pending: Nullable(PendingApproval), pending_count: Type.Integer() })
export const ClarifyPending = Type.Object({ pending: Nullable(PendingClarification), pending_count: Type.Integer() })

const InSession = Type.Object({ session_title: Type.String(), profile: Type.String() })
export const OpenPrompts = Type.Object({
  prompts: Type.Array(Type.Union([
    Type.Composite([Type.Object({ type: Type.Literal('approval') }), InSession, PendingApproval]),
    Type.Composite([Type.Object({ type: Type.Literal('clarify') }), InSession, PendingClarification])
  ]), { description: 'oldest first' }),
  approval_count: Type.Integer(),
  clarify_count: Type.Integer()
})

export const ApprovalChoice = Type.Union([Type.Literal('once'), Type.Literal('session'), Type.Literal('always'), Type.Literal('deny')])
export const ApprovalRespond = Type.Object({
  session_id: Id('session'),
  choice: Type.String({ enum: ['once', 'session', 'always', 'deny'], description: 'once, session, always or deny' }),
  approval_id: Type.Optional(Type.String())
})
export const ApprovalAnswer = Type.Object({
  ok: Type.Boolean(),
  choice: Type.String(),
  stale_cleared: Type.Optional(Type.Boolean()),
  relayed: Type.Optional(Type.Boolean())
})

const Answer = Type.Optional(Type.String({ description: 'at most 64 KiB' }))
export const ClarifyRespond = Type.Object({
  session_id: Id('session'),
  response: Answer,
  answer: Answer,
  choice: Answer,
  clarify_id: Type.Optional(Type.String())
})
export const ClarifyAnswer = Type.Object({ ok: Type.Boolean(), response: Type.String() })

export const Yolo = Type.Object({ yolo_enabled: Type.Boolean() })
export const SetYolo = Type.Object({ session_id: Id('session'), enabled: Type.Optional(Type.Boolean({ default: true })) })
export const YoloSet = Type.Object({ ok: Type.Boolean(), yolo_enabled: Type.Boolean() })
