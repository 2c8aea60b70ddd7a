import { isDeepStrictEqual } from 'node:util'
import { after } from '../../ground/concurrency/after.js'
import { promptId } from '../../ground/ids.js'
import { isOneOf } from '../../ground/one-of.js'
import { type Approval, Cancelled, type Asking } from '../engines/engine.js'
import { isGranted } from '../policy/index.js'
import {
  approvalChoices, type ApprovalAsk, type AskOrigin, type ClarifyAsk, type ControlAck, type ResumedAsk, type RunEventBody, type RunSpec
} from '../protocol.js'

interface OpenAsk {
  /** Set for approvals: what they ask for. */
  approval?: ApprovalAsk
  /** Set for questions: two with the same text are the same question. */
  question?: string
  answer: Promise<string | null>
  isByYolo: boolean
  settle (value: string | null, how: 'answered' | 'expired' | 'yolo' | 'cancelled'): void
  cancel (): void
}

export interface AsksOptions {
  spec: Pick<RunSpec, 'attended' | 'approvalTimeoutS' | 'clarifyTimeoutS' | 'yolo' | 'grants' | 'resume'>
  emit: (event: RunEventBody) => void
  isCancelled: () => boolean
}

/**
 * What a run asks a person, and what it has been allowed. A paused turn is only a promise: it holds no thread, and a timer only if the
 * approval expires.
 */
export class OpenAsks {
  readonly grants: Set<string>
  #yolo: boolean
  readonly #open = new Map<string, OpenAsk>()
  /** Prompts from before an interruption that the run has not reached again yet, and answers that they have already received. */
  readonly #awaited: Map<string, ResumedAsk>
  readonly #early = new Map<string, string>()

  constructor (private readonly options: AsksOptions) {
    const { resume, yolo, grants } = options.spec
    this.#awaited = new Map(resume?.asks.map((ask) => [ask.callId, ask]))
    this.#yolo = yolo
    this.grants = new Set(grants)
  }

