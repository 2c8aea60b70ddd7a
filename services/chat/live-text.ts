import { type chatFrames } from '../../schemas/chat.js'
import { framesOf, type NewFrame } from '../ground/events/index.js'
import { createStreamMask, type StreamMask } from '../ground/redaction/index.js'

const frame = framesOf<typeof chatFrames>()

type Kind = 'token' | 'reasoning'

/** What was heard of a step that is not complete. `countedChars`: so many of them are in the books already. */
export interface Heard { text: string, reasoning: string, countedChars: number }

/** A text that is being told. `plain`: what went in since its last frame. */
interface Told { mask: StreamMask, plain: string }

/**
 * What a step says, as frames: credentials are masked as they will be in the stored message, also where one is cut across
 * many deltas. Of what could become one, the frames say nothing until it is clear. What the model said in truth goes along
 * for whoever continues the turn after a stop of the service.
 */
export class LiveText {
  readonly #told: Record<Kind, Told> = { token: begin(), reasoning: begin() }

  constructor (private readonly isMasked: () => boolean) {}

  /** The frames of one delta: one, or none as long as something is held back. */
  say (kind: Kind, text: string): NewFrame[] {
    const told = this.#told[kind]
    told.plain += text
    return this.#frames(kind, this.isMasked() ? told.mask.push(text) : told.mask.end() + text)
  }

  /** The step is over: what was held back. */
  finish (): NewFrame[] {
    return [...this.#frames('reasoning', this.#told.reasoning.mask.end()), ...this.#frames('token', this.#told.token.mask.end())]
  }

  /** What was said does not count. */
  drop (): void {
    for (const told of Object.values(this.#told)) {
      told.mask.end()
      told.plain = ''
    }
  }

  /** What was said and stands in no frame yet; null when there is nothing. */
  get held (): { text: string, reasoning: string } | null {
    const { token, reasoning } = this.#told
    return token.plain === '' && reasoning.plain === '' ? null : { text: token.plain, reasoning: reasoning.plain }
  }

  #frames (kind: Kind, shown: string): NewFrame[] {
    if (shown === '') return []
    const told = this.#told[kind]
    const end = told.plain.length - told.mask.held.length
    const plain = told.plain.slice(0, end)
    told.plain = told.plain.slice(end)
    return [{ ...frame(kind, { text: shown }), ...(plain === shown ? {} : { plain: JSON.stringify({ text: plain }) }) }]
  }
}

const begin = (): Told => ({ mask: createStreamMask({ isRead: true }), plain: '' })
