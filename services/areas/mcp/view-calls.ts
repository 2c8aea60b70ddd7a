import { randomUUID } from 'node:crypto'
import { type Static } from '@sinclair/typebox'
import { type sessionFrames } from '../../../schemas/sessions.js'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { TooMany, NotFound, Unavailable } from '../../ground/errors.js'
import { framesOf, type EventBroker } from '../../ground/events/index.js'
import { fieldsOf } from '../../ground/fields.js'
import { keepNewest } from '../../ground/keep-newest.js'
import { redact } from '../../ground/redaction/index.js'
import { type AgentRuntime, type McpQueryBody } from '../../agent/index.js'
import { type McpViewMade } from '../../../schemas/mcp.js'
import { type AuditPort } from '../audit/index.js'
import { createViewCallRows, type ViewCallRow } from './view-call-rows.js'

/** The outcome of a call that a view has made. */
export type ViewCallOutcome =
  /** The server's result, with nothing masked. */
  | { state: 'done', result: unknown }
  | { state: 'refused', message: string }
  | {
    state: 'asked', askId: string, server: string, tool: string | null, args: Record<string, unknown>, description: string, mayLast: boolean
  }

/** What a view wants from its server: a tool call, or a resource. */
export type ViewWish = { tool: string, args: Record<string, unknown> } | { uri: string }
interface ViewCall { sessionId: string, callId: string, profile: string, server: string, wish: ViewWish }
/** `fingerprint`: that of the tool's description at that time. */
interface PendingCall extends ViewCall { patternKeys: string[], mayLast: boolean, fingerprint: string, atMs: number }

export interface ViewCallsOptions {
  agent: Pick<AgentRuntime, 'mcp'>
  db: Database
  events: EventBroker
  clock: Clock
  audit: Pick<AuditPort, 'soonest'>
  /** Returns what is allowed in a session now. */
  rulesOf: (sessionId: string, profile: string) => Pick<McpQueryBody<'view_call'>, 'grants' | 'denied' | 'yolo' | 'planning'>
  /** Allows keys for a session; resolves when that is on disk. */
  grant: (sessionId: string, patternKeys: string[]) => Promise<void>
}

type CallEnd = Pick<ViewCallRow, 'state' | 'answer'>

/** The host may have to be started for it, and the server by the host; the call has its own limit there. */
const callLimitMs = 120_000
const askLifeMs = 10 * 60_000
const mostAsked = 100
const mostAtOnce = 4
const mostAMinute = 60
const longestAnswer = 2_000
const longestArgs = 20_000

const frame = framesOf<typeof sessionFrames>()
const nameOf = (wish: ViewWish): { tool: string | null, args: Record<string, unknown> } =>
  'uri' in wish ? { tool: null, args: { uri: wish.uri } } : wish

/**
 * Calls of views to their servers, under the rules of the session: if those require it, a person is asked first. What was called or refused
 * is stored with the conversation, and sent to its readers.
 */
export class ViewCalls {
  readonly #asked = new Map<string, PendingCall>()
  readonly #atWork = new Map<string, number>()
  readonly #begun = new Map<string, number[]>()
  readonly #rows

  constructor (private readonly options: ViewCallsOptions) {
    this.#rows = createViewCallRows(options.db)
  }

