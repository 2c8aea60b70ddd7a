import { RequestError, type SessionConfigOption, type SessionUpdate, type StopReason } from '@agentclientprotocol/sdk'
import {
  agent, methods, type AgentApp, type AgentContext, type SessionConfigOption as SecondOption,
  type SessionUpdate as SecondUpdate, type ToolCallUpdate as SecondCall
} from '@agentclientprotocol/sdk/experimental/v2'
import { randomUUID } from 'node:crypto'
import { type Editor } from './editor.js'
import { agentInfo, EditorSessions, tokenMethod, type AcpAgentOptions } from './sessions.js'

/**
 * Creates the agent for editors that use version 2 of the Agent Client Protocol, as in the library's preview of November 2026. Only this
 * file translates into that version.
 */
export function createSecondAgent (options: AcpAgentOptions): AgentApp {
  const sessions = new EditorSessions(options)
  return agent({ name: agentInfo.name })
    .onRequest(methods.agent.initialize, ({ params }) => {
      sessions.hasForms = params.capabilities?.elicitation?.form != null
      return {
        protocolVersion: 2,
        info: { ...agentInfo, version: options.version },
        capabilities: { session: { prompt: { image: {}, embeddedContext: {} }, delete: {} } },
        authMethods: [{ methodId: 'token', type: 'agent', ...tokenMethod }]
      }
    })
    .onRequest(methods.agent.auth.login, async () => await sessions.signIn())
    // The token belongs to this program and is valid until it is revoked in the app.
    .onRequest(methods.agent.auth.logout, () => {})
    .onRequest(methods.agent.session.new, async ({ params: { cwd, mcpServers }, client }) => {
      const { sessionId, configOptions } = await sessions.begin(cwd, mcpServers, new SecondEditor(client))
      return { sessionId, configOptions: optionsOf(configOptions) }
    })
    .onRequest(methods.agent.session.resume, async ({ params: { sessionId, mcpServers, replayFrom }, client }) => {
      const editor = new SecondEditor(client)
      const { configOptions, isRunning } = await sessions.resume(sessionId, { replay: replayFrom != null, servers: mcpServers }, editor)
      if (isRunning) {
        await editor.state(sessionId, 'running')
        void toldToTheEnd(editor, sessionId, async () => await sessions.follow(sessionId, editor)).catch(() => {})
      } else await editor.tellSecond(sessionId, { sessionUpdate: 'state_update', state: 'idle' })
      return { configOptions: optionsOf(configOptions) }
    })
    .onRequest(methods.agent.session.list, async ({ params: { cwd, cursor } }) => await sessions.list(cwd, cursor))
    .onRequest(methods.agent.session.delete, async ({ params: { sessionId } }) => await sessions.delete(sessionId))
    .onRequest(methods.agent.session.close, async ({ params: { sessionId } }) => await sessions.close(sessionId))
    .onRequest(methods.agent.session.setConfigOption, async ({ params }) => {
      const { sessionId, configId } = params
      const { configOptions } = await sessions.setOption(sessionId, configId, params.value)
      return { configOptions: optionsOf(configOptions) }
    })
    .onRequest(methods.agent.session.prompt, async ({ params: { sessionId, prompt }, client }) =>
      ({ messageId: await promptIn(sessions, sessionId, prompt, new SecondEditor(client)) }))
    .onNotification(methods.agent.session.cancel, async ({ params: { sessionId } }) => await sessions.cancel(sessionId))
}

type Prompt = Parameters<EditorSessions['prompt']>[1]
/** An update as it is sent. */
interface Told { sessionUpdate: string, [key: string]: unknown }

/** Resolves with the id of the message when it is in the conversation; the end of the turn is sent as a state. */
async function promptIn (sessions: EditorSessions, sessionId: string, prompt: readonly unknown[], editor: SecondEditor): Promise<string> {
  const messageId = randomUUID()
  const taken = Promise.withResolvers<string>()
  let isTaken = false
  const take = (): void => {
    isTaken = true
    void editor.tellSecond(sessionId, { sessionUpdate: 'user_message', messageId, content: prompt })
    void editor.state(sessionId, 'running')
    taken.resolve(messageId)
  }
  void toldToTheEnd(editor, sessionId, async () => {
    const stopReason = await sessions.prompt(sessionId, prompt as Prompt, editor, take)
    if (!isTaken) take()
    return stopReason
  // A prompt that was not accepted is rejected, and changes no state.
  }, () => isTaken).catch((error: unknown) => { taken.reject(error) })
  return await taken.promise
}

