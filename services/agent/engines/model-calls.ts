import { type LanguageModelV4 } from '@ai-sdk/provider'
import { setTimeout as sleep } from 'node:timers/promises'
import { answerLimits } from '../../providers/index.js'
import { classifyModelError, shortLimitMs, type ModelFailure } from '../../providers/index.js'
import { type Limit, type ModelRef, type StepUsage } from '../protocol.js'
import { Cancelled, type RunIO } from './engine.js'
import { RequestSpan, type TracedAs } from './model-spans.js'
import { streamStep, type StepRequest, type StepResult } from './model-step.js'
import { inTurn } from './whole-answer.js'
import { Retelling } from './retelling.js'
import { OptionUnsupported, unsupportedOption } from './sampling-options.js'

export interface LoopTiming {
  /** First retry delay; each further one doubles it. */
  retryBaseMs: number
  /** How long a model may stay silent before its answer, and in the middle of it. */
  firstChunkMs: number
  nextChunkMs: number
  /** How long one step may wait without an answer: all silences of its attempts and the pauses between them, added up. */
  silenceMs: number
}

/** A model that runs on this machine or in this network may take minutes to read a long prompt. */
export type ModelTiming = Record<'remote' | 'local', LoopTiming>

export interface ResolvedModel {
  model: LanguageModelV4
  /** Name for messages to a person. */
  providerName: string
  providerOptions?: StepRequest['providerOptions']
  /** Its token counts count as estimates, whatever it reports. */
  estimatesUsage?: boolean
  isLocal?: boolean
  /** Returns the name of the machine that was asked last; null before the first request. */
  host?: () => string | null
  /** Set if it accepts an answer format together with tools; if absent, it is told of the format in words alone. */
  takesFormats?: true
  /** How long it may stay silent, and how long a small task may take, instead of the defaults. */
  timeoutMs?: number
  /** Resolves when it may be called, with a function to call afterwards; if absent, it may be called at any time. */
  enter?: (signal: AbortSignal) => Promise<() => void>
  /** Called with the usage of each non-streamed request. */
  used?: (usage: StepUsage) => void
  /** How non-streamed requests are recorded as spans; if absent, they are not. */
  traced?: TracedAs | undefined
}

/** How long a small task may take. */
export const taskLimitMs = ({ timeoutMs }: Pick<ResolvedModel, 'timeoutMs'>, usualMs: number): number => timeoutMs ?? usualMs

export const placeOf = ({ isLocal }: Pick<ResolvedModel, 'isLocal'>): keyof ModelTiming => isLocal === true ? 'local' : 'remote'

export type Failure = Omit<ModelFailure, 'type' | 'limit'> & { type: string, host?: string, attempts?: number, limit?: Limit }

/** The model that is asked, and those that replace it. */
export interface Models {
  readonly current: ResolvedModel
  readonly ref: ModelRef
  /** Switches to another model. Resolves with false if there is none. Throws Cancelled. */
  replace (failure: Failure): Promise<boolean>
  /** Returns the failure that a person is shown when no model is left. */
  lastWord (failure: Failure): Failure
}

/** Thrown when there is no answer; the failure says why. */
export class ModelGaveUp extends Error {
  constructor (readonly failure: Failure) {
    super(failure.message)
  }
}

/** Failures before anything was heard are retried twice, failures in the middle of an answer three times. */
const retriesUnheard = 2
const retriesHeard = 3
/** How long any attempt waits at least, even if little of the step's time is left. */
const shortestWaitMs = 5_000
const afterSummaryMs = 30_000

/** `providerOptions`: in addition to those of the model. */
type Request = Pick<
  StepRequest, 'prompt' | 'tools' | 'mayCallTools' | 'maxOutputTokens' | 'sampling' | 'toolChoice' | 'responseFormat'
  | 'providerOptions'
>

/** The model calls of one turn. Each is retried until there is an answer, or until retrying is pointless. */
export class ModelCalls {
  /** How many more characters the answers of the turn may have. */
  #room: number = answerLimits.turnChars
  /** How long this step has waited without an answer. */
  #vainMs = 0
  /** What the first step had already said before an interruption. */
  #before: { text: string, reasoning: string } | undefined

