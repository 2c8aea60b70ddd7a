import { beginningOf } from '../../ground/redaction/index.js'

type TextKind = 'token' | 'reasoning'
type TextEvent = { t: TextKind | 'retracted', text: string }

/** How many characters of the new text a retraction carries; the rest is sent after it. */
const placeChars = 2_000

/**
 * Sends what the attempts at one answer say without sending anything twice. While an attempt repeats what an earlier one said, nothing
 * is sent; what it says beyond that follows. An attempt that says something else retracts what was sent.
 */
export class Retelling {
  /** What was sent and not retracted. */
  readonly #told: Record<TextKind, string>
  /** What the current attempt has said. */
  readonly #said: Record<TextKind, string> = { token: '', reasoning: '' }
  #isRepeating = false

  /** @param before what was sent before an interruption */
  constructor (private readonly tell: (told: TextEvent) => void, before: { text: string, reasoning: string } = { text: '', reasoning: '' }) {
    this.#told = { token: before.text, reasoning: before.reasoning }
  }

  /** Begins another attempt. */
  begin (): void {
    this.#isRepeating = this.#told.token !== '' || this.#told.reasoning !== ''
    Object.assign(this.#said, { token: '', reasoning: '' })
  }

  hear (t: TextKind, text: string): void {
    const from = this.#said[t].length
    this.#said[t] += text
    if (!this.#isRepeating) return this.#say(t, text)
    // A text that follows different reasoning is a different text, even if it begins with the same words.
    if (t === 'token' && this.#said.reasoning !== this.#told.reasoning) return this.#takeBack()
    const known = this.#told[t].slice(from, from + text.length)
    if (!text.startsWith(known)) return this.#takeBack()
    if (known.length === text.length) return
    if (t === 'token') this.#isRepeating = false
    this.#say(t, text.slice(known.length))
  }

  /** Called when the attempt is a complete answer. It retracts what was sent if that differs. */
  end (): void {
    const isTold = this.#said.token === this.#told.token && this.#said.reasoning === this.#told.reasoning
    if (this.#isRepeating && !isTold) this.#takeBack()
    this.#isRepeating = false
  }

  #takeBack (): void {
    this.#isRepeating = false
    Object.assign(this.#told, { token: '', reasoning: '' })
    const text = beginningOf(this.#said.token, placeChars)
    this.#told.token = text
    this.tell({ t: 'retracted', text })
    if (this.#said.reasoning !== '') this.#say('reasoning', this.#said.reasoning)
    if (text.length < this.#said.token.length) this.#say('token', this.#said.token.slice(text.length))
  }

  #say (t: TextKind, text: string): void {
    this.#told[t] += text
    this.tell({ t, text })
  }
}
