import { type Choice } from '../core/conversation/prompts.js'

/** What of a keydown the card looks at. */
export interface CardKey { key: string, repeat: boolean, ctrlKey: boolean, metaKey: boolean, altKey: boolean, isComposing: boolean }

export interface CardKeysOptions {
  isOffered: (choice: Choice) => boolean
  onChoice: (choice: Choice) => void
  nowMs: () => number
  /** Calls in a while; what it returns takes that back. */
  later: (call: () => void, delayMs: number) => () => void
}

/** A card that has just come takes nothing for so long: what is pressed then was meant for something else. */
export const guardMs = 500
/** A letter is a choice only when none follows it at once: then somebody is writing. */
const letterMs = 300
/** And one that the focus has just come to, for so long: the key may have been meant for the one before. */
const focusGuardMs = 250

const choices: Readonly<Record<string, Choice>> = { Enter: 'once', s: 'session', S: 'session', Escape: 'deny' }

/**
 * The keys of a card that has the focus itself. A key that is held, or that comes as the card does, allows
 * nothing; nor does a letter that begins a word.
 */
export class CardKeys {
  readonly #options: CardKeysOptions
  #fromMs: number
  #takeBack: (() => void) | null = null

  constructor (options: CardKeysOptions) {
    this.#options = options
    this.#fromMs = options.nowMs() + guardMs
  }

  /** `taken`: the key was for the card. `typing`: the person is writing, and the text belongs elsewhere. */
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

  /** The card itself has got the focus. */
  focused (): void {
    this.#fromMs = Math.max(this.#fromMs, this.#options.nowMs() + focusGuardMs)
  }

  /** The card has lost the focus or is gone: nothing is pending any more. */
  stop (): void {
    this.#takeBack?.()
    this.#takeBack = null
  }
}