  constructor (
    readonly io: RunIO, readonly timing: ModelTiming, readonly models: Models, before?: { text: string, reasoning: string }
  ) {
    this.#before = before
  }

  /**
   * Asks until there is an answer, with the request that `requestFor` builds for the current model. What a failed attempt said
   * stays visible until the next one says something else. A model that gives up is replaced if the profile names another.
   * Throws ModelGaveUp, and Cancelled when the turn is cancelled.
   */
  async ask (requestFor: (resolved: ResolvedModel) => Promise<Request>): Promise<StepResult> {
    const retelling = new Retelling((told) => this.io.emit(told), this.#before)
    this.#before = undefined
    while (true) {
      const asked = await this.#askOne(this.models.current, await requestFor(this.models.current), retelling)
      if ('result' in asked) return asked.result
      if (!await this.models.replace(asked.failure)) throw new ModelGaveUp(this.models.lastWord(asked.failure))
      this.#vainMs = 0
    }
  }

  /** Asks one model until it has answered or given up. */
  async #askOne (resolved: ResolvedModel, request: Request, retelling: Retelling): Promise<{ result: StepResult } | { failure: Failure }> {
    const failures = { heard: 0, unheard: 0 }
    while (true) {
      const attempt = this.#attempt(resolved, request, retelling, failures.heard + failures.unheard + 1)
      try {
        const result = await attempt.answer
        attempt.span.answered(result, resolved.estimatesUsage === true)
        retelling.end()
        this.#room -= result.chars
        this.#vainMs = 0
        return { result }
      } catch (error) {
        const isCancelled = this.io.signal.aborted
        const found = classifyModelError(error, { provider: { displayName: resolved.providerName }, modelId: this.models.ref.id })
        attempt.span.failed(isCancelled ? 'cancelled' : found.type)
        if (isCancelled) throw new Cancelled()
        if (error instanceof OptionUnsupported) return { failure: unsupportedOption(error, resolved.providerName) }
        this.#vainMs += attempt.silentMs()
        const kind = attempt.wasHeard() ? 'heard' : 'unheard'
        const failure = await this.#pause(resolved, found, ++failures[kind], kind)
        const host = resolved.host?.() ?? null
        if (failure !== null) {
          const { limit, ...given } = failure
          const attempts = failures.heard + failures.unheard
          return {
            failure: {
              ...given, ...(host !== null && { host }), attempts, ...(limit !== undefined && { limit: this.#named(limit, resolved) })
            }
          }
        }
      }
    }
  }

  /** Called when a summary never came: the model may not answer either, so the step waits only `afterSummaryMs` more. */
  wasSilent (resolved: ResolvedModel): void {
    this.#vainMs = Math.max(this.#vainMs, this.#timingOf(resolved).silenceMs - afterSummaryMs)
  }

  #named ({ waitMs }: NonNullable<ModelFailure['limit']>, { providerName }: ResolvedModel): Limit {
    const { provider, id } = this.models.ref
    return { provider, id, name: providerName, waitMs }
  }

  /** Waits before the next attempt and resolves with null; resolves with the failure if there will be no other attempt. */
  async #pause (resolved: ResolvedModel, failure: ModelFailure, tries: number, kind: 'heard' | 'unheard'): Promise<ModelFailure | null> {
    const { retryBaseMs, silenceMs } = this.#timingOf(resolved)
    if (!failure.retryable || tries > (kind === 'heard' ? retriesHeard : retriesUnheard)) return asLimit(failure)
    const pauseMs = Math.max(failure.retryAfterMs ?? 0, retryBaseMs * 2 ** (tries - 1))
    if (pauseMs > shortLimitMs || this.#vainMs + pauseMs >= silenceMs) return asLimit(withWait(failure))
    this.#vainMs += pauseMs
    this.io.emit({
      t: 'warning', kind: 'retry', message: `${failure.message} Trying again in ${Math.max(1, Math.round(pauseMs / 1000))} s.`
    })
    await sleep(pauseMs, undefined, { signal: this.io.signal }).catch(() => { throw new Cancelled() })
    return null
  }

  /** Makes one request; `count`: its number among the attempts, from 1. */
  #attempt (resolved: ResolvedModel, request: Request, retelling: Retelling, count: number) {
    const { io } = this
    const { model, providerOptions, estimatesUsage } = resolved
    const { provider, id } = this.models.ref
    const span = new RequestSpan(io.spans, { ...request, provider, model: id, attempt: count })
    let wasHeard = false
    let signMs = performance.now()
    const say = (t: 'token' | 'reasoning') => (text: string): void => {
      wasHeard = true
      retelling.hear(t, text)
    }
    retelling.begin()
    const answer = inTurn(resolved, io.signal, async () => {
      span.begin()
      return await streamStep({
        ...request,
        model,
        headers: span.headers,
        providerOptions: withOptions(providerOptions, request.providerOptions),
        signal: io.signal,
        ...this.#waits(this.#timingOf(resolved)),
        turnRoom: this.#room,
        onSign () {
          signMs = performance.now()
          span.hears(signMs)
        },
        onWasted: (usage) => {
          span.wasted(usage)
          io.emit({ t: 'attempt_used', usage: estimatesUsage === true ? { ...usage, estimated: true } : usage })
        },
        onText: say('token'),
        onReasoning: say('reasoning'),
        drained: () => io.drained()
      })
    }, () => { signMs = performance.now() })
    return { answer, span, wasHeard: () => wasHeard, silentMs: () => performance.now() - signMs }
  }

