import { reason, sentencesOf } from '../../../reasons/index.js'
import { timeLimit } from '../../ground/time/time-limit.js'
import { visible } from '../../ground/text/visible.js'
import { classifyModelError } from '../../providers/index.js'
import { denialOf } from '../policy/index.js'
import { type ApprovalAsk, type ModelMessage, type RunSpec, type StepUsage } from '../protocol.js'
import { type Sample, type Sampled } from '../tools/index.js'
import { type TurnBudget } from './budget.js'
import { Cancelled, type RunIO } from './engine.js'
import { quoted } from './quoted-conversation.js'
import { placeOf, taskLimitMs } from './model-calls.js'
import { tracedAs } from './model-spans.js'
import { generateAnswer } from './whole-answer.js'
import { type RunModels } from './run-models.js'
import { warned } from '../run-events.js'

const answerLimitMs = { remote: 60_000, local: 180_000 }

export interface SamplingOptions {
  spec: Pick<RunSpec, 'attended'>
  io: Pick<RunIO, 'signal' | 'emit' | 'askApproval' | 'denied' | 'spans'>
  models: Pick<RunModels, 'current' | 'ref'>
  budget: Pick<TurnBudget, 'over'>
  /** Called with the model's usage. */
  used: (usage: StepUsage) => void
}

/** Answers MCP servers that ask the turn's model. A person sees and allows each request. */
export class Sampling {
  #asked = 0

  constructor (private readonly options: SamplingOptions) {}

  /** Answers one request. An unattended turn refuses it. Throws Cancelled, and the reason of `signal`. */
  async answer (sample: Sample, callId: string, signal: AbortSignal): Promise<Sampled> {
    const { io, spec, models } = this.options
    const { server, key, maxTokens } = sample
    if (!spec.attended) return { refused: 'Nobody watches this conversation who could allow it.', isFinal: true }
    if (denialOf(key, io.denied()) !== undefined) return { refused: 'The operator\'s rules do not allow it.', isFinal: true }
    const usedUp = await this.#usedUp()
    if (usedUp !== null) return usedUp
    const reasons = [reason('mcp_asks_model', { server, model: models.ref.id, tokens: maxTokens })]
    const answer = await io.askApproval({
      command: `${server}: ask ${models.ref.id}, for up to ${maxTokens} tokens`,
      description: sentencesOf(reasons),
      reasons,
      patternKey: key,
      patternKeys: [key],
      maxScope: 'once',
      personal: true,
      content: cardOf(sample)
    // No call has this id, so that the server's call, which was already running, is not made again after a restart of the service.
    }, { callId: `sampling-${callId}-${++this.#asked}`, beside: false }, signal)
    signal.throwIfAborted()
    if (answer === null) return { refused: 'Nobody has answered in time whether the model may be asked.', isFinal: true }
    if (answer.choice === 'deny') return { refused: 'The user does not allow it.', isFinal: true }
    return await this.#usedUp() ?? await this.#generate(sample, signal)
  }

  /** Refuses if the budget is used up. The turn asks for more before its own next step, but not because of a server. */
  async #usedUp (): Promise<Sampled | null> {
    try {
      return await this.options.budget.over() === null ? null : { refused: 'The budget of this conversation is used up.', isFinal: false }
    } catch (error) {
      if (error instanceof Cancelled) throw error
      return { refused: 'Whether the budget allows it could not be found out.', isFinal: false }
    }
  }

  async #generate ({ server, system, messages, maxTokens }: Sample, signal: AbortSignal): Promise<Sampled> {
    const { io, models: { current, ref }, used } = this.options
    const prompt: ModelMessage[] = [
      ...(system === null ? [] : [{ role: 'system' as const, content: system }]),
      ...messages.map(({ role, text }) => ({ role, content: [{ type: 'text' as const, text }] }))
    ]
    const limit = timeLimit(taskLimitMs(current, answerLimitMs[placeOf(current)]), [io.signal, signal])
    try {
      const { text, isCut, usage: counted } = await generateAnswer(
        { ...current, ...tracedAs(io.spans, ref.provider, 'mcp_sampling') }, prompt, maxTokens, limit.signal
      )
      const usage = current.estimatesUsage === true ? { ...counted, estimated: true } : counted
      used(usage)
      io.emit({ t: 'side_usage', slot: 'mcp_sampling', provider: ref.provider, id: ref.id, usage })
      return text === '' ? { refused: 'The model has answered with nothing.', isFinal: false } : { text, model: ref.id, isCut }
    } catch (error) {
      if (io.signal.aborted) throw new Cancelled()
      signal.throwIfAborted()
      const why = classifyModelError(error, current.providerName).message
      io.emit(warned('mcp_sampling', reason('mcp_unanswered', { server, why })))
      return { refused: 'The model did not answer.', isFinal: false }
    } finally {
      limit.clear()
    }
  }
}

/** Returns everything that the model would be shown. */
export function cardOf ({ system, messages }: Pick<Sample, 'system' | 'messages'>): NonNullable<ApprovalAsk['content']> {
  const parts = [
    ...(system === null ? [] : [{ label: 'system prompt', text: system }]),
    ...messages.map(({ role, text }, index) => ({ label: `message ${index + 1} (${role})`, text }))
  ]
  return { text: parts.map(({ label, text }) => quoted(label, visible(text))).join('\n\n'), isCut: false }
}
