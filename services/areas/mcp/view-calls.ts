import { randomUUID } from 'node:crypto'
import { type Clock } from '../../ground/clock.js'
import { TooMany, NotFound, Unavailable } from '../../ground/errors.js'
import { keepNewest } from '../../ground/keep-newest.js'
import { redact } from '../../ground/redaction/index.js'
import { type AgentRuntime, type McpQueryBody } from '../../agent/index.js'
import { type AuditPort } from '../audit/index.js'

/** What became of a call that a view has made. */
export type ViewCallOutcome =
  /** As the server has said it, with nothing masked. */
  | { state: 'done', result: unknown }
  | { state: 'refused', message: string }
  | { state: 'asked', askId: string, server: string, tool: string, args: Record<string, unknown>, description: string, mayLast: boolean }

interface ViewCall { sessionId: string, profile: string, server: string, tool: string, args: Record<string, unknown> }
/** `fingerprint`: of the tool as its server described it then. */
interface Asked extends ViewCall { patternKeys: string[], mayLast: boolean, fingerprint: string, atMs: number }

export interface ViewCallsOptions {
  agent: Pick<AgentRuntime, 'mcp'>
  clock: Clock
  audit: Pick<AuditPort, 'soonest'>
  /** What is allowed in a session now. */
  rulesOf: (sessionId: string, profile: string) => Pick<McpQueryBody<'view_call'>, 'grants' | 'denied' | 'yolo' | 'planning'>
  /** Allows keys for a session; on disk when it resolves. */
  grant: (sessionId: string, patternKeys: string[]) => Promise<void>
}

/** The host is started for it, perhaps, and the server by the host; the call has its own limit there. */
const callLimitMs = 120_000
const askLifeMs = 10 * 60_000
const mostAsked = 100
const mostAtOnce = 4
const mostAMinute = 60

/** Calls of tools that views make, under the rules of the session: what those would ask a person is asked first. */
export class ViewCalls {
  readonly #asked = new Map<string, Asked>()
  readonly #atWork = new Map<string, number>()
  readonly #begun = new Map<string, number[]>()

  constructor (private readonly options: ViewCallsOptions) {}

  /** Throws TooMany for more than a person could follow, and Unavailable. */
  async call (call: ViewCall): Promise<ViewCallOutcome> {
    this.#count(call.sessionId)
    return await this.#do(call, null)
  }

  /** A person answers what a call has asked. Throws NotFound for what is not asked any more. */
  async answer (sessionId: string, askId: string, choice: 'once' | 'session' | 'deny'): Promise<ViewCallOutcome> {
    const { clock, audit, grant } = this.options
    const asked = this.#asked.get(askId)
    this.#asked.delete(askId)
    if (asked === undefined || asked.sessionId !== sessionId || clock.now() - asked.atMs > askLifeMs) throw new NotFound('This is not asked any more')
    const { patternKeys, tool, server, mayLast } = asked
    const meant = choice === 'session' && !mayLast ? 'once' : choice
    audit.soonest('approval.answered', {
      session: sessionId, approval: askId, choice: meant, command: redact(`${server}: ${tool} ${JSON.stringify(asked.args)}`).slice(0, 2_000),
      pattern_keys: patternKeys
    })
    if (meant === 'deny') return { state: 'refused', message: 'The user denied this call.' }
    if (meant === 'session') await grant(sessionId, patternKeys)
    return await this.#do(asked, asked.fingerprint)
  }

  async #do (call: ViewCall, allowed: string | null): Promise<ViewCallOutcome> {
    const { sessionId, profile, server, tool, args } = call
    const atWork = this.#atWork.get(sessionId) ?? 0
    if (atWork >= mostAtOnce) throw new TooMany('Views of this conversation are at work already')
    this.#atWork.set(sessionId, atWork + 1)
    try {
      const body = { server, tool, args, allowed, ...this.options.rulesOf(sessionId, profile) }
      const answered = await this.options.agent.mcp(profile, 'view_call', body, { timeoutMs: callLimitMs, start: true })
      if (answered === null) throw new Unavailable('The agent did not answer in time')
      if ('error' in answered) throw new Unavailable(redact(answered.error))
      const { answer } = answered
      if ('refused' in answer) return { state: 'refused', message: redact(answer.refused) }
      if (!('ask' in answer)) return { state: 'done', result: answer.answer }
      return this.#ask(call, answer.ask)
    } finally {
      const left = (this.#atWork.get(sessionId) ?? 1) - 1
      if (left === 0) this.#atWork.delete(sessionId)
      else this.#atWork.set(sessionId, left)
    }
  }

  #ask (
    { sessionId, profile, server, tool, args }: ViewCall,
    { description, patternKeys, maxScope, fingerprint }:
    { description: string, patternKeys: string[], maxScope: string, fingerprint: string }
  ): ViewCallOutcome {
    const askId = randomUUID()
    const mayLast = maxScope !== 'once'
    this.#asked.set(askId, { sessionId, profile, server, tool, args, patternKeys, mayLast, fingerprint, atMs: this.options.clock.now() })
    keepNewest(this.#asked, mostAsked)
    return { state: 'asked', askId, server, tool, args, description, mayLast }
  }

  #count (sessionId: string): void {
    const now = this.options.clock.now()
    const recent = (this.#begun.get(sessionId) ?? []).filter((at) => now - at < 60_000)
    if (recent.length >= mostAMinute) throw new TooMany('Views of this conversation call tools too often')
    this.#begun.delete(sessionId)
    this.#begun.set(sessionId, [...recent, now])
    keepNewest(this.#begun, 200)
  }
}