  /** Returns the time limits of a model. The profile's own limit takes precedence over the defaults. */
  #timingOf (resolved: ResolvedModel): LoopTiming {
    const usual = this.timing[placeOf(resolved)]
    const { timeoutMs } = resolved
    return timeoutMs === undefined
      ? usual
      : { ...usual, firstChunkMs: timeoutMs, nextChunkMs: timeoutMs, silenceMs: Math.max(usual.silenceMs, timeoutMs) }
  }

  /** Returns how long the next attempt may be silent, after what this step has already waited. */
  #waits ({ firstChunkMs, nextChunkMs, silenceMs }: LoopTiming): Pick<LoopTiming, 'firstChunkMs' | 'nextChunkMs'> {
    const leftMs = Math.max(shortestWaitMs, silenceMs - this.#vainMs)
    return { firstChunkMs: Math.min(firstChunkMs, leftMs), nextChunkMs: Math.min(nextChunkMs, leftMs) }
  }
}

function withOptions (usual: StepRequest['providerOptions'], more: StepRequest['providerOptions']): StepRequest['providerOptions'] {
  if (more === undefined) return usual
  return Object.fromEntries([...new Set([...Object.keys(usual ?? {}), ...Object.keys(more)])].map((provider) =>
    [provider, { ...usual?.[provider], ...more[provider] }]))
}

/** Marks a rate limit that has outlasted the retries as a limit whose end is not known. */
function asLimit (failure: ModelFailure): ModelFailure {
  return failure.type === 'rate_limit' && failure.limit === undefined ? { ...failure, limit: { waitMs: null } } : failure
}

/** Adds when to try again, for a provider that wants a longer pause than the service waits. It is not asked early. */
function withWait (failure: ModelFailure): ModelFailure {
  const { retryAfterMs } = failure
  if (retryAfterMs === undefined || retryAfterMs === 0) return failure
  const time = inWords(retryAfterMs)
  const { about: _, ...rest } = failure
  return {
    ...rest, message: `${failure.message} It asks to be left alone for ${time}.`, hint: `Try again in ${time}, or choose another model.`
  }
}

/** Returns a duration in words, rounded up. */
function inWords (ms: number): string {
  const units = [['second', 1_000, 90], ['minute', 60_000, 90], ['hour', 3_600_000, 36]] as const
  for (const [unit, unitMs, most] of units) {
    const amount = Math.max(1, Math.ceil(ms / unitMs))
    if (amount <= most) return `${amount} ${unit}${amount === 1 ? '' : 's'}`
  }
  const days = Math.ceil(ms / 86_400_000)
  return days <= 31 ? `${days} days` : 'more than a month'
}
