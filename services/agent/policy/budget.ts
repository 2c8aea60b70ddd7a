import { inEnglish, reason, type Reason } from '../../../reasons/index.js'

/**
 * Thrown when a command line could not be read to its end. The rest of it may be anything, so nothing allowed earlier covers it: neither a
 * grant, nor yolo, nor the sandbox. The reason is the end of the sentence "Its effects cannot be checked in advance: …".
 */
export class Unfinished extends Error {
  override name = 'Unfinished'

  constructor (readonly reason: Reason) {
    super(inEnglish(reason))
  }
}

/** How many steps any command may cost, and how many more for each of its characters. */
const base = 16_000
const perCharacter = 5

/** `${name}`, `${#name}`, `${name[@]}`: expansions with nothing nested in them. */
const plainExpansion = /^\$\{[#!]?\w+(?:\[[@*]\])?\}/
const maxPlainChars = 64

/** How many steps one look at the file system counts for. */
export const lookSteps = 8

/**
 * The work that one decision may take, counted in steps of a fraction of a microsecond each. Everything that reads a command line shares
 * one budget and pays before it works, so that no nesting or multiplication takes longer than the length of the command allows.
 */
export class Budget {
  #spent = 0
  readonly #allowed: number

  /** @param characters length of the text that is judged */
  constructor (characters: number) {
    this.#allowed = base + perCharacter * characters
  }

  get spent (): number {
    return this.#spent
  }

  /** Throws Unfinished when fewer steps are left. */
  spend (steps: number): void {
    if (this.#spent + steps > this.#allowed) throw new Unfinished(reason('too_much_work'))
    this.#spent += steps
  }

  /**
   * Pays for a word before it is parsed into parts: the parser goes through it again for each expansion that has an operator or an index
   * with another expansion in it.
   */
  open (text: string): void {
    let nested = 0
    for (let at = text.indexOf('${'); at !== -1; at = text.indexOf(
      '${', at + 2
    )) if (!plainExpansion.test(text.slice(at, at + maxPlainChars))) nested++
    this.spend(1 + (text.length >> 4) + (nested > 1 ? (nested * text.length) >> 2 : 0))
  }

  /** Pays for searching through texts. */
  read (texts: readonly string[]): void {
    let characters = 0
    for (const text of texts) characters += text.length
    this.spend(texts.length + (characters >> 4))
  }
}
