import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static } from '@sinclair/typebox'
import { AgentModesList, AgentModesReply, AllowAgentModes, IsolateAgent, type AgentModes } from '../schemas/models-agents.js'
import { conflicts, errors } from '../schemas/common.js'
import { type AgentModesOf } from '../services/areas/models/index.js'
import { tagged } from './shared/tagged.js'

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('models'))
  const { agentModes } = app.models

  app.get('/api/agents', {
    config: { scope: 'read' },
    schema: {
      summary: 'List external agents, and the modes in which each may work',
      description: 'Modes in which each is known to ask (`asks`) or is allowed to work all the same (`allowed`). `reached: false`: it ' +
        'has not been asked for its modes yet. `installable` are agents of the public registry, with the line that installs each; the service ' +
        'installs none.',
      response: { 200: AgentModesList }
    }
  }, async (request) => {
    const profile = request.activeProfile()
    const [agents, installable] = await Promise.all([agentModes.list(profile), agentModes.installable(profile)])
    return {
      agents: agents.map(toWire),
      installable: installable.map(({ preset, command, ...agent }) => ({ ...agent, command: [...command], preset: preset !== null }))
    }
  })

  app.post('/api/agents/modes', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Allow or forbid an external agent to work in modes in which it is not known to ask',
      description: 'Written into config.yaml (`allow_unasked_modes`) in place of what was there; it holds from the agent\'s next turn on.',
      body: AllowAgentModes,
      response: { 200: AgentModesReply, ...errors(400, 404), ...conflicts('config_broken', 'uncoded') }
    }
  }, async (request) => {
    const { id, modes, any_mode: isAny } = request.body
    return { ok: true as const, agent: toWire(await agentModes.allow(request.activeProfile(), id, isAny === true || (modes ?? []))) }
  })

  app.post('/api/agents/isolation', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Choose whether an external agent runs in the sandbox',
      description: 'Written into config.yaml (`isolation`); it holds from the agent\'s next turn on. `isolation_note` of the answer says what ' +
        'that means here.',
      body: IsolateAgent,
      response: { 200: AgentModesReply, ...errors(400, 404), ...conflicts('config_broken', 'uncoded') }
    }
  }, async (request) => {
    const { id, isolation } = request.body
    return { ok: true as const, agent: toWire(await agentModes.isolate(request.activeProfile(), id, isolation)) }
  })
}
export default plugin

function toWire ({
  id, displayName, isKnown, wasReached, protocol, isAnyAllowed, modes, isolation, isIsolated, isolationNote, problem
}: AgentModesOf): Static<typeof AgentModes> {
  return {
    id,
    display_name: displayName,
    known: isKnown,
    reached: wasReached,
    protocol,
    any_mode: isAnyAllowed,
    modes: modes.map(({ id: mode, label, asks, isAllowed }) => ({ id: mode, label, asks, allowed: isAllowed })),
    isolation,
    isolated: isIsolated,
    isolation_note: isolationNote,
    problem
  }
}
