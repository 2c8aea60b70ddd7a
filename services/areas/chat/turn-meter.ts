import { type Static } from '@sinclair/typebox'
import { type chatFrames, type TurnUsage } from '../../../schemas/chat.js'
import { type Account, type Budgets } from '../budgets/index.js'
import { type Cost } from '../../providers/index.js'
import { type RunKind, type StepUsage, type ToldUsage } from '../../agent/protocol.js'
import { epochSeconds, monotonicMs, type Clock } from '../../ground/time/clock.js'
import { type SessionRow, type Sessions } from '../sessions/index.js'
import { type CallKind, type UsageLog } from '../usage/index.js'

/** For estimates, where a provider reports nothing. */
const charsPerToken = 4
/** Below this a rate says nothing. */
const shortestS = 0.05
const everyS = 1

export interface TurnModel { provider: string, id: string, contextLength: number | null, cost: Cost | null }

export interface MeterOptions {
  sessions: Sessions
  usageLog: UsageLog
  clock: Clock
  /** US dollars, null when the price is unknown. */
  price: (usage: StepUsage, model: TurnModel) => number | null
  budgets: Pick<Budgets, 'spend'>
}

/** Puts a model call into the books, inside a write; returns what a person is to be told of budgets. */
export type Booking = () => string[]

export interface MeteredTurn { streamId: string, sessionId: string, profile: string, startedAtS: number, kind: RunKind, account: Account }

/**
 * Counts what a turn hears and uses, for the gauges of clients and for the books. Times are seconds since its start, by a
 * clock that nobody sets; only what lies before a restart of the service is known by the wall clock alone.
 */
