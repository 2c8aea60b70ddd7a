import { InvalidResponseDataError, type LanguageModelV4StreamPart, type SharedV4ProviderMetadata } from '@ai-sdk/provider'
import { randomBytes } from 'node:crypto'
import { answerLimits, AnswerTooLarge } from '../../../providers/index.js'
import { type CallPiece } from './chunk.js'

interface Call {
  id: string
  wireIds: Set<string>
  /** As the server counts, if it does; the first one as it stood in the call's first piece. */
  indexes: Set<number>
  firstIndex: number | null
  name: string
  input: string
  structure: Structure
  providerMetadata?: SharedV4ProviderMetadata
}

/** Some servers give each piece of a call an id of its own; nobody comes back to so many. */
const mostIds = 64

/** What has come of a call before its name: nothing can be told of it yet. */
interface Nameless { id?: string | null, input: string, extra?: CallPiece['extra_content'] }

/** Which call a piece belongs to: a known one, a new one, or nobody can tell. */
type Owner = Call | 'new' | 'unclear'

/**
 * Puts tool calls together that come in pieces. Servers say in different ways which call a piece belongs to: by its number,
 * by its id, by neither; with the name in the first piece, in each, or after the arguments. What fits no call is left out.
 */
export class CallPieces {
  readonly #calls: Call[] = []
  readonly #nameless = new Map<number, Nameless>()
  readonly #named = new Set<number>()
  #namelessChars = 0

  constructor (private readonly emit: (part: LanguageModelV4StreamPart) => void, private readonly metadataKey: string) {}

