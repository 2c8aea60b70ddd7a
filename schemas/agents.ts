import { Type } from '@sinclair/typebox'
import { Closed, Maybe, Nullable } from './common.js'

const isolations = [Type.Literal('auto'), Type.Literal('sandbox'), Type.Literal('none')]

export const AgentModes = Closed({
  id: Type.String({ description: 'id of the provider that the agent is' }),
  display_name: Type.String(),
  known: Type.Boolean({ description: 'it is known to ask before it acts, in some of its modes' }),
  reached: Type.Boolean({ description: 'it listed its modes at its last start; `POST /api/providers/test` starts it' }),
  any_mode: Type.Boolean({ description: 'it may work in any mode, or without one' }),
  modes: Type.Array(Closed({
    id: Type.String(),
    label: Type.String(),
    asks: Type.Boolean({ description: 'it is known to ask before it acts in this mode' }),
    allowed: Type.Boolean({ description: 'a person has allowed this mode, although the agent is not known to ask in it' })
  })),
  isolation: Type.Union(isolations, { description: 'where it is to run; auto: in the sandbox where there is one' }),
  isolated: Type.Boolean({ description: 'it runs in the sandbox' }),
  isolation_note: Type.String({ description: 'where it runs and what it can reach there, for a person' }),
  problem: Nullable(Type.String(), 'why it cannot do turns at present, for a person')
}, { title: 'AgentModes' })

export const AgentModesList = Closed({ agents: Type.Array(AgentModes) }, { title: 'AgentModesList' })

export const AllowAgentModes = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 128 }),
  modes: Maybe(Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
    maxItems: 500, description: 'the modes allowed from now on, of those that the agent listed; an empty list allows none'
  })),
  any_mode: Maybe(Type.Boolean({ description: 'true: it may work in any mode, or without one' }))
})

export const IsolateAgent = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 128 }),
  isolation: Type.Union(isolations, {
    description: 'auto: in the sandbox where there is one; sandbox: there or not at all; none: with the rights of the user that runs the service'
  })
})

export const AgentModesReply = Closed({ ok: Type.Literal(true), agent: AgentModes }, { title: 'AgentModesReply' })