export class TurnMeter {
  readonly usage: StepUsage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, estimated: false }
  /** US dollars; null while nothing priced was used. */
  cost: number | null = null
  #lastPromptTokens: number | null = null
  #usageSource: ToldUsage['source'] | null = null
  #firstTokenAtS: number | null = null
  #chars = 0
  #toldAtS = -everyS
  readonly #startedMs: number

  constructor (readonly turn: MeteredTurn, readonly options: MeterOptions) {
    const { clock } = options
    this.#startedMs = monotonicMs(clock) - Math.max(0, epochSeconds(clock) - turn.startedAtS) * 1000
  }

  /** Takes up what no book has of a turn whose run goes on. */
  restoreRun ({
    lastPromptTokens, usageSource, firstTokenMs, chars
  }: { lastPromptTokens: number | null, usageSource: ToldUsage['source'] | null, firstTokenMs: number | null, chars: number }): void {
    this.#lastPromptTokens = lastPromptTokens
    this.#usageSource = usageSource
    this.#firstTokenAtS ??= firstTokenMs === null ? null : firstTokenMs / 1000
    this.#chars = chars
  }

  /** Who has told of what an agent of another maker used. */
  get usageSource (): ToldUsage['source'] | null {
    return this.#usageSource
  }

  /** Takes up what the turn had used before an interruption. */
  restore ({ cost, firstTokenMs, estimated, ...usage }: StepUsage & { cost: number | null, firstTokenMs: number | null }): void {
    Object.assign(this.usage, usage, { estimated: Boolean(estimated) })
    this.cost = cost
    this.#firstTokenAtS = firstTokenMs === null ? null : firstTokenMs / 1000
  }

  /** Counts text as it comes; true when it is time to tell the rate again. */
  heard (chars: number): boolean {
    const nowS = this.#elapsedS()
    this.#firstTokenAtS ??= nowS
    this.#chars += chars
    if (nowS - this.#toldAtS < everyS) return false
    this.#toldAtS = nowS
    return true
  }

  /** Counts a model call; `isWhole`: it has finished. */
  count (step: StepUsage, model: TurnModel | null, isWhole = true): Booking {
    const contextTokens = this.#lastPromptTokens = step.inputTokens + step.outputTokens
    const cost = this.#costOf(step, model)
    this.#add(step, cost)
    const used = {
      ...this.#owner(), streamId: this.turn.streamId, kind: this.turn.kind, ...nameOf(model), usage: { ...this.usage }, cost: this.cost,
      durationS: this.durationS(), firstTokenMs: this.firstTokenMs
    }
    return this.#book(step, cost, model, {
      contextTokens, contextLength: model?.contextLength ?? null
    }, () => this.options.usageLog.saveTurn(used, { usage: step, cost, isWhole }))
  }

  /** Counts what an agent of another maker has told of the turn; what it has not told is left open. */
  countTold (step: StepUsage | null, { source, context, costUsd }: ToldUsage, model: TurnModel | null): Booking {
    this.#usageSource = source
    const used = step ?? { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, estimated: false }
    if (context !== undefined) this.#lastPromptTokens = context.tokens
    const cost = costUsd ?? null
    this.#add(used, cost)
    const turn = {
      ...this.#owner(), streamId: this.turn.streamId, kind: this.turn.kind, ...nameOf(model), usage: { ...this.usage }, cost: this.cost,
      durationS: this.durationS(), firstTokenMs: this.firstTokenMs
    }
    return this.#book(used, cost, model, {
      contextTokens: context?.tokens ?? null, contextLength: context?.length ?? null
    }, () => this.options.usageLog.saveTurn(turn, { usage: used, cost, isWhole: true }))
  }

  /**
   * Counts a call that is no part of the answer, in a row of its own: an attempt that came to nothing, or what another model
   * has done for the one that answers. It says nothing of what the context holds, nor of how fast the answer comes.
   */
  countAside (kind: CallKind, step: StepUsage, model: TurnModel | null): Booking {
    const cost = this.#costOf(step, model)
    const used = { ...this.#owner(), kind, turnId: this.turn.streamId, ...nameOf(model), usage: step, cost }
    return this.#book(step, cost, model, { contextTokens: null, contextLength: null }, () => this.options.usageLog.addCall(used))
  }

  #book (
    step: StepUsage, cost: number | null, model: TurnModel | null, context: { contextTokens: number | null, contextLength: number | null },
    keep: () => void
  ): Booking {
    const { sessions, budgets } = this.options
    const { streamId, sessionId, account } = this.turn
    // What happens beside a conversation is told where somebody reads it, by the next call there.
    const isHeard = account.turn === streamId && account.session === sessionId
    return () => {
      const told = budgets.spend(account, { usage: step, cost, model: model?.id ?? null }, isHeard)
      sessions.rows.addUsage(sessionId, { ...step, ...context, cost })
      keep()
      return told
    }
  }

  #costOf (step: StepUsage, model: TurnModel | null): number | null {
    return model === null ? null : this.options.price(step, model)
  }

  #owner () {
    const { sessionId, profile, account } = this.turn
    return { sessionId, profile, jobId: account.job?.id ?? null }
  }

  /** Counts a model call of which only `chars` were heard: estimated, and marked as such. */
  countHeard (chars: number, promptTokens: number | null, model: TurnModel | null): Booking {
    return this.count({
      inputTokens: promptTokens ?? 0, outputTokens: Math.ceil(chars / charsPerToken), cacheReadTokens: 0, cacheWriteTokens: 0,
      estimated: true
    }, model, false)
  }

  #add (step: StepUsage, cost: number | null): void {
    const { usage } = this
    usage.inputTokens += step.inputTokens
    usage.outputTokens += step.outputTokens
    usage.cacheReadTokens += step.cacheReadTokens
    usage.cacheWriteTokens += step.cacheWriteTokens
    usage.estimated ||= step.estimated
    if (cost !== null) this.cost = (this.cost ?? 0) + cost
  }

  get firstTokenMs (): number | null {
    return this.#firstTokenAtS === null ? null : Math.round(this.#firstTokenAtS * 1000)
  }

  durationS (): number {
    return Math.round(this.#elapsedS() * 1000) / 1000
  }

  #elapsedS (): number {
    return (monotonicMs(this.options.clock) - this.#startedMs) / 1000
  }

  /** Payload of a `metering` frame; null before anything was heard. */
  metering (final: boolean): Static<typeof chatFrames['metering']> | null {
    if (this.#firstTokenAtS === null) return null
    const tps = this.#tokensPerSecond()
    return {
      tps, tps_available: tps !== null, estimated: !final || this.usage.estimated, high: null, low: null,
      active: final ? 0 : 1, ttft_ms: this.firstTokenMs, session_id: this.turn.sessionId
    }
  }

  /** What the last row of a turn tells about it. */
  rowFields (model: Pick<TurnModel, 'provider' | 'id'> | null): Record<string, unknown> {
    const tps = this.#tokensPerSecond()
    return {
      ...(tps === null ? {} : { _turnTps: tps }),
      _turnDuration: this.durationS(),
      ...(this.firstTokenMs === null ? {} : { _firstTokenMs: this.firstTokenMs }),
      ...(model === null ? {} : { _usedModel: model.id, _usedProvider: model.provider })
    }
  }

  /** `usage` of a `done` frame: the session's totals, this turn's rates, and what the context holds now. */
  doneUsage (
    session: SessionRow, cacheHitPercent: number | null, model: Pick<TurnModel, 'provider' | 'id'> | null
  ): Static<typeof TurnUsage> {
    const { inputTokens, cacheReadTokens } = this.usage
    return {
      input_tokens: session.inputTokens,
      output_tokens: session.outputTokens,
      estimated_cost: session.estimatedCost,
      cache_read_tokens: session.cacheReadTokens,
      cache_write_tokens: session.cacheWriteTokens,
      cache_hit_percent: cacheHitPercent,
      turn_cache_hit_percent: inputTokens === 0 || cacheReadTokens === 0 ? null : Math.round(cacheReadTokens / inputTokens * 100),
      duration_seconds: this.durationS(),
      tps: this.#tokensPerSecond(),
      ttft_ms: this.firstTokenMs,
      used_model: model?.id ?? null,
      used_provider: model?.provider ?? null,
      context_length: session.contextLength,
      threshold_tokens: session.thresholdTokens,
      last_prompt_tokens: this.#lastPromptTokens,
      post_compression_context_tokens_estimate: null,
      ...(this.#usageSource === null ? {} : { usage_source: this.#usageSource })
    }
  }

  #tokensPerSecond (): number | null {
    if (this.#firstTokenAtS === null) return null
    const seconds = this.#elapsedS() - this.#firstTokenAtS
    const tokens = this.usage.outputTokens > 0 && !this.usage.estimated ? this.usage.outputTokens : this.#chars / charsPerToken
    return seconds < shortestS ? null : Math.round(tokens / seconds * 10) / 10
  }
}

const nameOf = (model: TurnModel | null) => ({ provider: model?.provider ?? null, model: model?.id ?? null })
