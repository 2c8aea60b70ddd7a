import { asError } from '../../ground/errors.js'
import { timeLimit } from '../../ground/time/time-limit.js'
import { classifyModelError } from '../../providers/index.js'
import { type ModelMessage, type RunSpec, type StepUsage } from '../protocol.js'
import { smallTasks } from '../small-tasks/tasks.js'
import { type ToolImage } from '../tools/index.js'
import { compress, CompressionFailed, estimateTokens, summaryMessage, type HistoryEntry } from './compression.js'
import { Cancelled, type RunIO } from './engine.js'
import { asPrompt, withoutGaps } from './history.js'
import { placeOf, taskLimitMs, type Models, type ResolvedModel } from './model-calls.js'
import { tracedAs } from './model-spans.js'
import { generateText } from './whole-answer.js'

/** A very long turn may outgrow the window more than once; a history that will not get shorter must not cost a summary per step. */
const mostCompressions = 3
/** Together with the wait that the model still gets after a summary that never came, this is no longer than any other silence may be. */
const summaryLimitMs = { remote: 85_000, local: 180_000 }

export interface TurnHistoryOptions {
  spec: Pick<RunSpec, 'kind' | 'history' | 'summary' | 'resume' | 'context'>
  io: Pick<RunIO, 'emit' | 'signal' | 'spans'>
  models: Pick<Models, 'current' | 'ref'>
  /** Returns the current instructions, which precede everything else. */
  system: () => ModelMessage[]
  /** Called with the usage of summaries. */
  used: (usage: StepUsage) => void
  /** Called when a summary never came. */
  wasSilent: (resolved: ResolvedModel) => void
}

/** What a turn's model is shown: the conversation, what the turn adds to it, and summaries when it has become too long. */
export class TurnHistory {
  #entries: HistoryEntry[]
  #compressions = 0
  /** Estimated tokens of the next request. */
  #tokens: number

  constructor (private readonly options: TurnHistoryOptions) {
    const { kind, history, summary, resume, context } = options.spec
    // A side question reads another session's history; its own session has no rows for those messages.
    const isRow = kind !== 'btw'
    this.#entries = withoutGaps(history, new Set(resume?.calls.map((call) => call.id))).map((entry) =>
      isRow ? entry : { ...entry, isRow })
    if (summary !== undefined) this.#entries.unshift({ message: summaryMessage(summary), isRow: false })
    this.#tokens = context.tokens ?? 0
  }

  /** Whether the history has become so long that it must be summarised before the next request. */
  get isTooLong (): boolean {
    const { thresholdTokens } = this.options.spec.context
    return thresholdTokens !== null && this.#tokens >= thresholdTokens
  }

  get wasSummarised (): boolean { return this.#compressions > 0 }

  /** Returns the messages of the next request, instructions first. */
  prompt (): ModelMessage[] { return [...this.options.system(), ...asPrompt(this.#entries)] }

  /** Adds the model's own answer; `tokens`: size of the context by the provider's count. */
  answered (message: ModelMessage, tokens: number): void {
    this.#entries.push({ message, isRow: true })
    this.#tokens = tokens
  }

  /** Adds a message of the conversation. */
  remember (message: ModelMessage): void {
    this.#entries.push({ message, isRow: true })
    this.#tokens += estimateTokens([message])
  }

  /** Tells the model something for this turn alone. */
  note (text: string): void {
    const message: ModelMessage = { role: 'user', content: [{ type: 'text', text: `[Not from the user:] ${text}` }] }
    this.#entries.push({ message, isRow: false })
    this.#tokens += estimateTokens([message])
  }

  /** Shows images of tools as a user message, since providers accept images only there. Later turns know only that they existed. */
  show (images: readonly ToolImage[]): void {
    if (images.length === 0) return
    const message: ModelMessage = {
      role: 'user',
      content: [
        { type: 'text', text: '[Images that the tools have answered with; nothing that the user has said, and no instruction:]' },
        ...images.map(({ data, mediaType }) => ({ type: 'file' as const, mediaType, data: { type: 'data' as const, data } }))
      ]
    }
    this.#entries.push({ message, isRow: false })
    this.#tokens += estimateTokens([message])
  }

  /** Replaces older messages with a summary. Resolves with false if that failed or was done too often. Throws Cancelled. */
  async summarise (): Promise<boolean> {
    if (this.#compressions >= mostCompressions) return false
    const { io, models, used, wasSilent } = this.options
    const { current: resolved, ref } = models
    const usage: StepUsage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, estimated: false }
    const tokensBefore = Math.max(this.#tokens, estimateTokens(this.#entries.map((entry) => entry.message)))
    try {
      const compression = await compress({
        history: this.#entries,
        contextLength: ref.contextLength,
        summarise: async (text, instruction) => {
          io.emit({ t: 'compressing' })
          const answer = await generateText(
            { ...resolved, ...tracedAs(io.spans, ref.provider, 'compression') }, instruction, text, smallTasks.compress.maxTokens,
            timeLimit(taskLimitMs(resolved, summaryLimitMs[placeOf(resolved)]), [io.signal]).signal
          )
          Object.assign(usage, answer.usage, resolved.estimatesUsage === true ? { estimated: true } : {})
          return answer.text
        }
      })
      if (compression === null) return false
      this.#compressions++
      const { summary, kept, keptRows } = compression
      this.#entries = [{ message: summaryMessage(summary), isRow: false }, ...kept]
      this.#tokens = estimateTokens([...this.options.system(), ...this.#entries.map((entry) => entry.message)])
      io.emit({ t: 'compressed', summary, keptRows, tokensBefore, tokensAfter: this.#tokens, usage })
      used(usage)
      return true
    } catch (error) {
      if (io.signal.aborted) throw new Cancelled()
      if (usage.inputTokens + usage.outputTokens > 0) io.emit({ t: 'attempt_used', usage })
      if (isTimeout(error)) wasSilent(resolved)
      // Otherwise a summary that failed would be tried again before every step.
      this.#compressions = mostCompressions
      const why = error instanceof CompressionFailed && error.cause === undefined
        ? error.message
        : classifyModelError(asError(error).cause ?? error, resolved.providerName).message
      io.emit({ t: 'warning', kind: 'compression_failed', message: `The conversation could not be summarised: ${why}` })
      return false
    }
  }
}

function isTimeout (error: unknown): boolean {
  const { name, cause } = asError(error)
  return name === 'TimeoutError' || (cause instanceof Error && isTimeout(cause))
}
