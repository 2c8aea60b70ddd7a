import {
  agent, methods, PROTOCOL_VERSION, RequestError, type AgentApp, type AgentContext, type AvailableCommand, type ClientCapabilities,
  type SessionConfigOption
} from '@agentclientprotocol/sdk'
import { ApiError, type Api, type Client, type Wire } from '../clients/typescript/src/index.js'
import { readContent } from './content.js'
import { runTurn } from './turn.js'
import { updatesOfMessage } from './updates.js'

export interface AcpAgentOptions { service: Client, version: string, signal: AbortSignal }

interface Opened { folder: string, streamId: string | null }

const pageRows = 50
const loadedMessages = 500
/** Commands that clients do themselves have this beside their name; what is left is a message like any other. */
const ownCategories = new Set(['Session', 'Conversation', 'Configuration', 'Info'])

/**
 * The service as an agent of an editor, by the Agent Client Protocol: sessions of the editor are chats of the service,
 * which all its other clients see as well.
 */
export function createAcpAgent ({ service, version, signal }: AcpAgentOptions): AgentApp {
  const { api } = service
  const opened = new Map<string, Opened>()
  let capabilities: ClientCapabilities = {}

  async function open (client: AgentContext, detail: Wire<'SessionDetail'>) {
    const { session_id: sessionId, workspace } = detail
    opened.set(sessionId, { folder: workspace, streamId: null })
    void tellCommands(api, client, sessionId)
    return { configOptions: await modelOptions(api, detail) }
  }

  const known = (sessionId: string): Opened => {
    const session = opened.get(sessionId)
    if (session === undefined) throw RequestError.invalidParams(undefined, 'This session was not opened here: begin or load it first')
    return session
  }

  return agent({ name: 'agent-web-service' })
    .onRequest(methods.agent.initialize, ({ params }) => {
      capabilities = params.clientCapabilities ?? {}
      return {
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: 'agent-web-service', title: 'Agent Web Service', version },
        agentCapabilities: {
          loadSession: true, promptCapabilities: { image: true, embeddedContext: true },
          sessionCapabilities: { list: {}, resume: {}, delete: {} }
        },
        authMethods: [{
          id: 'token', name: 'Device token',
          description: 'Make a token in the app (Settings, Devices) and give it to this program as SVC_TOKEN'
        }]
      }
    })
    .onRequest(methods.agent.authenticate, async () => {
      // The token came with the start: all that can be done here is to try it.
      await inWords(async () => await api.get('/api/sessions', { limit: '1' }))
      return {}
    })
    .onRequest(methods.agent.session.new, async ({ params: { cwd }, client }) => await inWords(async () => {
      const { session } = await api.post('/api/session/new', { workspace: cwd })
      return { sessionId: session.session_id, ...await open(client, session) }
    }))
    .onRequest(methods.agent.session.load, async ({ params: { sessionId }, client }) => await inWords(async () => {
      const { session } = await api.get('/api/session', { session_id: sessionId, msg_limit: String(loadedMessages) })
      for (const update of session.messages.flatMap(
        updatesOfMessage
      )) await client.notify(methods.client.session.update, { sessionId, update })
      return await open(client, session)
    }))
    .onRequest(methods.agent.session.resume, async ({ params: { sessionId }, client }) => await inWords(async () => {
      const { session } = await api.get('/api/session', { session_id: sessionId, messages: '0' })
      return await open(client, session)
    }))
    .onRequest(methods.agent.session.list, async ({ params: { cwd, cursor } }) => await inWords(async () => {
      const page = await api.get('/api/sessions', { limit: String(pageRows), ...(cursor != null && { before: cursor }) })
      const sessions = page.sessions.filter(({ workspace }) => cwd == null || workspace === cwd).map((row) => ({
        sessionId: row.session_id, cwd: row.workspace, title: row.title, updatedAt: new Date(row.updated_at * 1_000).toISOString()
      }))
      return { sessions, nextCursor: 'next_cursor' in page ? page.next_cursor : null }
    }))
    .onRequest(methods.agent.session.delete, async ({ params: { sessionId } }) => await inWords(async () => {
      await api.post('/api/session/delete', { session_id: sessionId })
      opened.delete(sessionId)
      return {}
    }))
    .onRequest(methods.agent.session.setConfigOption, async ({ params }) => await inWords(async () => {
      const { sessionId, configId } = params
      const [, provider, model] = /^([^/]*)\/(.+)$/s.exec(String(params.value)) ?? []
      if (configId !== 'model' || provider === undefined || model === undefined) throw RequestError.invalidParams(undefined, 'There is no such option')
      const { session } = await api.post('/api/session/update', { session_id: sessionId, model, model_provider: provider })
      return { configOptions: await modelOptions(api, session) }
    }))
    .onRequest(methods.agent.session.prompt, async ({ params: { sessionId, prompt }, client }) => await inWords(async () => {
      const session = known(sessionId)
      const content = readContent(prompt)
      if (content.text === '') throw RequestError.invalidParams(undefined, 'There is no text in the message')
      let own: string | null = null
      const begun = (streamId: string): void => { session.streamId = own = streamId }
      try {
        return {
          stopReason: await runTurn({
            service, client, sessionId, folder: session.folder, content, hasForms: capabilities.elicitation?.form != null, signal, begun
          })
        }
      } finally {
        // One that was refused, because another turn runs, leaves that to be stopped.
        if (session.streamId === own) session.streamId = null
      }
    }))
    .onNotification(methods.agent.session.cancel, async ({ params: { sessionId } }) => {
      const streamId = opened.get(sessionId)?.streamId
      if (streamId != null) await api.post('/api/chat/cancel', { stream_id: streamId }).catch(() => {})
    })
}

