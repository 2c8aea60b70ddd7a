import { type SharedV4ProviderMetadata } from '@ai-sdk/provider'
import { isRecord } from '../../ground/fields.js'
import { answerLimits, AnswerTooLarge, beginningOf, isDeeperThan } from '../../providers/index.js'
import { type ModelMessage, type ToolCall } from '../protocol.js'

type AssistantPart = Extract<ModelMessage, { role: 'assistant' }>['content'][number]
type SpokenPart = Extract<AssistantPart, { type: 'text' | 'reasoning' }>

/** A call with arguments that parsed; `invalid` ones carry the reason instead. */
export type HeardCall = ToolCall & { invalid?: string }

/** What one model call has said so far, within the limits; `turnRoom`: how many characters the turn has left for it. */
export class StepContent {
  readonly toolCalls: HeardCall[] = []
  readonly #parts = new Map<string, SpokenPart>()
  readonly #content: AssistantPart[] = []
  readonly #chars = { text: 0, reasoning: 0, arguments: 0 }
  /** Characters of arguments that were streamed, by call. */
  readonly #streamed = new Map<string, number>()

  constructor (readonly turnRoom: number) {}

  get chars (): number { return this.#chars.text + this.#chars.reasoning + this.#chars.arguments }

  /**
   * Takes a delta in and hands back how much of it there was room for. A piece that is shorter than the delta is the last
   * one: the caller passes it on and throws what {@link tooLarge} gives.
   */
  hear (type: 'text' | 'reasoning', id: string, delta: string): string {
    const room = Math.min(
      (type === 'text' ? answerLimits.textChars : answerLimits.reasoningChars) - this.#chars[type], this.turnRoom - this.chars
    )
    const piece = beginningOf(delta, Math.max(0, room))
    this.#part(type, id).text += piece
    this.#chars[type] += piece.length
    return piece
  }

  tooLarge (type: 'text' | 'reasoning'): AnswerTooLarge {
    return new AnswerTooLarge(this.#chars[type] + 1 < answerLimits[`${type}Chars`] ? 'turn' : type)
  }

  /** What a provider wants to see again with a part: signatures, encrypted thoughts. Throws AnswerTooLarge. */
  describe (type: 'text' | 'reasoning', id: string, metadata: SharedV4ProviderMetadata | undefined): void {
    if (metadata === undefined) return
    // A depth that JSON itself cannot be written with must not get as far as that.
    if (isDeeperThan(metadata, answerLimits.depth) || JSON.stringify(metadata).length > answerLimits.metadataChars) {
      throw new AnswerTooLarge('parts')
    }
    this.#part(type, id).providerOptions = metadata
  }

  /** Arguments come in pieces before the call itself; only how many there are is of interest. Throws AnswerTooLarge. */
  announce (id: string, chars: number): void {
    if (id.length > answerLimits.callIdChars) throw new AnswerTooLarge('parts')
    this.#streamed.set(id, (this.#streamed.get(id) ?? 0) + chars)
    if (this.#streamed.size > answerLimits.toolCalls) throw new AnswerTooLarge('tool_calls')
    this.#count(chars)
  }

  /** Throws AnswerTooLarge. */
  call ({
    toolCallId, toolName, input, providerMetadata
  }: { toolCallId: string, toolName: string, input: string, providerMetadata?: SharedV4ProviderMetadata }): void {
    this.announce(toolCallId, Math.max(0, input.length - (this.#streamed.get(toolCallId) ?? 0)))
    if (toolName.length > answerLimits.toolNameChars) throw new AnswerTooLarge('parts')
    if (this.toolCalls.length >= answerLimits.toolCalls) throw new AnswerTooLarge('tool_calls')
    if (providerMetadata !== undefined && isDeeperThan(providerMetadata, answerLimits.depth)) throw new AnswerTooLarge('parts')
    const call = parseCall(toolCallId, toolName, input)
    this.toolCalls.push(call)
    this.#content.push({
      type: 'tool-call', toolCallId, toolName, input: call.args,
      ...(providerMetadata === undefined ? {} : { providerOptions: providerMetadata })
    })
  }

  /** The parts that say something, in their order. */
  spoken (): AssistantPart[] {
    return this.#content.filter((entry) => entry.type !== 'text' || entry.text !== '')
  }

  #part (type: 'text' | 'reasoning', id: string): SpokenPart {
    const key = `${type}:${id}`
    const known = this.#parts.get(key)
    if (known !== undefined) return known
    if (this.#parts.size >= answerLimits.parts) throw new AnswerTooLarge('parts')
    const created: SpokenPart = { type, text: '' }
    this.#parts.set(key, created)
    this.#content.push(created)
    return created
  }

  #count (chars: number): void {
    this.#chars.arguments += chars
    if (this.#chars.arguments > answerLimits.argumentChars) throw new AnswerTooLarge('arguments')
    if (this.chars > this.turnRoom) throw new AnswerTooLarge('turn')
  }
}

function parseCall (id: string, name: string, input: string): HeardCall {
  const wrong = (invalid: string): HeardCall => ({ id, name, args: {}, invalid })
  try {
    const args: unknown = JSON.parse(input.trim() === '' ? '{}' : input)
    if (!isRecord(args)) return wrong('The arguments must be a JSON object.')
    if (isDeeperThan(args, answerLimits.depth)) {
      return wrong(`The arguments are nested more than ${answerLimits.depth} levels deep. Send the call again with simpler ones.`)
    }
    return { id, name, args }
  } catch {
    return wrong('The arguments were not valid JSON. Send the call again with a complete JSON object.')
  }
}
