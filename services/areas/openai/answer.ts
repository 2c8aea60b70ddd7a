import { type Static } from '@sinclair/typebox'
import { type chatFrames } from '../../../schemas/chat.js'
import { encodedFrames, frameReader, type Subscription } from '../../ground/events/index.js'
import { firstCharacters, redact } from '../../ground/redaction/index.js'
import { idOfCall, type SaidCall } from './calls.js'

const dataOf = frameReader<typeof chatFrames>()

interface AnswerUsage { input: number, cached: number, output: number }

/** An answer that stands, whole or cut short. */
export interface AnswerEnd {
  text: string
  /** What is left to the client, with `tool_calls`. */
  calls: SaidCall[]
  finish: 'stop' | 'length' | 'content_filter' | 'tool_calls'
  usage: AnswerUsage
  /** Who has answered, as far as it is known. */
  model: string | null
}

/** An answer that stands is whole, or was cut short. */
export const statusOf = ({ finish }: AnswerEnd): 'completed' | 'incomplete' =>
  finish === 'stop' || finish === 'tool_calls' ? 'completed' : 'incomplete'

/** What comes of a turn: more of its text, nothing for a while, and at last its end. */
export type AnswerPart = { kind: 'text', text: string } | { kind: 'waiting' } | { kind: 'end', end: AnswerEnd }

/** The turn came to no answer. `type` is that of its last frame: `interrupted`, `rate_limit`, `cancelled` and the like. */
export class NoAnswer extends Error {
  /** @param retryAfterS when the provider takes requests again, where it has said so */
  constructor (message: string, readonly type: string, readonly retryAfterS?: number) { super(message) }
}

/** As OpenAI says it, and where the names stand. */
export const noSuchModel = (id: string): NoAnswer =>
  new NoAnswer(
    `The model \`${firstCharacters(redact(id), 200)}\` does not exist: no provider of this profile lists it. GET /v1/models has those that there are`,
    'model_not_found'
  )

export interface AnswerOptions {
  subscription: Subscription
  /** What the conversation had used before. */
  before: AnswerUsage
  /** Calls of tools are lines of the text; otherwise it is as if there had been none. */
  showTools: boolean
  /** The turn, whose calls are named by it. */
  streamId: string
  /** A program reads the answer: it is the last text alone, told once it stands. */
  isFormatted: boolean
  /** A part says that nothing came for so long. */
  waitingMs: number
  signal: AbortSignal
}

/** Cut short by a budget or by the steps of a turn: both are a length that an answer may not have. */
const finishes: Record<string, AnswerEnd['finish']> = {
  length: 'length', content_filter: 'content_filter', budget_exhausted: 'length', tool_limit_reached: 'length',
  client_calls: 'tool_calls'
}
const chunkBytes = 256 * 1024

/** Reads a turn's frames as a plain answer. Throws NoAnswer; when `signal` is aborted it just ends. */
export async function * readAnswer (options: AnswerOptions): AsyncGenerator<AnswerPart, void> {
  const { subscription, signal, waitingMs } = options
  const told = new Telling(options)
  let wake = (): void => {}
  subscription.onReadable(() => wake())
  signal.addEventListener('abort', () => wake(), { once: true })
  try {
    while (!signal.aborted) {
      const readable = new Promise<void>((resolve) => { wake = resolve })
      const chunks = subscription.read(chunkBytes)
      for (const chunk of chunks) for (const { event, data } of encodedFrames(chunk)) yield * told.hear(event, data)
      if (told.isOver) return
      if (chunks.length > 0) continue
      if (subscription.ended) throw new NoAnswer('The turn ended without an answer', 'interrupted')
      if (!await inTime(readable, waitingMs)) yield { kind: 'waiting' }
    }
  } finally {
    subscription.close()
  }
}

async function inTime (awaited: Promise<void>, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => { timer = setTimeout(resolve, limitMs, false) })
  const first = await Promise.race([awaited.then(() => true), late])
  clearTimeout(timer)
  return first
}

/** What of a turn's frames is text for a client. */
class Telling {
  isOver = false
  #text = ''
  /** How much of the text stood before what the model says now. */
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

  /** The model begins again: what it had said since the last call does not count. What was sent cannot be taken back. */
  * #again ({ text, already_streamed: isStreamed }: Static<typeof chatFrames.interim_assistant>): Generator<AnswerPart> {
    // The next text is another answer, or stands behind calls of tools.
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
    // One that is too large to be read again comes without its figures.
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