/** Skills, files with commands, prompts of servers. What an editor does not hear of can be typed all the same. */
async function tellCommands (api: Api, client: AgentContext, sessionId: string): Promise<void> {
  try {
    const { commands } = await api.get('/api/commands', { session_id: sessionId })
    const availableCommands = commands.filter(({ category }) => !ownCategories.has(category)).map(({
      name, description, args_hint: hint
    }): AvailableCommand => ({ name, description, ...(hint !== '' && { input: { hint } }) }))
    await client.notify(methods.client.session.update, {
      sessionId, update: { sessionUpdate: 'available_commands_update', availableCommands }
    })
  } catch {}
}

/** The models that an editor lets a person choose from. */
async function modelOptions (
  api: Api, { model, model_provider: provider }: Pick<Wire<'SessionDetail'>, 'model' | 'model_provider'>
): Promise<SessionConfigOption[]> {
  const { groups } = await api.get('/api/models')
  const options = groups.map(({
    provider_id: id, provider: name, models
  }) => ({ group: id, name, options: models.map((one) => ({ value: `${id}/${one.id}`, name: one.label })) }))
  const current = `${provider ?? ''}/${model ?? ''}`
  const isKnown = options.some((group) => group.options.some(({ value }) => value === current))
  // One that is not in the lists is one all the same.
  const rest = isKnown || model === null ? [] : [{ group: 'current', name: 'Now', options: [{ value: current, name: model }] }]
  return [{ id: 'model', name: 'Model', category: 'model', type: 'select', currentValue: current, options: [...rest, ...options] }]
}

/** What the service refuses reaches the editor's person in its own words. */
async function inWords<Answer> (act: () => Promise<Answer>): Promise<Answer> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.status === 401) {
      throw RequestError.authRequired(
        undefined, 'The service wants to know who asks: make a token in its app (Settings, Devices) and give it to this program as SVC_TOKEN'
      )
    }
    throw error.status >= 400 && error.status < 500
      ? RequestError.invalidParams({ status: error.status }, error.message)
      : RequestError.internalError(undefined, error.message)
  }
}
