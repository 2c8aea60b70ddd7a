import { type Choice } from '../core/conversation/prompts.js'

/** The properties of a keydown that are used. */
export interface CardKey { key: string, repeat: boolean, ctrlKey: boolean, metaKey: boolean, altKey: boolean, isComposing: boolean }

export interface CardKeysOptions {
  isOffered: (choice: Choice) => boolean
  onChoice: (choice: Choice) => void
  nowMs: () => number
  /** Calls a function after a delay. Returns a function that cancels it. */
  later: (call: () => void, delayMs: number) => () => void
}

/** How long a new card ignores keys, because they were meant for something else. */
export const guardMs = 500
/** A letter is a choice only if no other key follows within this time; otherwise the person is typing. */
const letterMs = 300
/** How long a card that has just got the focus ignores keys. */
const focusGuardMs = 250

const choices: Readonly<Record<string, Choice>> = { Enter: 'once', s: 'session', S: 'session', Escape: 'deny' }

/**
 * Handles the keys of a focused card. A key that is held down, or pressed as the card appears, allows nothing; nor does a letter that
 * begins a word.
 */
export class CardKeys {
  readonly #options: CardKeysOptions
  #fromMs: number
  #takeBack: (() => void) | null = null

  constructor (options: CardKeysOptions) {
    this.#options = options
    this.#fromMs = options.nowMs() + guardMs
  }

  /** `taken`: the key was for the card. `typing`: the person is typing, and the text belongs elsewhere. */
  down ({ key, repeat, ctrlKey, metaKey, altKey, isComposing }: CardKey): 'taken' | 'typing' | 'left' {
    const isPending = this.#takeBack !== null
    this.stop()
    if (ctrlKey || metaKey || altKey || isComposing) return 'left'
    const choice = choices[key]
    const isLetter = [...key].length === 1 && key !== ' '
    if (choice === undefined || (isLetter && isPending && !repeat)) return isLetter ? 'typing' : 'left'
    if (repeat || this.#options.nowMs() < this.#fromMs) return 'taken'
    if (!this.#options.isOffered(choice)) return isLetter ? 'typing' : 'left'
    if (!isLetter) this.#options.onChoice(choice)
    else this.#takeBack = this.#options.later(() => { this.#takeBack = null; this.#options.onChoice(choice) }, letterMs)
    return 'taken'
  }

  /** Called when the card gets the focus. */
  focused (): void {
    this.#fromMs = Math.max(this.#fromMs, this.#options.nowMs() + focusGuardMs)
  }

  /** Called when the card loses the focus or is gone; pending keys are dropped. */
  stop (): void {
    this.#takeBack?.()
    this.#takeBack = null
  }
}
