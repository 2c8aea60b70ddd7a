import { RequestError, type AvailableCommand, type ContentBlock, type SessionConfigOption, type SessionUpdate, type StopReason } from '@agentclientprotocol/sdk'
import { ApiError, type Api, type Client, type Wire } from '../clients/typescript/src/index.js'
import { readContent } from './content.js'
import { type Editor } from './editor.js'
import { followTurn, runTurn } from './turn.js'
import { updatesOfMessage } from './updates.js'

export interface AcpAgentOptions { service: Client, version: string, signal: AbortSignal }

/** `unused`: names of servers that the editor has passed, until its person has heard that they are not used. */
interface Opened { folder: string, streamId: string | null, unused: string[] }

type Servers = readonly object[] | null | undefined

const pageRows = 50
const loadedMessages = 500
/** Commands that clients do themselves have this beside their name; what is left is a message like any other. */
const ownCategories = new Set(['Session', 'Conversation', 'Configuration', 'Info'])

export const agentInfo = { name: 'agent-web-service', title: 'Agent Web Service' }
export const tokenMethod = {
  name: 'Device token', description: 'Make a token in the app (Settings, Devices) and give it to this program as SVC_TOKEN'
}

/**
 * What the service does as the agent of an editor, in either version of the protocol: sessions of the editor are chats of the service,
 * which all its other clients see as well. All throw RequestError, with what the service refuses in its own words.
 */
export class EditorSessions {
  /** The editor has forms. */
  hasForms = false
  readonly #opened = new Map<string, Opened>()
  readonly #api: Api

  constructor (readonly options: AcpAgentOptions) {
    this.#api = options.service.api
  }

