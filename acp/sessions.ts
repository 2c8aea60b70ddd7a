import { RequestError, type AvailableCommand, type ContentBlock, type SessionConfigOption, type SessionUpdate, type StopReason } from '@agentclientprotocol/sdk'
import { ApiError, type Api, type Client, type Wire } from '../clients/typescript/src/index.js'
import { readContent } from './content.js'
import { type Editor } from './editor.js'
import { followTurn, runTurn } from './turn.js'
import { updatesOfMessage } from './updates.js'

export interface AcpAgentOptions { service: Client, version: string, signal: AbortSignal }

/**
 * `isOwn`: the turn of the stream was begun here. `unused`: names of MCP servers that the editor has passed, until its user has been told
 * that they are not used.
 */
interface Opened { folder: string, streamId: string | null, isOwn: boolean, unused: string[] }

type Servers = readonly object[] | null | undefined

const pageRows = 50
const loadedMessages = 500
/** Categories of commands that clients handle themselves. All other commands are sent as messages. */
const ownCategories = new Set(['Session', 'Conversation', 'Configuration', 'Info'])

export const agentInfo = { name: 'agent-web-service', title: 'Agent Web Service' }
export const tokenMethod = {
  name: 'Device token', description: 'Make a token in the app (Settings, Devices) and give it to this program as SVC_TOKEN'
}

/**
 * The sessions of an editor, in either version of the protocol. They are chats of the service, which all its other clients see too. All
 * methods throw RequestError with the service's own words when it refuses something.
 */
export class EditorSessions {
  /** Whether the editor supports forms. */
  hasForms = false
  readonly #opened = new Map<string, Opened>()
  readonly #api: Api

  constructor (readonly options: AcpAgentOptions) {
    this.#api = options.service.api
  }

  /** Checks the token with which this program was started: there is no other way to sign in. */
  async signIn (): Promise<void> {
    await inWords(async () => await this.#api.get('/api/sessions', { limit: '1' }))
  }

  async begin (cwd: string, servers: Servers, editor: Editor): Promise<{ sessionId: string, configOptions: SessionConfigOption[] }> {
    return await inWords(async () => {
      const { session } = await this.#api.post('/api/session/new', { workspace: cwd })
      return { sessionId: session.session_id, ...await this.#open(editor, session, servers) }
    })
  }

  /** Opens a session again. `replay`: its last 500 messages are sent first. `isRunning`: a turn is running, which can be followed. */
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

  /** Sends the frames of the turn that was running when the session was opened again. Resolves when that turn is over. */
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

  /** Stops the turn that was begun here, and forgets that the session was open. A turn of another client continues. */
  async close (sessionId: string): Promise<void> {
    if (this.#opened.get(sessionId)?.isOwn === true) await this.cancel(sessionId)
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

  /** Runs a turn and resolves when it is over. `begun` is called when the message is in the conversation. */
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
            session.isOwn = true
            begun()
            if (session.unused.length > 0) void editor.tell(sessionId, said(notUsed(session.unused)))
            session.unused = []
          }
        })
      } finally {
        // If this message was refused because another turn is running, that turn can still be stopped.
        if (session.streamId === own) session.streamId = null
        session.isOwn = false
      }
    })
  }

  async cancel (sessionId: string): Promise<void> {
    const streamId = this.#opened.get(sessionId)?.streamId
    if (streamId != null) await this.#api.post('/api/chat/cancel', { stream_id: streamId }).catch(() => {})
  }

  async #open (editor: Editor, detail: Wire<'SessionDetail'>, servers: Servers): Promise<{ configOptions: SessionConfigOption[] }> {
    const { session_id: sessionId, workspace, active_stream_id: streamId } = detail
    this.#opened.set(sessionId, { folder: workspace, streamId, isOwn: false, unused: namesOf(servers) })
    void tellCommands(this.#api, editor, sessionId)
    return { configOptions: await modelOptions(this.#api, detail) }
  }
}

const said = (text: string): SessionUpdate => ({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } })

const namesOf = (servers: Servers): string[] =>
  (servers ?? []).slice(0, 20).map((server) => 'name' in server ? String(server.name).slice(0, 80) : 'one without a name')

/** Says which servers are not used: they would run on the editor's machine, outside the rules of the service. */
const notUsed = (names: readonly string[]): string =>
  `These MCP servers of your editor are not used: ${names.join(', ')}. The agent uses those that are set up in the service.\n\n`

/** Sends the commands: skills, command files, prompts of servers. If that fails, they can still be typed. */
async function tellCommands (api: Api, editor: Editor, sessionId: string): Promise<void> {
  try {
    const { commands } = await api.get('/api/commands', { session_id: sessionId })
    const availableCommands = commands.filter(({ category }) => !ownCategories.has(category)).map(({
      name, description, args_hint: hint
    }): AvailableCommand => ({ name, description, ...(hint !== '' && { input: { hint } }) }))
    await editor.tell(sessionId, { sessionUpdate: 'available_commands_update', availableCommands })
  } catch {}
}

/** Returns the models among which a person can choose in the editor. */
async function modelOptions (
  api: Api, { model, model_provider: provider }: Pick<Wire<'SessionDetail'>, 'model' | 'model_provider'>
): Promise<SessionConfigOption[]> {
  const { groups } = await api.get('/api/models')
  const options = groups.map(({
    provider_id: id, provider: name, models
  }) => ({ group: id, name, options: models.map((one) => ({ value: `${id}/${one.id}`, name: one.label })) }))
  const current = `${provider ?? ''}/${model ?? ''}`
  const isKnown = options.some((group) => group.options.some(({ value }) => value === current))
  // The current model is offered even if the lists do not contain it.
  const rest = isKnown || model === null ? [] : [{ group: 'current', name: 'Now', options: [{ value: current, name: model }] }]
  return [{ id: 'model', name: 'Model', category: 'model', type: 'select', currentValue: current, options: [...rest, ...options] }]
}

/** Turns errors of the service into RequestErrors, so that the editor's user sees them in its own words. */
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