/** Runs a turn and sends its end as a state. If the turn fails before it has begun, this rejects with its error and sends no state. */
async function toldToTheEnd (
  editor: SecondEditor, sessionId: string, turn: () => Promise<StopReason>, isBegun: () => boolean = () => true
): Promise<void> {
  let end: { stopReason: StopReason } | { stopReason: 'error', error: { code: number, message: string } }
  try {
    end = { stopReason: await turn() }
  } catch (error) {
    if (!isBegun()) throw error
    const { code, message } = error instanceof RequestError ? error : RequestError.internalError()
    end = { stopReason: 'error', error: { code, message } }
  }
  editor.isOver = true
  await editor.tellSecond(sessionId, { sessionUpdate: 'state_update', state: 'idle', ...end })
}

class SecondEditor implements Editor {
  /** The current message: consecutive texts of the same kind belong to one message. */
  #message = { kind: '', id: '' }
  #waiting = 0
  /** Whether the turn has ended: the end of an open question then changes no state. */
  isOver = false

  constructor (private readonly client: AgentContext) {}

  async tell (sessionId: string, update: SessionUpdate): Promise<void> {
    const meant = this.#meant(update)
    if (meant !== null) await this.tellSecond(sessionId, meant)
  }

  // Messages are the same in both versions except where this class changes them, but the library has different types for them.

  /** Sends an update. The cast is needed because the library's union of updates rejects values that were assembled field by field. */
  async tellSecond (sessionId: string, update: Told): Promise<void> {
    await this.client.notify(methods.client.session.update, { sessionId, update: update as SecondUpdate })
  }

  async state (sessionId: string, state: 'running' | 'requires_action'): Promise<void> {
    await this.tellSecond(sessionId, { sessionUpdate: 'state_update', state })
  }

  choose: Editor['choose'] = async ({ sessionId, title, call, options }, signal) => await this.#asking(sessionId, async () => {
    const { outcome } = await this.client.request(methods.client.session.requestPermission, {
      sessionId, title, options, ...call !== null && { subject: { type: 'tool_call' as const, toolCall: call as SecondCall } }
    }, { cancellationSignal: signal, stopWaitingOnCancel: true })
    return 'optionId' in outcome && outcome.outcome === 'selected'
      ? { outcome: { outcome: 'selected', optionId: String(outcome.optionId) } }
      : { outcome: { outcome: 'cancelled' } }
  })

  fill: Editor['fill'] = async (form, signal) => await this.#asking(form.sessionId, async () => {
    const answer = await this.client.request(methods.client.elicitation.create, form as never, {
      cancellationSignal: signal, stopWaitingOnCancel: true
    })
    if (answer.action === 'accept') return { action: 'accept', content: 'content' in answer ? answer.content as Record<string, string> : {} }
    return { action: answer.action === 'decline' ? 'decline' : 'cancel' }
  })

  /** Asks, and marks the turn as waiting as long as any question is open. */
  async #asking<Answer> (sessionId: string, ask: () => Promise<Answer>): Promise<Answer> {
    if (++this.#waiting === 1) await this.state(sessionId, 'requires_action')
    try {
      return await ask()
    } finally {
      if (--this.#waiting === 0 && !this.isOver) await this.state(sessionId, 'running')
    }
  }

  #meant (update: SessionUpdate): Told | null {
    switch (update.sessionUpdate) {
      case 'user_message_chunk':
      case 'agent_message_chunk':
      case 'agent_thought_chunk': {
        if (this.#message.kind !== update.sessionUpdate) this.#message = { kind: update.sessionUpdate, id: randomUUID() }
        return { ...update, messageId: this.#message.id }
      }
      case 'tool_call':
      case 'tool_call_update':
        this.#message = { kind: '', id: '' }
        return { ...update, sessionUpdate: 'tool_call_update' }
      case 'plan': return { sessionUpdate: 'plan_update', plan: { type: 'items', planId: 'todos', entries: update.entries } }
      case 'available_commands_update': return {
        sessionUpdate: 'available_commands_update',
        availableCommands: update.availableCommands.map(({ name, description, input }) =>
          ({ type: 'command' as const, name, description, ...input != null && { input: { type: 'text' as const, hint: input.hint } } }))
      }
      case 'session_info_update': return { sessionUpdate: 'session_info_update', ...update.title !== undefined && { title: update.title } }
      case 'usage_update': return {
        sessionUpdate: 'usage_update', used: update.used, size: update.size, ...update.cost != null && { cost: update.cost }
      }
      default: return null
    }
  }
}

const optionsOf = (options: SessionConfigOption[]): SecondOption[] =>
  options.map(({ id, ...option }) => ({
    ...option, configId: id,
    ...'options' in option && { options: option.options.map((one) => 'group' in one ? { ...one, groupId: one.group } : one) }
  }) as SecondOption)
