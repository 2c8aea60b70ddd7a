import { Type } from '@sinclair/typebox'
import { ClientId, Closed, Id, Seconds } from './common.js'

const text = (description: string) => Type.String({ maxLength: 4_000_000, description })

export const BtwBody = Type.Object({ session_id: Id('session'), question: text('the question'), client_id: ClientId() })
export const BtwAnswer = Closed({
  stream_id: Type.String(),
  session_id: Type.String({ description: 'a hidden session, deleted after the answer' }),
  parent_session_id: Type.String()
}, { title: 'BtwAnswer' })

export const BackgroundBody = Type.Object({ session_id: Id('session'), prompt: text('the task'), client_id: ClientId() })
export const BackgroundAnswer = Closed({
  task_id: Type.String({ description: '8 hex digits' }),
  stream_id: Type.String(),
  session_id: Type.String({ description: 'a hidden session' }),
  parent_session_id: Type.String()
}, { title: 'BackgroundAnswer' })
export const BackgroundResults = Closed({
  results: Type.Array(Closed({
    task_id: Type.String(),
    prompt: Type.String(),
    answer: Type.String(),
    completed_at: Seconds()
  }), { description: 'new results; each is returned once' })
}, { title: 'BackgroundResults' })
