import { type chatFrames } from '../../../schemas/chat.js'
import { framesOf, type NewFrame } from '../../ground/events/index.js'
import { StreamMask } from '../../ground/redaction/index.js'

const frame = framesOf<typeof chatFrames>()

type Kind = 'token' | 'reasoning'

/** The text so far of an incomplete step. `countedChars`: how many characters have already been counted as usage. */
export interface Heard { text: string, reasoning: string, countedChars: number }

/** A text before a restart of the service: as the model said it, as it was shown, and the part that no frame contained. */
export interface Before { plain: string, shown: string, held: string }

/**
 * A text in progress. `plain`: what was added since its last frame. `owed`: text to be put before the next frame. `again`: how many of the
 * next characters from the mask were already shown before a restart of the service.
 */
interface Told { mask: StreamMask, plain: string, owed: string, again: number }

/**
 * Turns the text of a step into frames. Credentials are masked as in the stored message, even if one is split across many deltas: text that
 * could become one is held back until that is clear. Each frame also keeps the unmasked text, so that the turn can continue after a restart
 * of the service.
 */
export class LiveText {
  readonly #told: Record<Kind, Told> = { token: begin(), reasoning: begin() }

  constructor (private readonly isMasked: () => boolean) {}

  /** Continues after a restart of the service: text that was held back then is shown once, with what follows. */
  restore (before: Record<Kind, Before>): void {
    for (const kind of ['token', 'reasoning'] as const) {
      this.#told[kind] = this.isMasked() ? goOn(before[kind]) : { ...begin(), plain: before[kind].held, owed: before[kind].held }
    }
  }

  /** Returns the frame of one delta, or none while it is held back. */
  say (kind: Kind, text: string): NewFrame[] {
    const told = this.#told[kind]
    told.plain += text
    return this.#frames(kind, this.isMasked() ? told.mask.push(text) : told.mask.end() + text)
  }

  /** Returns the frames with what was held back, when the step is over. */
  finish (): NewFrame[] {
    return [...this.#frames('reasoning', this.#told.reasoning.mask.end()), ...this.#frames('token', this.#told.token.mask.end())]
  }

  /** Discards the text so far and begins with this one. */
  beginAnew (text: string): NewFrame {
    for (const told of Object.values(this.#told)) {
      told.mask.end()
      Object.assign(told, { plain: '', owed: '', again: 0 })
    }
    this.#told.token.plain = text
    const { shown, plain } = this.#taken('token', this.isMasked() ? this.#told.token.mask.push(text) : text) ?? { shown: '', plain: '' }
    const said = { text: shown, already_streamed: false }
    return { ...frame('interim_assistant', said), ...(plain === shown ? {} : { plain: JSON.stringify({ ...said, text: plain }) }) }
  }

  /** The text that no frame contains yet; null if there is none. */
  get held (): { text: string, reasoning: string } | null {
    const { token, reasoning } = this.#told
    return token.plain === '' && reasoning.plain === '' ? null : { text: token.plain, reasoning: reasoning.plain }
  }

  #frames (kind: Kind, given: string): NewFrame[] {
    const taken = this.#taken(kind, given)
    if (taken === null) return []
    const { shown, plain } = taken
    return [{ ...frame(kind, { text: shown }), ...(plain === shown ? {} : { plain: JSON.stringify({ text: plain }) }) }]
  }

  /** Returns the text to be shown next, and the unmasked text behind it; null if there is none yet. */
  #taken (kind: Kind, given: string): { shown: string, plain: string } | null {
    const told = this.#told[kind]
    const shown = told.owed + given.slice(told.again)
    told.again = Math.max(0, told.again - given.length)
    told.owed = ''
    if (shown === '') return null
    const end = Math.max(0, told.plain.length - told.mask.held.length)
    const plain = told.plain.slice(0, end)
    told.plain = told.plain.slice(end)
    return { shown, plain }
  }
}

const begin = (): Told => ({ mask: new StreamMask({ isRead: true }), plain: '', owed: '', again: 0 })

/**
 * Restores a text. The mask has to know what comes before the next piece. It may hold back more or less than when the same text came in
 * other pieces; the result as a whole is the same.
 */
function goOn ({ plain, shown, held }: Before): Told {
  const told = { ...begin(), plain: held }
  const out = told.mask.push(plain) + told.mask.push(held)
  if (out.startsWith(shown)) return { ...told, owed: out.slice(shown.length) }
  if (shown.startsWith(out)) return { ...told, again: shown.length - out.length }
  // It was shown by other rules than those of today, so only what was held back is masked.
  const mask = new StreamMask({ isRead: true })
  return { ...told, mask, owed: mask.push(held) }
}
