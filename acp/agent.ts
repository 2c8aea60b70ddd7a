import { agent, methods, PROTOCOL_VERSION, type AgentApp, type AgentContext } from '@agentclientprotocol/sdk'
import { type Editor } from './editor.js'
import { agentInfo, EditorSessions, tokenMethod, type AcpAgentOptions } from './sessions.js'

/** Creates the agent for editors that use version 1 of the Agent Client Protocol. */
export function createAcpAgent (options: AcpAgentOptions): AgentApp {
  const sessions = new EditorSessions(options)
  return agent({ name: agentInfo.name })
    .onRequest(methods.agent.initialize, ({ params }) => {
      sessions.hasForms = params.clientCapabilities?.elicitation?.form != null
      return {
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { ...agentInfo, version: options.version },
        agentCapabilities: {
          loadSession: true, promptCapabilities: { image: true, embeddedContext: true },
          sessionCapabilities: { list: {}, resume: {}, delete: {} }
        },
        authMethods: [{ id: 'token', ...tokenMethod }]
      }
    })
    .onRequest(methods.agent.authenticate, async () => {
      await sessions.signIn()
      return {}
    })
    .onRequest(methods.agent.session.new, async ({ params: { cwd, mcpServers }, client }) =>
      await sessions.begin(cwd, mcpServers, editorOf(client)))
    .onRequest(methods.agent.session.load, async ({ params: { sessionId, mcpServers }, client }) => {
      const { configOptions } = await sessions.resume(sessionId, { replay: true, servers: mcpServers }, editorOf(client))
      return { configOptions }
    })
    .onRequest(methods.agent.session.resume, async ({ params: { sessionId, mcpServers }, client }) => {
      const { configOptions } = await sessions.resume(sessionId, { replay: false, servers: mcpServers }, editorOf(client))
      return { configOptions }
    })
    .onRequest(methods.agent.session.list, async ({ params: { cwd, cursor } }) => await sessions.list(cwd, cursor))
    .onRequest(methods.agent.session.delete, async ({ params: { sessionId } }) => {
      await sessions.delete(sessionId)
      return {}
    })
    .onRequest(methods.agent.session.setConfigOption, async ({ params: { sessionId, configId, value } }) =>
      await sessions.setOption(sessionId, configId, value))
    .onRequest(methods.agent.session.prompt, async ({ params: { sessionId, prompt }, client }) =>
      ({ stopReason: await sessions.prompt(sessionId, prompt, editorOf(client)) }))
    .onNotification(methods.agent.session.cancel, async ({ params: { sessionId } }) => await sessions.cancel(sessionId))
}

const editorOf = (client: AgentContext): Editor => ({
  tell: async (sessionId, update) => await client.notify(methods.client.session.update, { sessionId, update }),
  choose: async ({ sessionId, title, id, call, options }, signal) => await client.request(
    methods.client.session.requestPermission,
    { sessionId, options, toolCall: { ...call ?? { toolCallId: id, kind: 'other' as const }, title } },
    { cancellationSignal: signal, stopWaitingOnCancel: true }
  ),
  fill: async (form, signal) =>
    await client.request(methods.client.elicitation.create, form, { cancellationSignal: signal, stopWaitingOnCancel: true })
})
