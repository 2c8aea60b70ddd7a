import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static } from '@sinclair/typebox'
import { AgentModesList, AgentModesReply, AllowAgentModes, IsolateAgent, type AgentModes } from '../schemas/models-agents.js'
import { conflicts, errors } from '../schemas/common.js'
import { type AgentModesOf } from '../services/areas/models/index.js'
import { registryDates } from '../services/providers/index.js'
import { tagged } from './shared/tagged.js'

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('models'))
  const { agentModes } = app.models

  app.get('/api/agents', {
    config: { scope: 'read' },
    schema: {
      summary: 'List external agents, and the modes in which each may work',
      description: 'Modes in which each is known to ask (`asks`), or is allowed to work anyway (`allowed`). `reached: false`: its ' +
        'modes are not known yet. `installable` lists agents of the public registry, with the command that installs each; the ' +
        'service itself installs none.',
      response: { 200: AgentModesList }
    }
  }, async (request) => {
    const profile = request.activeProfile()
    const [agents, installable] = await Promise.all([agentModes.list(profile), agentModes.installable(profile)])
    return {
      agents: agents.map(toWire),
      installable: installable.map(({ preset, command, ...agent }) => ({ ...agent, command: [...command], preset: preset !== null })),
      registry: registryDates()
    }
  })

  app.post('/api/agents/modes', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Set the modes in which an external agent may work although it is not known to ask',
      description: 'Replaces `allow_unasked_modes` in config.yaml; takes effect with the next turn of the agent.',
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
      description: 'Writes `isolation` to config.yaml; takes effect with the next turn of the agent. `isolation_note` of the answer ' +
        'says what that means on this machine.',
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
  id, displayName, isKnown, wasReached, protocol, isAnyAllowed, modes, isolation, isIsolated, isolationReason, isolationNote, problem
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
    isolation_reason: isolationReason,
    isolation_note: isolationNote,
    problem
  }
}
