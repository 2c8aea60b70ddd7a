import { type Options } from './options.js'

/**
 * The options of a command that are known to do no more than its plain form, as words of one text. `-abc` are letters without a value,
 * `-abc:` letters that take a value, and `-abc?` letters whose optional value is attached; the same goes for the long names `--name`,
 * `--name=` and `--name?`. `!` before a word: the option takes values that way, and is not harmless. `@`: its value belongs to the key.
 * A text that begins with `=` is for a program whose long names have one dash. There, `*` at the end of a name stands for anything, and a
 * value marked by `::` may begin with a dash.
 */
export class Spelling implements Options {
  readonly short: string
  readonly long: string[]
  /** Options whose value belongs to the key, with their dashes. */
  readonly placing: readonly string[]
  readonly #bad: string[] = []
  readonly #letters = new Map<string, OptionValue>()
  readonly #names = new Map<string, OptionValue>()
  readonly #starts: string[] = []
  readonly #isSingle: boolean

  constructor (text: string) {
    const values: string[] = []
    const long: string[] = []
    const placing: string[] = []
    this.#isSingle = text.startsWith('=')
    for (const word of text.split(/\s+/)) {
      const [, sign, name = '', mark = ''] = /^([!@]?)(-.+?)(::|[:=?]?)$/.exec(word) ?? []
      const bad = sign === '!' ? '!' : ''
      if (sign === '@') placing.push(name)
      if (sign === '!' && name.startsWith('--')) this.#bad.push(name)
      const takes = mark === '' ? 'nothing' : mark === '?' ? 'attached' : mark === '::' ? 'text' : 'value'
      if (name === '') continue
      if (this.#isSingle) {
        if (name.endsWith('*')) this.#starts.push(name.slice(0, -1))
        else if (bad === '') this.#names.set(name.replace(/^-+/, ''), takes)
        if (isTaking(takes) && name.length > 2) long.push(name.replace(/^-+/, ''))
        else if (isTaking(takes)) values.push(name.slice(1))
      } else if (name.startsWith('--')) {
        if (takes === 'value') long.push(name.slice(2))
        if (bad === '') this.#names.set(name.slice(2), takes)
      } else {
        if (takes === 'value') values.push(name.slice(1))
        if (bad === '') for (const letter of name.slice(1)) this.#letters.set(letter, takes)
      }
    }
    this.short = values.join('')
    this.long = long
    this.placing = placing
  }

  /** Returns whether a word is a long option, perhaps abbreviated, that is known to do harm, or may turn out to be one. */
  isHarmful (word: string): boolean {
    if (mayBecomeOption(word)) return this.#bad.length > 0
    const name = word.split('=', 1)[0] ?? ''
    return name.length > 2 && this.#bad.some((bad) => bad.startsWith(name))
  }

  takes (word: string): Takes {
    if (this.#isSingle) {
      return this.#starts.some((start) => word.startsWith(start)) ? 'nothing' : this.#ofLong(word, word.startsWith('--') ? 2 : 1)
    }
    if (word.startsWith('--')) return this.#ofLong(word, 2)
    for (let at = 1; at < word.length; at++) {
      const takes = this.#letters.get(word[at] ?? '')
      if (takes === undefined) return undefined
      if (takes !== 'nothing') return takes === 'value' && at === word.length - 1 ? 'next' : 'nothing'
    }
    return 'nothing'
  }

  #ofLong (word: string, dashes: number): Takes {
    const end = word.indexOf('=')
    const name = word.slice(dashes, end === -1 ? undefined : end)
    const takes = this.#names.get(name) ??
      (!this.#isSingle && name.startsWith('no-') && this.#names.has(name.slice(3)) ? 'nothing' : undefined)
    if (takes === undefined || (takes === 'nothing' && end !== -1)) return undefined
    return end !== -1 || !isTaking(takes) ? 'nothing' : takes === 'text' ? 'text' : 'next'
  }
}

/** What an option takes from the next word; undefined if the option, or one of its letters, is unknown. */
type Takes = 'nothing' | 'next' | 'text' | undefined
type OptionValue = 'nothing' | 'attached' | 'value' | 'text'
const isTaking = (takes: OptionValue): boolean => takes === 'value' || takes === 'text'

/** The known options of a command: their names, or a pattern that each option has to match. */
export type KnownOptions = Spelling | RegExp

export const isOption = (word: string): boolean => /^-(?!\d+$)\S/.test(word)
/** A word that is known only when the command runs may turn out to be an option; so may a file that a pattern matches. */
const mayBecomeOption = (word: string): boolean => /^(?:[\0*?[]|[@+!]\()/.test(word)
/** A stricter test for programs that may get nearly any file: an option with an unknown name, or a pattern that only matches options. */
export const mayBeOtherOption = (word: string): boolean => /^-(?!\d+$)(?:[^=\s]*(?:[\0*?]|[@+!]\()|[^=\s[]*\[.+\])|^\?[\w-]*$|^\[(?!(?:\w-\w|[\w.])+\])|^[@+!]\(/.test(word)

/**
 * Returns the index of the first word that is, or may be, an option that is not known to be harmless; -1 if there is none. An option in
 * place of a value, or after `--`, counts too, because programs differ in how they read it.
 *
 * @param passesOn whether the words after `--` go to another program
 */
export function strangeAt (known: readonly KnownOptions[], words: readonly string[], passesOn = false): number {
  let isValue = false
  let isText = false
  let ended = false
  for (const [index, word] of words.entries()) {
    if (isText) isText = false
    else if (word === '--' && !isValue && !ended) {
      if (passesOn) return -1
      ended = true
    } else if (isOption(word)) {
      const takes: Takes = ended || isValue ? undefined : takenBy(known, word)
      if (takes === undefined) return index
      isValue = takes === 'next'
      isText = takes === 'text'
    } else {
      if (!isValue && !ended && mayBecomeOption(word)) return index
      isValue = false
    }
  }
  return -1
}

export function takenBy (known: readonly KnownOptions[], word: string): Takes {
  for (const options of known) {
    const takes = options instanceof Spelling ? options.takes(word) : options.test(word) ? 'nothing' : undefined
    if (takes !== undefined) return takes
  }
  return undefined
}
