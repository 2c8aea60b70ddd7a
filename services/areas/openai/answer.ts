import { type Static } from '@sinclair/typebox'
import { type chatFrames } from '../../../schemas/chat.js'
import { inTime } from '../../ground/concurrency/in-time.js'
import { encodedFrames, frameReader, type Subscription } from '../../ground/events/index.js'
import { firstCharacters, redact } from '../../ground/redaction/index.js'
import { idOfCall, type SaidCall } from './calls.js'

const dataOf = frameReader<typeof chatFrames>()

interface AnswerUsage { input: number, cached: number, output: number }

/** The end of an answer, whether whole or cut short. */
export interface AnswerEnd {
  text: string
  /** Calls that the client has to make, with `tool_calls`. */
  calls: SaidCall[]
  finish: 'stop' | 'length' | 'content_filter' | 'tool_calls'
  usage: AnswerUsage
  /** The model that answered, if it is known. */
  model: string | null
}

/** Returns whether an answer is whole or was cut short. */
export const statusOf = ({ finish }: AnswerEnd): 'completed' | 'incomplete' =>
  finish === 'stop' || finish === 'tool_calls' ? 'completed' : 'incomplete'

/** What a turn yields: more text, silence for a while, and finally its end. */
export type AnswerPart = { kind: 'text', text: string } | { kind: 'waiting' } | { kind: 'end', end: AnswerEnd }

/** The turn ended without an answer. `type` is that of its last frame: `interrupted`, `rate_limit`, `cancelled` and the like. */
export class NoAnswer extends Error {
  /** @param retryAfterS in how many seconds the provider takes requests again, if it has said so */
  constructor (message: string, readonly type: string, readonly retryAfterS?: number) { super(message) }
}

/** The error in OpenAI's words, with the place where the names of models are listed. */
export const noSuchModel = (id: string): NoAnswer =>
  new NoAnswer(
    `The model \`${firstCharacters(redact(id), 200)}\` does not exist: no provider of this profile lists it. GET /v1/models has those that there are`,
    'model_not_found'
  )

export interface AnswerOptions {
  subscription: Subscription
  /** The conversation's usage before the turn. */
  before: AnswerUsage
  /** Shows calls of tools as lines of the text; otherwise they leave no trace. */
  showTools: boolean
  /** The turn, whose id is part of the ids of its calls. */
  streamId: string
  /** A program reads the answer: only the last text counts, and it is sent once it is complete. */
  isFormatted: boolean
  /** How long without text until a `waiting` part. */
  waitingMs: number
  signal: AbortSignal
}

/** A budget or the limit of a turn's steps cuts the answer short; both count as reaching the length limit. */
const finishes: Record<string, AnswerEnd['finish']> = {
  length: 'length', content_filter: 'content_filter', budget_exhausted: 'length', tool_limit_reached: 'length',
  client_calls: 'tool_calls'
}
const chunkBytes = 256 * 1024

/** Reads a turn's frames as a plain answer. Throws NoAnswer; ends without an `end` part when `signal` is aborted. */
export async function * readAnswer (options: AnswerOptions): AsyncGenerator<AnswerPart, void> {
  const { subscription, signal, waitingMs } = options
  const told = new Telling(options)
  let wake = (): void => {}
  subscription.onReadable(() => wake())
  signal.addEventListener('abort', () => wake(), { once: true })
  try {
    while (!signal.aborted) {
      const readable = new Promise<true>((resolve) => { wake = () => resolve(true) })
      const chunks = subscription.read(chunkBytes)
      for (const chunk of chunks) for (const { event, data } of encodedFrames(chunk)) yield * told.hear(event, data)
      if (told.isOver) return
      if (chunks.length > 0) continue
      if (subscription.ended) throw new NoAnswer('The turn ended without an answer', 'interrupted')
      if (await inTime(waitingMs, readable) === undefined) yield { kind: 'waiting' }
    }
  } finally {
    subscription.close()
  }
}

