import { Type } from '@sinclair/typebox'
import { ClientId, Closed, Id, Nullable, OneOf, Seconds } from './common.js'

const modes = ['default', 'plan'] as const
export const Mode = (description: string) => OneOf(modes, description)

const Version = (description: string) => Type.Integer({ minimum: 0, description })
const Author = () => OneOf(['agent', 'person'])
const StartedAt = () => Nullable(Seconds(), 'when this version became the goal; null: it was not started')

export const Plan = Closed({
  session_id: Type.String(),
  mode: Mode('plan: turns read and ask, and change nothing'),
  plan: Nullable(Closed({
    version: Version('another one after every change'),
    text: Type.String({ description: 'Markdown; to a token of the scope `read` with credentials masked' }),
    title: Type.String({ description: 'its first heading' }),
    steps: Type.Array(Closed({ content: Type.String(), status: OneOf(['pending', 'completed']) }), {
      description: 'its task list (`- [ ] …`), or else its longest numbered list; at most 100'
    }),
    author: Author(),
    created_at: Seconds(),
    started_at: StartedAt()
  }), 'null: there is none'),
  versions: Type.Array(Closed({ version: Version('from 1'), author: Author(), created_at: Seconds(), started_at: StartedAt() }), {
    description: 'those that are kept, the newest first'
  })
}, { title: 'Plan', description: 'The plan of a session' })

export const PlanQuery = Type.Object({
  session_id: Id('session'),
  version: Type.Optional(Type.String({ pattern: '^[1-9]\\d{0,8}$', description: 'an earlier version; absent: the plan' }))
})

export const PlanBody = Type.Object({
  session_id: Id('session'),
  text: Type.String({ maxLength: 40_000, description: 'Markdown, not blank' }),
  version: Version('of the plan that this takes the place of; 0: there is none yet'),
  client_id: ClientId()
})

export const GoBody = Type.Object({
  session_id: Id('session'),
  version: Version('of the plan that is meant'),
  model: Type.Optional(Type.String()),
  model_provider: Type.Optional(Type.String()),
  client_id: ClientId()
})

/** Sent on the stream of a session. */
export const planFrames = {
  plan_changed: Closed({
    session_id: Type.String(), version: Version('of the plan'), author: Author(), started_at: StartedAt()
  }, { title: 'PlanChanged', description: 'the plan of the session was written, edited or started: read GET /api/session/plan' })
}