  get isOpen (): boolean { return this.#open.size > 0 }

  get yolo (): boolean { return this.#yolo }

  /** Asks for permission. Aborting `signal` withdraws the question: it is closed, and the answer is null. */
  async approval (ask: Omit<ApprovalAsk, 'timeoutS'>, from: Asking, signal?: AbortSignal): Promise<Approval | null> {
    const timeoutS = this.options.spec.approvalTimeoutS
    const body = { ...ask, timeoutS }
    const {
      value, shown, isByYolo
    } = await this.#ask({ approval: body }, body, timeoutS, from, (origin) => ({ t: 'ask', kind: 'approval', body, ...origin }), signal)
    if (value === null) return null
    const choice = isOneOf(approvalChoices, value) ? value : 'deny'
    return { choice, foresight: 'foresight' in shown ? shown.foresight : undefined, isByYolo }
  }

  /**
   * Asks a question. The same question asked twice in a row is one card, and one answer serves both. Returns null at once if the turn is
   * unattended. Aborting `signal` withdraws it. The web tier measures its time, because it knows whether anybody could see the card; a
   * form has that time once for each field.
   */
  async question (ask: Omit<ClarifyAsk, 'timeoutS'>, from: Asking, signal?: AbortSignal): Promise<string | null> {
    const { attended, clarifyTimeoutS } = this.options.spec
    if (!attended) return null
    const timeoutS = clarifyTimeoutS * Math.max(1, ask.form?.fields.length ?? 1)
    const question = JSON.stringify(ask)
    const last = [...this.#open.values()].findLast((open) => open.question !== undefined)
    if (last?.question === question) return await last.answer
    const body = { ...ask, timeoutS }
    return (await this.#ask({ question }, body, 0, from, (origin) => ({ t: 'ask', kind: 'clarify', body, ...origin }), signal)).value
  }

  answer (askId: string, value: string): ControlAck['result'] {
    const ask = this.#open.get(askId)
    if (ask === undefined) return this.#answerEarly(askId, value)
    this.#settle(ask, value)
    return 'applied'
  }

  /** Called when the time of a question is over. */
  unanswered (askId: string): ControlAck['result'] {
    const ask = this.#open.get(askId)
    if (ask === undefined) return 'stale'
    ask.settle(null, 'expired')
    return 'applied'
  }

  /** Switches yolo. Switched on, it also answers open approvals, except those that only a person may answer. */
  setYolo (on: boolean): void {
    this.#yolo = on
    if (!on) return
    for (const ask of [...this.#open.values()]) if (ask.approval !== undefined && ask.approval.personal !== true) ask.settle('once', 'yolo')
  }

  /** Keeps a permission that lasts, and answers the open approvals that it covers. */
  grant (patternKeys: readonly string[]): void {
    for (const key of patternKeys) this.grants.add(key)
    for (const { approval, settle } of [...this.#open.values()]) {
      if (approval === undefined || approval.maxScope === 'once') continue
      // What only a person may answer is covered by exactly what the person allowed, never by a pattern.
      const isCovered = (key: string): boolean => approval.personal === true ? patternKeys.includes(key) : isGranted(key, this.grants)
      if (approval.patternKeys.every(isCovered)) settle('once', 'answered')
    }
  }

  /** Closes the prompt that a call had before an interruption, because it no longer asks. Returns an answer already given, or null. */
  letGo (callId: string): string | null {
    const asked = this.#takeUp(callId)
    if (asked === undefined) return null
    this.options.emit({ t: 'ask_closed', askId: asked.askId, how: 'cancelled' })
    return this.#early.get(asked.askId) ?? null
  }

  /** Called when the run is over or cancelled: everything that waits throws Cancelled. */
  close (): void {
    for (const ask of [...this.#open.values()]) ask.cancel()
  }

  /** A person may answer before a resumed turn has reached the question again. */
  #answerEarly (askId: string, value: string): ControlAck['result'] {
    if (![...this.#awaited.values()].some((ask) => ask.askId === askId)) return 'stale'
    this.#early.set(askId, value)
    return 'applied'
  }

  #settle (ask: OpenAsk, value: string): void {
    ask.settle(value, 'answered')
    const { approval } = ask
    if (approval !== undefined && approval.maxScope !== 'once' && (value === 'session' || value === 'always')) {
      this.grant(approval.patternKeys)
    }
  }

  /** Takes the prompt that a call had before the interruption, once, because call ids may repeat. Closes one that asked something else. */
  #takeUp (callId: string, body?: ApprovalAsk | ClarifyAsk): ResumedAsk | undefined {
    const asked = this.#awaited.get(callId)
    this.#awaited.delete(callId)
    if (asked === undefined || body === undefined || sameQuestion(asked.body, body)) return asked
    this.options.emit({ t: 'ask_closed', askId: asked.askId, how: 'cancelled' })
    return undefined
  }

  /** Opens a prompt. A call whose prompt outlived a restart continues it: same id, same content, and the time that is left. */
  async #ask (
    about: Pick<OpenAsk, 'approval' | 'question'>, body: ApprovalAsk | ClarifyAsk, timeoutS: number, from: Asking,
    event: (origin: AskOrigin & { askId: string }) => RunEventBody, signal?: AbortSignal
  ): Promise<{ value: string | null, shown: ApprovalAsk | ClarifyAsk, isByYolo: boolean }> {
    if (this.options.isCancelled()) throw new Cancelled()
    const known = this.#takeUp(from.callId, body)
    const askId = known?.askId ?? promptId()
    const timeLeftMs = known === undefined ? (timeoutS > 0 ? timeoutS * 1000 : null) : timeLeftOf(known)
    const expiresAtMs = known === undefined ? (timeLeftMs === null ? null : Date.now() + timeLeftMs) : known.expiresAtMs
    const ask = this.#opened(askId, about)
    const early = this.#early.get(askId)
    if (early !== undefined) this.#settle(ask, early)
    else {
      if (timeLeftMs !== null) void ask.answer.catch(() => {}).finally(after(timeLeftMs, () => ask.settle(null, 'expired')))
      this.options.emit(event({ askId, ...from, expiresAtMs }))
    }
    if (signal !== undefined) this.#withdrawWith(signal, askId, ask)
    const value = await ask.answer
    return { value, shown: known?.body ?? body, isByYolo: ask.isByYolo }
  }

  #withdrawWith (signal: AbortSignal, askId: string, ask: OpenAsk): void {
    const withdraw = (): void => { if (this.#open.get(askId) === ask) ask.settle(null, 'cancelled') }
    signal.addEventListener('abort', withdraw, { once: true })
    void ask.answer.catch(() => {}).finally(() => signal.removeEventListener('abort', withdraw))
    if (signal.aborted) withdraw()
  }

  #opened (askId: string, about: Pick<OpenAsk, 'approval' | 'question'>): OpenAsk {
    const { promise: answer, resolve, reject } = Promise.withResolvers<string | null>()
    const close = (how: 'answered' | 'expired' | 'yolo' | 'cancelled'): void => {
      this.#open.delete(askId)
      this.options.emit({ t: 'ask_closed', askId, how })
    }
    const ask: OpenAsk = {
      ...about,
      answer,
      isByYolo: false,
      settle (value, how) {
        ask.isByYolo = how === 'yolo'
        close(how)
        resolve(value)
      },
      cancel () {
        close('cancelled')
        reject(new Cancelled())
      }
    }
    this.#open.set(askId, ask)
    return ask
  }
}

/**
 * Returns the time in milliseconds that a prompt has left after a restart. Only the wall clock survives a restart. If it was changed
 * meanwhile, the prompt still never gets more than its full time, and from here on a monotonic timer counts.
 */
function timeLeftOf ({ expiresAtMs, body }: ResumedAsk): number | null {
  if (expiresAtMs === null) return null
  return Math.min(Math.max(0, expiresAtMs - Date.now()), body.timeoutS > 0 ? body.timeoutS * 1000 : Infinity)
}

/** Compares two prompts without the foresight, which may have changed although the call is the same, and what older versions leave out. */
function sameQuestion (one: ApprovalAsk | ClarifyAsk, other: ApprovalAsk | ClarifyAsk): boolean {
  const question = (ask: ApprovalAsk | ClarifyAsk): unknown =>
    JSON.parse(JSON.stringify({ ...ask, timeoutS: 0, foresight: undefined, tool: undefined }))
  return isDeepStrictEqual(question(one), question(other))
}