/** Picks the text for a client out of a turn's frames. */
class Telling {
  isOver = false
  #text = ''
  /** How much of the text came before the model's current answer. */
  #settled = 0
  #isBroken = false
  readonly #calls = new Set<string>()
  readonly #handedOut: SaidCall[] = []

  constructor (readonly options: Pick<AnswerOptions, 'before' | 'showTools' | 'streamId' | 'isFormatted'>) {}

  * hear (event: string, data: Buffer): Generator<AnswerPart> {
    if (event === 'token') yield * this.#say(dataOf(event, data).text)
    else if (event === 'interim_assistant') yield * this.#again(dataOf(event, data))
    else if (event === 'tool') yield * this.#call(dataOf(event, data))
    else if (event === 'done') yield * this.#end(dataOf(event, data))
    else if (event === 'cancel') throw new NoAnswer('The turn was cancelled', 'cancelled')
    else if (event === 'apperror') {
      const { error, type, hint, retry_after: retryAfterS }: {
        error: string, type?: string, hint?: string, retry_after?: number
      } = dataOf(event, data)
      throw new NoAnswer(hint === undefined ? error : `${error} ${hint}`, type ?? 'error', retryAfterS)
    }
  }

  * #say (text: string): Generator<AnswerPart> {
    if (text === '' || this.isOver) return
    const spoken = this.#isBroken && this.#text !== '' ? `\n\n${text}` : text
    if (this.#isBroken) this.#settled = this.#text.length
    this.#isBroken = false
    this.#text += spoken
    if (!this.options.isFormatted) yield { kind: 'text', text: spoken }
  }

  /** The model starts over: what it said since the last call does not count. Text that was sent cannot be taken back. */
  * #again ({ text, already_streamed: isStreamed }: Static<typeof chatFrames.interim_assistant>): Generator<AnswerPart> {
    // The next text is another answer, or comes after calls of tools.
    if (isStreamed && this.options.isFormatted) [this.#text, this.#settled, this.#isBroken] = ['', 0, false]
    if (isStreamed) return
    const hadSaid = this.#text.length > this.#settled
    this.#text = this.#text.slice(0, this.#settled)
    if (hadSaid) this.#isBroken = true
    yield * this.#say(text)
  }

  * #call ({ name, preview, id, args, client }: Static<typeof chatFrames.tool>): Generator<AnswerPart> {
    if (client !== undefined) {
      this.#handedOut.push({ id: idOfCall(this.options.streamId, this.#handedOut.length), name: client, args: JSON.stringify(args) })
      return
    }
    if (this.#calls.has(id)) return
    this.#calls.add(id)
    this.#isBroken = true
    if (this.options.showTools && !this.options.isFormatted) {
      yield * this.#say(`> ${name}: ${preview.replaceAll(/\s+/g, ' ').slice(0, 200)}`)
      this.#isBroken = true
      this.#settled = this.#text.length
    }
  }

  * #end ({ usage, finish_reason: reason, terminal_state: state }: {
    usage: { input_tokens: number, output_tokens: number, cache_read_tokens?: number, used_model?: string | null } | null
    finish_reason?: string
    terminal_state?: string
  }): Generator<AnswerPart> {
    const { before } = this.options
    this.isOver = true
    // The last frame of an answer that is too large to be read again carries no usage.
    const used = usage === null
      ? { input: 0, cached: 0, output: 0 }
      : {
          input: usage.input_tokens - before.input, cached: (usage.cache_read_tokens ?? 0) - before.cached,
          output: usage.output_tokens - before.output
        }
    if (this.options.isFormatted && this.#text !== '') yield { kind: 'text', text: this.#text }
    yield {
      kind: 'end',
      end: {
        text: this.#text, calls: this.#handedOut, finish: finishes[reason ?? state ?? ''] ?? 'stop', usage: used,
        model: usage?.used_model ?? null
      }
    }
  }
}
