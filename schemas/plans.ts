import { Type } from '@sinclair/typebox'
import { ClientId, Closed, Id, Nullable, OneOf, Seconds } from './common.js'

const modes = ['default', 'plan'] as const
export const Mode = (description: string) => OneOf(modes, description)

const Version = (description: string) => Type.Integer({ minimum: 0, description })
const Author = () => OneOf(['agent', 'person'])
const StartedAt = () => Nullable(Seconds(), 'epoch seconds: when this version became the goal; null: not started')

export const Plan = Closed({
  session_id: Type.String(),
  mode: Mode('plan: turns read and ask, and change nothing; default: normal mode'),
  plan: Nullable(Closed({
    version: Version('increases with every change'),
    text: Type.String({ description: 'Markdown; credentials are masked for tokens with the scope `read`' }),
    title: Type.String({ description: 'its first heading' }),
    steps: Type.Array(Closed({ content: Type.String(), status: OneOf(['pending', 'completed']) }), {
      description: 'entries of its task list (`- [ ] …`), or else of its longest numbered list; at most 100'
    }),
    author: Author(),
    created_at: Seconds(),
    started_at: StartedAt()
  }), 'null: none'),
  versions: Type.Array(Closed({ version: Version('counted from 1'), author: Author(), created_at: Seconds(), started_at: StartedAt() }), {
    description: 'stored versions, newest first'
  })
}, { title: 'Plan', description: 'The plan of a session' })

export const PlanQuery = Type.Object({
  session_id: Id('session'),
  version: Type.Optional(Type.String({ pattern: '^[1-9]\\d{0,8}$', description: 'an earlier version; absent: the present one' }))
})

export const PlanBody = Type.Object({
  session_id: Id('session'),
  text: Type.String({ maxLength: 40_000, description: 'Markdown, not blank' }),
  version: Version('version of the plan to replace; 0: no plan exists yet'),
  client_id: ClientId()
})

export const GoBody = Type.Object({
  session_id: Id('session'),
  version: Version('version of the plan to start'),
  model: Type.Optional(Type.String()),
  model_provider: Type.Optional(Type.String()),
  client_id: ClientId()
})

/** Frames on the stream of a session. */
export const planFrames = {
  plan_changed: Closed({
    session_id: Type.String(), version: Version('version of the plan'), author: Author(), started_at: StartedAt()
  }, { title: 'PlanChanged', description: 'the plan of the session was written, edited or started: read GET /api/session/plan' })
}
