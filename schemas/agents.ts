import { Type } from '@sinclair/typebox'
import { Closed, Maybe, Nullable } from './common.js'

export const AgentModes = Closed({
  id: Type.String({ description: 'of the provider that it is' }),
  display_name: Type.String(),
  known: Type.Boolean({ description: 'it is one of those that are known to ask in some of their modes' }),
  reached: Type.Boolean({ description: 'it has told its modes when it was started last; `POST /api/providers/test` starts it' }),
  any_mode: Type.Boolean({ description: 'it may work in any mode, and without one' }),
  modes: Type.Array(Closed({
    id: Type.String(),
    label: Type.String(),
    asks: Type.Boolean({ description: 'it is known to ask in it before it acts' }),
    allowed: Type.Boolean({ description: 'a person has allowed it, although it is not known to ask in it' })
  })),
  problem: Nullable(Type.String(), 'why it takes no turn as it is, for a person')
}, { title: 'AgentModes' })

export const AgentModesList = Closed({ agents: Type.Array(AgentModes) }, { title: 'AgentModesList' })

export const AllowAgentModes = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 128 }),
  modes: Maybe(Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
    maxItems: 500, description: 'those that are allowed from now on, of what the agent has told; without any, none is'
  })),
  any_mode: Maybe(Type.Boolean({ description: 'true: any mode, and none' }))
})
export const AgentModesReply = Closed({ ok: Type.Literal(true), agent: AgentModes }, { title: 'AgentModesReply' })
