import { forgetViews, keptViewsOf, readView, serverOfView, type AgentRuntime, type KeptView } from '../../agent/index.js'
import { NotFound } from '../../ground/errors.js'
import { redactDeep } from '../../ground/redaction/index.js'
import { type Profiles } from '../profiles/index.js'
import { ViewCalls, type ViewCallOutcome, type ViewCallsOptions, type ViewWish } from './view-calls.js'

export interface McpViewsOptions extends Omit<ViewCallsOptions, 'agent'> {
  profiles: Pick<Profiles, 'settings'>
  agent: Pick<AgentRuntime, 'mcp'>
  /** Returns the profile of a session. Throws NotFound. */
  profileOf: (sessionId: string) => string
}

/** The views of sessions: pages that servers have sent with the answers of calls, and what these pages call themselves. */
export class McpViews {
  readonly #calls: ViewCalls

  constructor (private readonly options: McpViewsOptions) {
    this.#calls = new ViewCalls(options)
    this.#calls.recover()
  }

  /** Returns the calls of a session that have a view. Throws NotFound for an unknown session. */
  of (sessionId: string): string[] {
    return keptViewsOf(this.#homeOf(sessionId), sessionId)
  }

  /** Returns the view of a call: its page as the server wrote it, and its data with credentials masked. Throws NotFound. */
  async find (sessionId: string, callId: string): Promise<KeptView> {
    const found = await readView(this.#homeOf(sessionId), sessionId, callId)
    if (found === null) throw noView()
    return { ...found, args: redactDeep(found.args), answer: redactDeep(found.answer) }
  }

  /** Returns what views of a session have called, oldest first, with credentials masked. Throws NotFound for an unknown session. */
  calls (sessionId: string): ReturnType<ViewCalls['made']> {
    this.options.profileOf(sessionId)
    return redactDeep(this.#calls.made(sessionId))
  }

  /**
   * Called when a view of a session calls a tool of its own server, or reads a resource of it. Throws NotFound for a call without a view,
   * and the errors of ViewCalls.
   */
  async call (sessionId: string, callId: string, wish: ViewWish): Promise<ViewCallOutcome> {
    const profile = this.options.profileOf(sessionId)
    const server = serverOfView(this.#homeOf(sessionId), sessionId, callId)
    if (server === null) throw noView()
    return masked(await this.#calls.call({ sessionId, callId, profile, server, wish }))
  }

  /** Called when a person answers what a call of a view has asked. Throws NotFound if it is no longer asked. */
  async answer (sessionId: string, askId: string, choice: 'once' | 'session' | 'deny'): Promise<ViewCallOutcome> {
    return masked(await this.#calls.answer(sessionId, askId, choice))
  }

  /** Called when a session is gone. Never rejects. */
  async forget (sessionId: string, homes: readonly string[]): Promise<void> {
    for (const home of homes) await forgetViews(home, sessionId)
  }

  #homeOf (sessionId: string): string {
    return this.options.profiles.settings(this.options.profileOf(sessionId)).home
  }
}

const noView = (): NotFound => new NotFound('This call has no view')

/** Masks a server's answer in the same way as for a model's call. */
const masked = (outcome: ViewCallOutcome): ViewCallOutcome =>
  outcome.state === 'done' ? { ...outcome, result: redactDeep(outcome.result) } : outcome