  /** Called once, when the service has started. */
  recover (): void {
    this.options.db.soonest(() => this.#rows.lose())
  }

  /** Returns what views of a session have called, oldest first, with nothing masked. */
  made (sessionId: string): Array<Static<typeof McpViewMade>> {
    return this.#rows.list(sessionId).map(({ id, callId, server, tool, args, state, answer, createdAt }) => ({
      id, call_id: callId, server, tool, arguments: fieldsOf(JSON.parse(args)), state, answer, created_at: createdAt
    }))
  }

  /** Throws TooMany for more calls than a person could follow, and Unavailable. */
  async call (call: ViewCall): Promise<ViewCallOutcome> {
    this.#count(call.sessionId)
    return await this.#do(call, null)
  }

  /** Called when a person answers what a call has asked. Throws NotFound if it is no longer asked. */
  async answer (sessionId: string, askId: string, choice: 'once' | 'session' | 'deny'): Promise<ViewCallOutcome> {
    const { clock, audit, grant } = this.options
    const asked = this.#asked.get(askId)
    this.#asked.delete(askId)
    if (asked === undefined || asked.sessionId !== sessionId || clock.now() - asked.atMs > askLifeMs) throw new NotFound('This call no longer waits for an answer')
    const { patternKeys, server, mayLast } = asked
    const { tool, args } = nameOf(asked.wish)
    const meant = choice === 'session' && !mayLast ? 'once' : choice
    audit.soonest('approval.answered', {
      session: sessionId, approval: askId, choice: meant, command: redact(`${server}: ${tool ?? 'resources/read'} ${JSON.stringify(args)}`).slice(0, 2_000),
      pattern_keys: patternKeys
    })
    if (meant === 'deny') {
      const message = 'The user denied this call.'
      await this.#keep(asked, 'refused', message)
      return { state: 'refused', message }
    }
    if (meant === 'session') await grant(sessionId, patternKeys)
    return await this.#do(asked, asked.fingerprint)
  }

  async #do (call: ViewCall, allowed: string | null): Promise<ViewCallOutcome> {
    const { sessionId, profile, server, wish } = call
    const atWork = this.#atWork.get(sessionId) ?? 0
    if (atWork >= mostAtOnce) throw new TooMany('Too many calls of views are running in this conversation')
    this.#atWork.set(sessionId, atWork + 1)
    let ended: CallEnd | null = { state: 'failed', answer: '' }
    try {
      // Stored before it can have an effect, so that no call goes unrecorded.
      const id = await this.#keep(call, 'running', '')
      try {
        const { tool, args } = nameOf(wish)
        const body = {
          server, tool: tool ?? '', args, uri: 'uri' in wish ? wish.uri : null, allowed, ...this.options.rulesOf(sessionId, profile)
        }
        const answered = await this.options.agent.mcp(profile, 'view_call', body, { timeoutMs: callLimitMs, start: true })
        if (answered === null) throw new Unavailable('The agent did not answer in time')
        if ('error' in answered) throw new Unavailable(redact(answered.error))
        const { answer } = answered
        if ('refused' in answer) {
          const message = redact(answer.refused)
          ended = { state: 'refused', answer: message }
          return { state: 'refused', message }
        }
        if ('ask' in answer) {
          ended = null
          return this.#ask(call, answer.ask)
        }
        ended = endOf(answer.answer)
        return { state: 'done', result: answer.answer }
      } catch (error) {
        if (ended !== null && error instanceof Unavailable) ended.answer = error.message
        throw error
      } finally {
        this.#end(sessionId, call.callId, id, ended)
      }
    } finally {
      const left = (this.#atWork.get(sessionId) ?? 1) - 1
      if (left === 0) this.#atWork.delete(sessionId)
      else this.#atWork.set(sessionId, left)
    }
  }

  async #keep ({ sessionId, callId, server, wish }: ViewCall, state: ViewCallRow['state'], answer: string): Promise<string> {
    const id = randomUUID()
    const { tool, args } = nameOf(wish)
    const text = JSON.stringify(args)
    await this.options.db.durably(() => {
      this.#rows.insert({
        id, sessionId, callId, server, tool, state, answer: answer.slice(0, longestAnswer), createdAt: epochSeconds(this.options.clock),
        args: text.length > longestArgs ? JSON.stringify({ '…': text.slice(0, longestArgs) }) : text
      })
      this.#changed(sessionId, callId)
    })
    return id
  }

  /** null: a person was asked, and the call was not made. */
  #end (sessionId: string, callId: string, id: string, ended: CallEnd | null): void {
    this.options.db.soonest(() => {
      if (ended === null) this.#rows.remove(id)
      else this.#rows.end(id, { ...ended, answer: ended.answer.slice(0, longestAnswer) })
      this.#changed(sessionId, callId)
    })
  }

  /** Called inside the transaction of the change. */
  #changed (sessionId: string, callId: string): void {
    const { db, events } = this.options
    db.afterCommit(() => events.publish({ kind: 'session', id: sessionId }, () =>
      frame('view_calls_changed', { session_id: sessionId, call_id: callId })))
  }

  #ask (
    call: ViewCall,
    { description, patternKeys, maxScope, fingerprint }:
    { description: string, patternKeys: string[], maxScope: string, fingerprint: string }
  ): ViewCallOutcome {
    const askId = randomUUID()
    const mayLast = maxScope !== 'once'
    this.#asked.set(askId, { ...call, patternKeys, mayLast, fingerprint, atMs: this.options.clock.now() })
    keepNewest(this.#asked, mostAsked)
    return { state: 'asked', askId, server: call.server, ...nameOf(call.wish), description, mayLast }
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

/** Summarises a server's answer. */
function endOf (answer: unknown): CallEnd {
  const { content, structuredContent, isError, contents } = fieldsOf(answer)
  const texts = [content ?? contents].flat().flatMap((part) => {
    const { type, text, uri } = fieldsOf(part)
    return typeof text === 'string' ? [text] : [`[${typeof type === 'string' ? type : typeof uri === 'string' ? uri : 'data'}]`]
  })
  const text = texts.join('\n')
  return {
    state: isError === true ? 'failed' : 'done', answer: text === '' && structuredContent !== undefined ? JSON.stringify(structuredContent) : text
  }
}