  /** Tries the token that came with the start: no other way to sign in exists. */
  async signIn (): Promise<void> {
    await inWords(async () => await this.#api.get('/api/sessions', { limit: '1' }))
  }

  async begin (cwd: string, servers: Servers, editor: Editor): Promise<{ sessionId: string, configOptions: SessionConfigOption[] }> {
    return await inWords(async () => {
      const { session } = await this.#api.post('/api/session/new', { workspace: cwd })
      return { sessionId: session.session_id, ...await this.#open(editor, session, servers) }
    })
  }

  /** `replay`: what was said in it is told first, the last 500 messages. `isRunning`: a turn is under way, which can be followed. */
  async resume (
    sessionId: string, { replay, servers }: { replay: boolean, servers: Servers }, editor: Editor
  ): Promise<{ configOptions: SessionConfigOption[], isRunning: boolean }> {
    return await inWords(async () => {
      const { session } = await this.#api.get('/api/session', {
        session_id: sessionId, ...replay ? { msg_limit: String(loadedMessages) } : { messages: '0' }
      })
      if (replay) for (const update of session.messages.flatMap(updatesOfMessage)) await editor.tell(sessionId, update)
      return { ...await this.#open(editor, session, servers), isRunning: session.active_stream_id !== null }
    })
  }

  /** Tells of the turn that was under way when the session was taken up again; resolves when it is over. */
  async follow (sessionId: string, editor: Editor): Promise<StopReason> {
    return await inWords(async () => {
      const session = this.#opened.get(sessionId)
      const streamId = session?.streamId
      if (session === undefined || streamId == null) return 'end_turn'
      try {
        return await followTurn(streamId, { ...this.options, editor, sessionId, folder: session.folder, hasForms: this.hasForms })
      } finally {
        if (session.streamId === streamId) session.streamId = null
      }
    })
  }

  async list (cwd: string | null | undefined, cursor: string | null | undefined) {
    return await inWords(async () => {
      const page = await this.#api.get('/api/sessions', { limit: String(pageRows), ...(cursor != null && { before: cursor }) })
      const sessions = page.sessions.filter(({ workspace }) => cwd == null || workspace === cwd).map((row) => ({
        sessionId: row.session_id, cwd: row.workspace, title: row.title, updatedAt: new Date(row.updated_at * 1_000).toISOString()
      }))
      return { sessions, nextCursor: 'next_cursor' in page ? page.next_cursor : null }
    })
  }

  async delete (sessionId: string): Promise<void> {
    await inWords(async () => await this.#api.post('/api/session/delete', { session_id: sessionId }))
    this.#opened.delete(sessionId)
  }

  /** Stops the turn that was begun here, and forgets that the session was open. */
  async close (sessionId: string): Promise<void> {
    await this.cancel(sessionId)
    this.#opened.delete(sessionId)
  }

  async setOption (sessionId: string, configId: string, value: unknown): Promise<{ configOptions: SessionConfigOption[] }> {
    return await inWords(async () => {
      const [, provider, model] = /^([^/]*)\/(.+)$/s.exec(String(value)) ?? []
      if (configId !== 'model' || provider === undefined || model === undefined) throw RequestError.invalidParams(undefined, 'There is no such option')
      const { session } = await this.#api.post('/api/session/update', { session_id: sessionId, model, model_provider: provider })
      return { configOptions: await modelOptions(this.#api, session) }
    })
  }

  /** Resolves when the turn is over. `begun`: the message is in the conversation. */
  async prompt (sessionId: string, prompt: readonly ContentBlock[], editor: Editor, begun: () => void = () => {}): Promise<StopReason> {
    return await inWords(async () => {
      const { service, signal } = this.options
      const session = this.#opened.get(sessionId)
      if (session === undefined) throw RequestError.invalidParams(undefined, 'This session was not opened here: begin or load it first')
      const content = readContent(prompt)
      if (content.text === '') throw RequestError.invalidParams(undefined, 'There is no text in the message')
      let own: string | null = null
      try {
        return await runTurn({
          service, editor, sessionId, folder: session.folder, content, hasForms: this.hasForms, signal,
          begun (streamId) {
            session.streamId = own = streamId
            begun()
            if (session.unused.length > 0) void editor.tell(sessionId, said(notUsed(session.unused)))
            session.unused = []
          }
        })
      } finally {
        // One that was refused, because another turn runs, leaves that to be stopped.
        if (session.streamId === own) session.streamId = null
      }
    })
  }

  async cancel (sessionId: string): Promise<void> {
    const streamId = this.#opened.get(sessionId)?.streamId
    if (streamId != null) await this.#api.post('/api/chat/cancel', { stream_id: streamId }).catch(() => {})
  }

  async #open (editor: Editor, detail: Wire<'SessionDetail'>, servers: Servers): Promise<{ configOptions: SessionConfigOption[] }> {
    const { session_id: sessionId, workspace, active_stream_id: streamId } = detail
    this.#opened.set(sessionId, { folder: workspace, streamId, unused: namesOf(servers) })
    void tellCommands(this.#api, editor, sessionId)
    return { configOptions: await modelOptions(this.#api, detail) }
  }
}

const said = (text: string): SessionUpdate => ({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } })

const namesOf = (servers: Servers): string[] =>
  (servers ?? []).slice(0, 20).map((server) => 'name' in server ? String(server.name).slice(0, 80) : 'one without a name')

/** They would run where the editor is, and under no rule of the service. */
const notUsed = (names: readonly string[]): string =>
  `These MCP servers of your editor are not used: ${names.join(', ')}. The agent uses those that are set up in the service.\n\n`

/** Skills, files with commands, prompts of servers. What an editor does not hear of can be typed all the same. */
async function tellCommands (api: Api, editor: Editor, sessionId: string): Promise<void> {
  try {
    const { commands } = await api.get('/api/commands', { session_id: sessionId })
    const availableCommands = commands.filter(({ category }) => !ownCategories.has(category)).map(({
      name, description, args_hint: hint
    }): AvailableCommand => ({ name, description, ...(hint !== '' && { input: { hint } }) }))
    await editor.tell(sessionId, { sessionUpdate: 'available_commands_update', availableCommands })
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
