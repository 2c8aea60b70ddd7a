import { type chatFrames } from '../../../schemas/chat.js'
import { framesOf, type NewFrame } from '../../ground/events/index.js'
import { StreamMask } from '../../ground/redaction/index.js'

const frame = framesOf<typeof chatFrames>()

type Kind = 'token' | 'reasoning'

/** What was heard of a step that is not complete. `countedChars`: so many of them are in the books already. */
export interface Heard { text: string, reasoning: string, countedChars: number }

/** What of a text was told before a stop of the service: as it was said, as it was shown, and what no frame had told. */
export interface Before { plain: string, shown: string, held: string }

/**
 * A text that is being told. `plain`: what went in since its last frame. `owed`: what comes in front of the next frame;
 * `again`: so many characters that the mask gives next were shown before a stop of the service.
 */
interface Told { mask: StreamMask, plain: string, owed: string, again: number }

/**
 * What a step says, as frames: credentials are masked as they will be in the stored message, also where one is cut across
 * many deltas. Of what could become one, the frames say nothing until it is clear. What the model said in truth goes along
 * for whoever continues the turn after a stop of the service.
 */
export class LiveText {
  readonly #told: Record<Kind, Told> = { token: begin(), reasoning: begin() }

  constructor (private readonly isMasked: () => boolean) {}

  /** Goes on where a stop of the service has left off: what was held back then is shown once, with what follows. */
  restore (before: Record<Kind, Before>): void {
    for (const kind of [
      'token', 'reasoning'
    ] as const) this.#told[kind] = this.isMasked() ? goOn(before[kind]) : { ...begin(), plain: before[kind].held, owed: before[kind].held }
  }

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

  /** What was said does not count: the text is another, so far this one. */
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

  /** What was said and stands in no frame yet; null when there is nothing. */
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

  /** What is shown next, and what the model said in truth; null: nothing yet. */
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
 * The mask has to know what stands in front of what comes. It may hold back more or less than it did when the same text came
 * in other pieces; what it makes of the whole is the same.
 */
function goOn ({ plain, shown, held }: Before): Told {
  const told = { ...begin(), plain: held }
  const out = told.mask.push(plain) + told.mask.push(held)
  if (out.startsWith(shown)) return { ...told, owed: out.slice(shown.length) }
  if (shown.startsWith(out)) return { ...told, again: shown.length - out.length }
  // It was shown by other rules than those of now: what was held back is looked at alone.
  const mask = new StreamMask({ isRead: true })
  return { ...told, mask, owed: mask.push(held) }
}
