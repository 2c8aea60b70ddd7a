import { type LanguageModelV4StreamPart, type SharedV4ProviderMetadata } from '@ai-sdk/provider'
import { StreamingToolCallTracker } from '@ai-sdk/provider-utils'
import { answerLimits, AnswerTooLarge } from '../../../providers/index.js'
import { type CallPiece } from './chunk.js'

/** How many ids are remembered: some servers give each piece of a call an id of its own, which later pieces never refer to. */
const mostIds = 1_024

/** The pieces of a call that came before its name: the call cannot be reported yet. */
interface Nameless { id?: string | null, input: string, extra?: CallPiece['extra_content'] }

/**
 * Assembles tool calls that come in pieces. Servers say in different ways which call a piece belongs to: by its number, by its id, or by
 * neither (the AI SDK's tracker knows them all). The name comes in the first piece, in each, or after the arguments, which wait for it
 * here. Pieces that belong to no call are ignored.
 */
export class CallPieces {
  readonly #tracker: StreamingToolCallTracker<CallPiece>
  readonly #nameless = new Map<number, Nameless>()
  readonly #named = new Set<number>()
  readonly #ids = new Set<string>()
  #namelessChars = 0
  #count = 0

  constructor (emit: (part: LanguageModelV4StreamPart) => void, metadataKey: string) {
    this.#tracker = new StreamingToolCallTracker<CallPiece>({
      enqueue: (part) => {
        if (part === undefined) return
        if (part.type === 'tool-input-start' && ++this.#count > answerLimits.toolCalls) throw new AnswerTooLarge('tool_calls')
        emit(part)
      }
    }, {
      extractMetadata: ({ extra_content: extra }) => signatureOf(extra, metadataKey),
      buildToolCallProviderMetadata: (metadata) => metadata
    })
  }

  /** Adds a piece. Throws AnswerTooLarge, and InvalidResponseDataError for a call that cannot get a name any more. */
  take (piece: CallPiece): void {
    const { index, function: { name, arguments: input } } = piece
    if (index == null || this.#named.has(index)) return this.#track(piece)
    const known: Nameless = this.#nameless.get(index) ?? { input: '' }
    this.#nameless.set(index, known)
    if (this.#named.size + this.#nameless.size > answerLimits.toolCalls) throw new AnswerTooLarge('tool_calls')
    known.id ??= piece.id
    known.extra ??= piece.extra_content
    known.input += input ?? ''
    this.#namelessChars += input?.length ?? 0
    if (this.#namelessChars > answerLimits.argumentChars) throw new AnswerTooLarge('arguments')
    if (name == null) return
    this.#nameless.delete(index)
    this.#namelessChars -= known.input.length
    this.#named.add(index)
    this.#track({ index, id: known.id, function: { name, arguments: known.input }, extra_content: known.extra })
  }

  /** Called when the answer is over, and with it each of its calls. */
  end (): void {
    for (const [index, { id, input }] of this.#nameless) this.#track({ index, id, function: { arguments: input } })
    this.#nameless.clear()
    this.#tracker.flush()
  }

  #track (piece: CallPiece): void {
    if (piece.id != null && this.#ids.size < mostIds) this.#ids.add(piece.id)
    this.#tracker.processDelta(piece.id == null || this.#ids.has(piece.id) ? piece : { ...piece, id: null })
  }
}

/** Returns the signature that some servers need back with a call. */
function signatureOf (extra: CallPiece['extra_content'], metadataKey: string): SharedV4ProviderMetadata | undefined {
  const signature = extra?.google?.thought_signature
  return signature == null || signature === '' ? undefined : { [metadataKey]: { thoughtSignature: signature } }
}