  /** Throws AnswerTooLarge; and InvalidResponseDataError for a call that cannot have a name any more. */
  take (piece: CallPiece): void {
    const { index } = piece
    if (index == null || this.#named.has(index)) return this.#assign(piece)
    const known: Nameless = this.#nameless.get(index) ?? { input: '' }
    if (this.#nameless.size >= answerLimits.toolCalls && !this.#nameless.has(index)) throw new AnswerTooLarge('tool_calls')
    this.#nameless.set(index, known)
    known.id ??= piece.id
    known.extra ??= piece.extra_content
    known.input += piece.function.arguments ?? ''
    this.#namelessChars += piece.function.arguments?.length ?? 0
    if (this.#namelessChars > answerLimits.argumentChars) throw new AnswerTooLarge('arguments')
    if (piece.function.name == null) return
    if (this.#named.size >= answerLimits.toolCalls) throw new AnswerTooLarge('tool_calls')
    this.#nameless.delete(index)
    this.#namelessChars -= known.input.length
    this.#named.add(index)
    this.#assign({ index, id: known.id, function: { name: piece.function.name, arguments: known.input }, extra_content: known.extra })
  }

  /** The answer is over, and so is each of its calls. */
  end (): void {
    for (const [index, { id, input }] of this.#nameless) this.#assign({ index, id, function: { arguments: input } })
    this.#nameless.clear()
    const calls = [...this.#calls]
    if (calls.every(({ firstIndex }) => firstIndex !== null)) calls.sort((left, right) => left.firstIndex! - right.firstIndex!)
    for (const { id, name, input, providerMetadata } of calls) {
      this.emit({ type: 'tool-input-end', id })
      this.emit({
        type: 'tool-call', toolCallId: id, toolName: name, input, ...(providerMetadata === undefined ? {} : { providerMetadata })
      })
    }
  }

  #assign (piece: CallPiece): void {
    const { index, function: { name, arguments: input } } = piece
    const owner = this.#ownerOf(piece)
    if (owner === 'unclear' || (owner === 'new' && name != null && isBlank(name))) return
    const call = owner === 'new' ? this.#begin(piece) : owner
    if (!isBlank(piece.id) && call.wireIds.size < mostIds) call.wireIds.add(piece.id!)
    if (index != null) call.indexes.add(index)
    if (owner === 'new' ? (input ?? '') === '' : input == null) return
    call.input += input!
    this.emit({ type: 'tool-input-delta', id: call.id, delta: input! })
  }

  #begin ({ id, index, function: { name }, extra_content: extra }: CallPiece): Call {
    if (isBlank(name)) throw new InvalidResponseDataError({ data: { id, index }, message: 'A tool call has no name.' })
    if (this.#calls.length >= answerLimits.toolCalls) throw new AnswerTooLarge('tool_calls')
    const call: Call = {
      id: isBlank(id) || this.#calls.some((other) => other.id === id) ? madeUpId() : id!,
      wireIds: new Set(),
      indexes: new Set(),
      firstIndex: index ?? null,
      name: name!,
      input: '',
      structure: new Structure(),
      ...signatureOf(extra, this.metadataKey)
    }
    this.#calls.push(call)
    this.emit({ type: 'tool-input-start', id: call.id, toolName: call.name })
    return call
  }

  #ownerOf ({ id: wireId, index, function: { name: wireName, arguments: input } }: CallPiece): Owner {
    const name = isBlank(wireName) ? undefined : wireName!
    const startsAnew = name !== undefined && /^\s*[{[]/.test(input ?? '')
    const numbered = index == null ? [] : this.#calls.filter((call) => call.indexes.has(index))
    const matching = numbered.filter((call) => name === undefined || call.name === name)
    if (isBlank(wireId)) {
      if (numbered.length > 0) return only(matching, startsAnew)
      return name !== undefined ? 'new' : only(this.#calls, false)
    }
    const same = this.#calls.filter((call) => call.wireIds.has(wireId!))
    if (same.length === 0) return matching.length > 0 && !startsAnew ? only(matching, name !== undefined && isBlank(input)) : 'new'
    if (index == null) return name === undefined ? only(same, false) : only(same.filter((call) => call.name === name), startsAnew)
    const owner = only(matching.filter((call) => same.includes(call)), startsAnew)
    if (owner !== 'new' || name !== undefined) return owner
    return numbered.length > 0 ? 'unclear' : only(same, false)
  }
}

/** For a call to which its server gives none. */
export const madeUpId = (): string => randomBytes(8).toString('hex')

/** What some servers want to see again with a call. */
export function signatureOf (extra: CallPiece['extra_content'], metadataKey: string): { providerMetadata?: SharedV4ProviderMetadata } {
  const signature = extra?.google?.thought_signature
  return signature == null || signature === '' ? {} : { providerMetadata: { [metadataKey]: { thoughtSignature: signature } } }
}

/** Of the calls a piece could belong to, the one; of several, and when it begins an object, the one that has not got its own yet. */
function only (calls: Call[], startsAnew: boolean): Owner {
  if (calls.length === 0) return 'new'
  if (calls.length === 1 && !startsAnew) return calls[0]!
  const open = calls.filter(({ structure, input }) => !structure.isWhole(input))
  if (open.length === 1) return open[0]!
  return open.length > 1 || !startsAnew ? 'unclear' : 'new'
}

const isBlank = (text: string | null | undefined): boolean => text == null || text.trim() === ''

/** Whether a text that grows is one object or list of JSON, as far as its brackets tell. Looks at each character once. */
class Structure {
  #looked = 0
  #open: string[] = []
  #state: 'before' | 'inside' | 'quoted' | 'whole' | 'other' = 'before'

  isWhole (text: string): boolean {
    for (; this.#looked < text.length && this.#state !== 'whole' && this.#state !== 'other'; this.#looked++) {
      const character = text[this.#looked]!
      if (this.#state === 'quoted') {
        if (character === '\\') this.#looked++
        else if (character === '"') this.#state = 'inside'
      } else this.#look(character)
    }
    return this.#state === 'whole'
  }

  #look (character: string): void {
    if (character === '{' || character === '[') {
      this.#open.push(character)
      this.#state = 'inside'
    } else if (this.#state === 'before') {
      if (!/\s/.test(character)) this.#state = 'other'
    } else if (character === '"') this.#state = 'quoted'
    else if (character === '}' || character === ']') {
      if (this.#open.pop() !== (character === '}' ? '{' : '[')) this.#state = 'other'
      else if (this.#open.length === 0) this.#state = 'whole'
    }
  }
}
