import { inEnglish, reason, type Reason } from '../../../reasons/index.js'

/**
 * A command line that was not read to its end. What is left of it may be anything, so nobody's earlier word covers it:
 * neither a grant nor yolo nor the sandbox. The reason is the end of the sentence "What it does cannot be told in advance: …".
 */
export class Unfinished extends Error {
  override name = 'Unfinished'

  constructor (readonly reason: Reason) {
    super(inEnglish(reason))
  }
}

/** What any command may cost, and what it may cost more for each of its characters. */
const base = 16_000
const perCharacter = 5

/** `${name}`, `${#name}`, `${name[@]}`: nothing is inside. */
const plainExpansion = /^\$\{[#!]?\w+(?:\[[@*]\])?\}/
const maxPlainChars = 64

/** What one look at the file system counts for. */
export const lookSteps = 8

/**
 * The work that one decision may take, counted in steps of a fraction of a microsecond each. Everything that reads a
 * command line shares one of these and pays before it works, so that no way to nest or to multiply can take longer than
 * the command's own length allows.
 */
export class Budget {
  #spent = 0
  readonly #allowed: number

  /** @param characters the length of what is judged */
  constructor (characters: number) {
    this.#allowed = base + perCharacter * characters
  }

  get spent (): number {
    return this.#spent
  }

  /** Throws Unfinished when there is not that much left. */
  spend (steps: number): void {
    if (this.#spent + steps > this.#allowed) throw new Unfinished(reason('too_much_work'))
    this.#spent += steps
  }

  /**
   * Pays for a word before its parts are asked for: the parser goes through it again for each expansion with an operator
   * or an index that holds another.
   */
  open (text: string): void {
    let nested = 0
    for (let at = text.indexOf('${'); at !== -1; at = text.indexOf(
      '${', at + 2
    )) if (!plainExpansion.test(text.slice(at, at + maxPlainChars))) nested++
    this.spend(1 + (text.length >> 4) + (nested > 1 ? (nested * text.length) >> 2 : 0))
  }

  /** Pays for texts that are looked through. */
  read (texts: readonly string[]): void {
    let characters = 0
    for (const text of texts) characters += text.length
    this.spend(texts.length + (characters >> 4))
  }
}
