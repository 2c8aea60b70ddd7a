import { Type } from '@sinclair/typebox'
import { Closed, Maybe, Nullable } from './common.js'

const isolations = [Type.Literal('auto'), Type.Literal('sandbox'), Type.Literal('none')]

export const AgentModes = Closed({
  id: Type.String({ description: 'id of the provider that the agent is' }),
  display_name: Type.String(),
  known: Type.Boolean({ description: 'it is known to ask before it acts, in some of its modes' }),
  reached: Type.Boolean({ description: 'it listed its modes at its last start; `POST /api/providers/test` starts it' }),
  protocol: Nullable(Type.Integer(), 'the version of the Agent Client Protocol that it spoke at its last start; version 2 is a preview'),
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

const InstallableAgent = Closed({
  id: Type.String({ description: 'its id in the registry, and a name for it under agents in config.yaml' }),
  name: Type.String(),
  description: Type.String(),
  licence: Type.String({ description: 'as the registry says it: an SPDX identifier, or "proprietary"' }),
  page: Nullable(Type.String(), 'where its makers describe it'),
  version: Type.String({ description: 'the version that the line installs' }),
  install: Type.String({ description: 'the line that installs it, on Linux' }),
  command: Type.Array(Type.String(), { description: 'the program that it brings, with its arguments, as command of config.yaml' }),
  preset: Type.Boolean({ description: 'it is found once it is installed; any other has to be set up in config.yaml' })
}, { title: 'InstallableAgent' })

export const AgentModesList = Closed({
  agents: Type.Array(AgentModes),
  installable: Type.Array(InstallableAgent, { description: 'agents of the public registry that are neither set up nor installed here' })
}, { title: 'AgentModesList' })

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
