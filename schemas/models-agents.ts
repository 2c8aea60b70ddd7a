import { Type } from '@sinclair/typebox'
import { Closed, Maybe, Nullable, OneOf } from './common.js'

const isolations = [Type.Literal('auto'), Type.Literal('sandbox'), Type.Literal('none')]

export const AgentModes = Closed({
  id: Type.String({ description: 'id of the agent as a provider' }),
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
  isolation: Type.Union(isolations, { description: 'where it runs; auto: in the sandbox if this machine has one' }),
  isolated: Type.Boolean({ description: 'it runs in the sandbox' }),
  isolation_reason: Closed({
    code: OneOf([
      'outside', 'outside_for_lack', 'no_sandbox', 'container', 'offline', 'whole_network', 'whole_network_open', 'internet', 'places'
    ]),
    params: Type.Record(Type.String(), Type.String(), {
      description: '`reason`: why there is no sandbox; `places`: addresses that it reaches, separated by commas'
    })
  }, { description: '`isolation_note` as a code with parameters, for a client with words of its own' }),
  isolation_note: Type.String({ description: 'where it runs and what it can reach there, for a person' }),
  problem: Nullable(Type.String(), 'why it cannot run turns at present, as a sentence')
}, { title: 'AgentModes' })

const InstallableAgent = Closed({
  id: Type.String({ description: 'its id in the registry, and a name for it under agents in config.yaml' }),
  name: Type.String(),
  description: Type.String(),
  licence: Type.String({ description: 'licence as the registry names it: an SPDX identifier, or "proprietary"' }),
  page: Nullable(Type.String(), 'page of its makers that describes it'),
  version: Type.String({ description: 'the version that `install` installs' }),
  install: Type.String({ description: 'the command line that installs it on Linux' }),
  command: Type.Array(Type.String(), { description: 'the program and its arguments, for command in config.yaml' }),
  preset: Type.Boolean({ description: 'true: it is found automatically once installed; false: set it up in config.yaml' })
}, { title: 'InstallableAgent' })

export const AgentModesList = Closed({
  agents: Type.Array(AgentModes),
  installable: Type.Array(InstallableAgent, { description: 'agents of the public registry that are neither configured nor installed here' }),
  registry: Closed({
    date: Type.String({ description: 'day of the public registry of which `installable` is a snapshot: YYYY-MM-DD' }),
    versions_date: Type.String({ description: 'day on which npm was asked for the versions' })
  })
}, { title: 'AgentModesList' })

export const AllowAgentModes = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 128 }),
  modes: Maybe(Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
    maxItems: 500, description: 'modes that are allowed from now on, out of those that the agent listed; empty: none'
  })),
  any_mode: Maybe(Type.Boolean({ description: 'true: the agent may work in any mode, or without one' }))
})

export const IsolateAgent = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 128 }),
  isolation: Type.Union(isolations, {
    description: 'auto: in the sandbox if this machine has one; sandbox: in the sandbox or not at all; none: with the rights of the ' +
      'user that runs the service'
  })
})

export const AgentModesReply = Closed({ ok: Type.Literal(true), agent: AgentModes }, { title: 'AgentModesReply' })
