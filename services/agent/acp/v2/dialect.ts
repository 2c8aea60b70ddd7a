import { RequestError } from '@agentclientprotocol/sdk'
import { fieldsOf } from '../../../ground/fields.js'
import { onPath } from '../../../providers/index.js'
import { type Dialect, type Fields, type Line } from '../dialect.js'
import { idIn, list, text } from '../wire.js'
import { Calls } from './calls.js'
import { Prompt } from './prompt.js'
import { StreamedTexts } from './streamed-texts.js'

/** What is remembered of a session to translate its updates into version 1. */
interface Session {
  calls: Calls
  texts: StreamedTexts
  prompt: Prompt | null
}

/** Requests that a client of this version answers. */
const served: ReadonlySet<string> = new Set(['session/request_permission', 'elicitation/create'])

/** Version 2 of the protocol, as in the preview of `@agentclientprotocol/sdk/experimental/v2` of November 2026. */
export class SecondDialect implements Dialect {
  readonly version = 2
  readonly initialized: Fields
  readonly #sessions = new Map<string, Session>()
  #asked = 0

  constructor (answer: Fields, private readonly line: Line) {
    this.initialized = initializedAs1(answer)
    void line.closed.then(() => {
      for (const { prompt } of this.#sessions.values()) prompt?.fail(new Error('The agent is gone'))
    })
  }

  async request (method: string, params: unknown): Promise<unknown> {
    const { send } = this.line
    const fields = fieldsOf(params)
    const sessionId = text(fields['sessionId']) ?? ''
    switch (method) {
      case 'authenticate': return await send('auth/login', params)
      case 'session/new': {
        const opened = fieldsOf(await send(method, this.#withServers(fields)))
        this.#sessions.set(text(opened['sessionId']) ?? '', newSession())
        return openedAs1(opened)
      }
      case 'session/resume':
        // Before the answer, because the agent sends the state of the session first.
        this.#sessions.set(sessionId, newSession())
        return openedAs1(fieldsOf(await send(method, this.#withServers(fields))))
      case 'session/set_config_option': return openedAs1(fieldsOf(await send(method, { type: 'id', ...fields })))
      case 'session/close':
        this.#sessions.delete(sessionId)
        return await send(method, params)
      case 'session/prompt': return await this.#prompt(sessionId, params)
      default: return await send(method, params)
    }
  }

  updates (params: unknown): readonly unknown[] {
    const { sessionId, update } = fieldsOf(params)
    const session = this.#sessions.get(text(sessionId) ?? '')
    return session === undefined ? [] : meant(session, fieldsOf(update)).map((one) => ({ sessionId, update: one }))
  }

  async serve (method: string, params: Fields, act: (params: Fields) => Promise<unknown>): Promise<unknown> {
    if (!served.has(method)) throw RequestError.methodNotFound(method)
    return method === 'session/request_permission' ? await this.#permission(params, act) : await act(params)
  }

  /** Sends a prompt and resolves when its work is over: in this version the answer only says that the prompt was accepted. */
  async #prompt (sessionId: string, params: unknown): Promise<unknown> {
    const session = this.#sessions.get(sessionId)
    if (session === undefined) throw RequestError.resourceNotFound(sessionId)
    session.calls = new Calls()
    session.texts = new StreamedTexts()
    const prompt = session.prompt = new Prompt()
    this.line.send('session/prompt', params).then(
      (answer) => { prompt.taken(idIn(fieldsOf(answer)['messageId'])) }, (error: unknown) => { prompt.fail(error) }
    )
    try {
      return await prompt.over
    } finally {
      if (session.prompt === prompt) session.prompt = null
    }
  }

  /** Asks for permission. A request that belongs to no call becomes a call of its own, which ends with the answer. */
  async #permission (params: Fields, act: (params: Fields) => Promise<unknown>): Promise<unknown> {
    const { sessionId, options } = params
    const calls = this.#sessions.get(text(sessionId) ?? '')?.calls ?? new Calls()
    const { call, isOwn } = subjectOf(params, calls, () => `permission-${++this.#asked}`)
    const answer = await act({ sessionId, options, toolCall: call })
    if (isOwn) {
      const { outcome, optionId } = fieldsOf(fieldsOf(answer)['outcome'])
      const chosen = list(options).map(fieldsOf).find((option) => option['optionId'] === optionId)
      const isAllowed = outcome === 'selected' && text(chosen?.['kind'])?.startsWith('allow') === true
      const status = isAllowed ? 'completed' : 'failed'
      this.line.tell({ sessionId, update: { sessionUpdate: 'tool_call_update', toolCallId: call['toolCallId'], status } })
    }
    return answer
  }

  #withServers (params: Fields): Fields {
    const mcpServers = list(params['mcpServers']).map(fieldsOf).map((server) => {
      const command = text(server['command'])
      // In this version the command has to be a path.
      return command === undefined ? server : { type: 'stdio', ...server, command: onPath(command, this.line.path) ?? command }
    })
    return { ...params, mcpServers }
  }
}

const newSession = (): Session => ({ calls: new Calls(), texts: new StreamedTexts(), prompt: null })

/** Translates the answer to `initialize`. Every session of this version can be resumed and closed. */
function initializedAs1 ({ info, capabilities, authMethods, _meta }: Fields): Fields {
  const { prompt, mcp } = fieldsOf(fieldsOf(capabilities)['session'])
  const { image, embeddedContext } = fieldsOf(prompt)
  const { http, stdio } = fieldsOf(mcp)
  return {
    protocolVersion: 2,
    agentInfo: info,
    agentCapabilities: {
      promptCapabilities: { image: image != null, embeddedContext: embeddedContext != null },
      mcpCapabilities: { http: http != null, stdio: stdio != null },
      sessionCapabilities: { resume: {}, close: {}, list: {} }
    },
    authMethods: list(authMethods).map(fieldsOf).map((method) => ({ ...method, id: method['methodId'] })),
    _meta
  }
}

function openedAs1 (opened: Fields): Fields {
  return opened['configOptions'] === undefined ? opened : { ...opened, configOptions: optionsAs1(opened['configOptions']) }
}

const optionsAs1 = (options: unknown): unknown => list(options).map(fieldsOf).map((option) => ({ ...option, id: option['configId'] }))

/** Translates an update into updates of version 1, mostly one. */
function meant (session: Session, update: Fields): Fields[] {
  const { calls, texts, prompt } = session
  const kind = text(update['sessionUpdate'])
  switch (kind) {
    case 'state_update':
      prompt?.state(update)
      return []
    case 'user_message':
    case 'user_message_chunk':
      prompt?.inserted(idIn(update['messageId']))
      return []
    case 'agent_message_chunk':
    case 'agent_thought_chunk': return [texts.chunk(update)]
    case 'agent_message':
    case 'agent_thought': return texts.whole(update)
    case 'tool_call_update': return [calls.update(update)]
    case 'tool_call_content_chunk': return calls.chunk(update)
    case 'terminal_update':
    case 'terminal_output_chunk':
      calls.terminal(update)
      return []
    case 'plan_update': {
      const { type, entries } = fieldsOf(update['plan'])
      return type === 'items' ? [{ sessionUpdate: 'plan', entries }] : []
    }
    case 'config_option_update': return [{ ...update, configOptions: optionsAs1(update['configOptions']) }]
    default: return [update]
  }
}

/** Returns the call that a request for permission is about; `isOwn`: the agent does not report it anywhere else. */
function subjectOf (params: Fields, calls: Calls, newId: () => string): { call: Fields, isOwn: boolean } {
  const subject = fieldsOf(params['subject'])
  const { title, description } = params
  const content = typeof description === 'string' ? [{ type: 'content', content: { type: 'text', text: description } }] : []
  if (subject['type'] === 'tool_call') {
    const call = calls.update(fieldsOf(subject['toolCall']))
    return { call: calls.isNamed(call) ? call : { title, ...call }, isOwn: false }
  }
  const id = text(subject['toolCallId'])
  const toolCallId = id ?? newId()
  if (subject['type'] === 'command') {
    const { command, cwd } = subject
    return { call: { toolCallId, kind: 'execute', ...id === undefined && { title }, rawInput: { command, cwd } }, isOwn: id === undefined }
  }
  // An unknown subject is shown unchanged.
  const rawInput = Object.keys(subject).length === 0 ? {} : { rawInput: subject }
  return { call: { toolCallId, title, kind: 'other', content, ...rawInput }, isOwn: id === undefined }
}
