import { type SharedV4ProviderMetadata } from '@ai-sdk/provider'
import { isRecord } from '../../ground/fields.js'
import { wholeTo } from '../../ground/text/whole-characters.js'
import { answerLimits, AnswerTooLarge, isDeeperThan } from '../../providers/index.js'
import { type ModelMessage, type ToolCall } from '../protocol.js'

type AssistantPart = Extract<ModelMessage, { role: 'assistant' }>['content'][number]
type SpokenPart = Extract<AssistantPart, { type: 'text' | 'reasoning' }>

/** A call with parsed arguments; `invalid` holds the reason if they could not be parsed. */
export type HeardCall = ToolCall & { invalid?: string }

/** What one model call has said so far, within the limits; `turnRoom`: how many more characters the turn allows. */
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
   * Adds a delta and returns the part for which there was room. A part that is shorter than the delta is the last one: the
   * caller passes it on and throws what {@link tooLarge} returns.
   */
  hear (type: 'text' | 'reasoning', id: string, delta: string): string {
    const room = Math.min(
      (type === 'text' ? answerLimits.textChars : answerLimits.reasoningChars) - this.#chars[type], this.turnRoom - this.chars
    )
    const piece = wholeTo(delta, room)
    this.#part(type, id).text += piece
    this.#chars[type] += piece.length
    return piece
  }

  tooLarge (type: 'text' | 'reasoning'): AnswerTooLarge {
    return new AnswerTooLarge(this.#chars[type] + 1 < answerLimits[`${type}Chars`] ? 'turn' : type)
  }

  /** Stores what a provider wants back with a part: signatures, encrypted reasoning. Throws AnswerTooLarge. */
  describe (type: 'text' | 'reasoning', id: string, metadata: SharedV4ProviderMetadata | undefined): void {
    if (metadata === undefined) return
    // Checked first, because JSON.stringify fails on values that are nested too deeply.
    if (isDeeperThan(metadata, answerLimits.depth) || JSON.stringify(metadata).length > answerLimits.metadataChars) {
      throw new AnswerTooLarge('parts')
    }
    this.#part(type, id).providerOptions = metadata
  }

  /** Counts arguments, which arrive in pieces before the call itself; their content is not needed yet. Throws AnswerTooLarge. */
  announce (id: string, chars: number): void {
    if (id.length > answerLimits.callIdChars) throw new AnswerTooLarge('parts')
    this.#streamed.set(id, (this.#streamed.get(id) ?? 0) + chars)
    if (this.#streamed.size > answerLimits.toolCalls) throw new AnswerTooLarge('tool_calls')
    this.#count(chars)
  }

  /** Adds a complete call. Throws AnswerTooLarge. */
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

  /** Returns the parts without empty texts, in order. */
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
