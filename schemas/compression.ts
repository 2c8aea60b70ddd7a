import { Type } from '@sinclair/typebox'
import { Closed, Id, Nullable, OneOf, Seconds } from './common.js'
import { SessionDetail } from './sessions.js'

export const CompressBody = Type.Object({ session_id: Id('session'), focus_topic: Type.Optional(Type.String({ maxLength: 1_000 })) })
const CompressionSummary = Closed({
  headline: Type.String(),
  token_line: Type.String({ description: 'tokens before → tokens after' }),
  note: Type.String(),
  reference_message: Type.String({ description: 'the summary' })
}, { title: 'CompressionSummary' })
export const CompressAnswer = Closed({
  ok: Type.Boolean(), session: SessionDetail, summary: CompressionSummary, focus_topic: Nullable(Type.String())
}, { title: 'CompressAnswer' })
export const CompressionStatus = Closed({
  ok: Type.Boolean(),
  status: OneOf(['idle', 'running', 'done', 'error']),
  session_id: Type.String(),
  focus_topic: Nullable(Type.String()),
  started_at: Nullable(Seconds()),
  updated_at: Nullable(Seconds()),
  summary: Nullable(CompressionSummary),
  error: Nullable(Type.String())
}, { title: 'CompressionStatus' })
