import { beginningOf } from '../../ground/redaction/index.js'

type Said = 'token' | 'reasoning'
type Told = { t: Said | 'retracted', text: string }

/** More of what takes the place of something goes after it. */
const placeChars = 2_000

/**
 * Tells what the attempts at one answer say, so that nothing is told twice: as long as an attempt repeats what an earlier one has
 * told, it is only listened to, and what it says beyond that follows. One that says something else takes back what was told.
 */
export class Retelling {
  /** What was told and stands. */
  readonly #told: Record<Said, string>
  /** What the present attempt has said. */
  readonly #said: Record<Said, string> = { token: '', reasoning: '' }
  #isRepeating = false

  /** @param before what attempts of before an interruption have told */
  constructor (private readonly tell: (told: Told) => void, before: { text: string, reasoning: string } = { text: '', reasoning: '' }) {
    this.#told = { token: before.text, reasoning: before.reasoning }
  }

  /** Another attempt begins. */
  begin (): void {
    this.#isRepeating = this.#told.token !== '' || this.#told.reasoning !== ''
    Object.assign(this.#said, { token: '', reasoning: '' })
  }

  hear (t: Said, text: string): void {
    const from = this.#said[t].length
    this.#said[t] += text
    if (!this.#isRepeating) return this.#say(t, text)
    // What comes after another thought is another text, even if it begins with the same words.
    if (t === 'token' && this.#said.reasoning !== this.#told.reasoning) return this.#takeBack()
    const known = this.#told[t].slice(from, from + text.length)
    if (!text.startsWith(known)) return this.#takeBack()
    if (known.length === text.length) return
    if (t === 'token') this.#isRepeating = false
    this.#say(t, text.slice(known.length))
  }

  /** The attempt is an answer as it is. */
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

  #say (t: Said, text: string): void {
    this.#told[t] += text
    this.tell({ t, text })
  }
}
