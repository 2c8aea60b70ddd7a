import { untilAborted } from '../../ground/concurrency/until-aborted.js'
import { type Sample, type Sampled } from '../tools/tool.js'
import { ownerOf, type Use } from './elicitation.js'
import { samplingKey } from './names.js'

/** A server's request to the model, in the protocol's form. */
export interface AskedSample {
  messages: ReadonlyArray<{
    role: 'user' | 'assistant'
    content: { type: string, text?: unknown } | ReadonlyArray<{ type: string, text?: unknown }>
  }>
  systemPrompt?: string | undefined
  maxTokens: number
  tools?: readonly unknown[] | undefined
}

/** Codes of JSON-RPC, and the protocol's code for a person's refusal. */
const codes = { invalid: -32_602, internal: -32_603, rejected: -1 } as const

/** Thrown when the model does not answer a server. The message tells the server why. */
export class SamplingRefused extends Error {
  readonly code: number

  constructor (kind: keyof typeof codes, message: string) {
    super(message)
    this.name = 'SamplingRefused'
    this.code = codes[kind]
  }
}

const mostMessages = 30
const mostChars = 100_000
/** How many tokens an answer may have, whatever the server asks for. */
const mostTokens = 4_000
/** How many requests of one server may be unanswered at a time, and how many there may be in one call. */
const mostWaiting = 8
const mostPerCall = 20

/** Reads a request. Throws SamplingRefused if it cannot be shown to a person, or contains anything but text. */
export function readSample (server: string, { messages, systemPrompt = '', maxTokens, tools = [] }: AskedSample): Sample {
  if (tools.length > 0) throw new SamplingRefused('invalid', 'The model is not given any tools here.')
  if (messages.length === 0 || messages.length > mostMessages) {
    throw new SamplingRefused('invalid', `There must be 1 to ${mostMessages} messages.`)
  }
  if (maxTokens < 1) throw new SamplingRefused('invalid', 'maxTokens must be 1 or more.')
  const read = messages.map(({ role, content }) => ({ role, text: textOf(content) }))
  if (read.some(({ text }) => text.trim() === '')) throw new SamplingRefused('invalid', 'A message has no text.')
  const chars = read.reduce((sum, { text }) => sum + text.length, systemPrompt.length)
  if (chars > mostChars) {
    throw new SamplingRefused('invalid', `The texts are too long: ${chars} characters, where ${mostChars} are the most.`)
  }
  return {
    server, key: samplingKey(server), system: systemPrompt.trim() === '' ? null : systemPrompt, messages: read,
    maxTokens: Math.min(maxTokens, mostTokens)
  }
}

function textOf (content: AskedSample['messages'][number]['content']): string {
  return [content].flat().map(({ type, text }) => {
    if (type !== 'text' || typeof text !== 'string') throw new SamplingRefused('invalid', 'Only text can be sent to the model here.')
    return text
  }).join('\n')
}

/** A server's requests to the model, one after the other, each on behalf of the call to which it belongs. */
export class Samples {
  #waiting = 0
  #last: Promise<unknown> = Promise.resolve()

  constructor (private readonly server: string) {}

  /** Answers a request. `uses`: the server's current calls. Aborting `signal` withdraws the request. Throws SamplingRefused. */
  async answer (uses: ReadonlySet<Use>, params: AskedSample, signal: AbortSignal): Promise<Exclude<Sampled, { refused: string }>> {
    if (this.#waiting >= mostWaiting) throw new SamplingRefused('internal', `${mostWaiting} requests wait already.`)
    this.#waiting++
    try {
      const sample = readSample(this.server, params)
      const use = await ownerOf(uses)
      if (use?.sample == null || use.limit === null || !uses.has(use)) {
        throw new SamplingRefused('internal', 'No call of this server is at work for which somebody could be asked.')
      }
      if (++use.samples > mostPerCall) {
        throw new SamplingRefused('internal', `The model was asked ${mostPerCall} times for this call already.`)
      }
      return await this.#inTurn(use, use.sample, use.limit, sample, signal)
    } finally {
      this.#waiting--
    }
  }

  /** Waits for the earlier requests and asks. The call's time limit pauses meanwhile; when the call ends, the request is withdrawn. */
  async #inTurn (
    use: Use, ask: NonNullable<Use['sample']>, limit: NonNullable<Use['limit']>, sample: Sample, signal: AbortSignal
  ): Promise<Exclude<Sampled, { refused: string }>> {
    const over = new AbortController()
    void use.ended.then(() => over.abort(new SamplingRefused('internal', 'The call that this belongs to is over.')))
    const stopped = AbortSignal.any([signal, over.signal])
    const answered = this.#last.then(async () => {
      stopped.throwIfAborted()
      if (use.sampleRefusal !== null) throw new SamplingRefused('rejected', use.sampleRefusal)
      return await ask(sample, stopped)
    })
    this.#last = answered.catch(() => {})
    const said = await limit.during(async () => await untilAborted(answered, stopped))
    if (!('refused' in said)) return said
    if (said.isFinal) use.sampleRefusal = said.refused
    throw new SamplingRefused(said.isFinal ? 'rejected' : 'internal', said.refused)
  }
}
