import { batch, signal, type ReadonlySignal } from '@preact/signals-core'
import { findCommand, matchCommands, type Command } from './commands.js'
import { matchEntries, mentionAt, mentionOf, mergeEntries, splitPath, type Entry, type MentionedFolders } from './mentions.js'
import { visible } from '../files/paths.js'

/** How many suggestions are shown at most. */
const most = 60

/** A suggestion for the word at the caret. */
export interface Suggestion {
  readonly key: string
  readonly kind: 'command' | 'argument' | 'file' | 'folder'
  readonly label: string
  /** The arguments, such as `[text]`; empty for none. */
  readonly hint: string
  readonly about: string
  /** Replaces what was typed. */
  readonly insert: string
  readonly entry: Entry | null
}

/** Suggestions for the text from `start` to `end`. */
interface Offer { kind: 'command' | 'argument' | 'file', start: number, end: number, suggestions: readonly Suggestion[] }

/** The text after a suggestion was taken, and the caret in it. */
export interface Taken { text: string, caret: number, suggestion: Suggestion }

export interface CompletionOptions {
  /** The known commands; empty until they are loaded. */
  commands: ReadonlySignal<readonly Command[]>
  /** The description of a command, in the person's language. */
  about: (command: Command) => string
  folders: MentionedFolders
  /** How long typing has to pause before the whole workspace is searched. */
  searchAfterMs?: number
}

const usualSearchAfterMs = 120

/** A word that can be completed: immediately, and by a slower search. */
interface Word {
  kind: Offer['kind']
  start: number
  end: number
  suggest: () => Suggestion[] | Promise<Suggestion[]>
  search?: () => Promise<Suggestion[]>
}

/**
 * Suggests completions for a command, its subcommands, or the path of a file. The first is chosen until the arrows choose another. A
 * dismissed list stays away while the same word is typed.
 */
export class Completion {
  readonly #options: CompletionOptions
  readonly #offer = signal<Offer | null>(null)
  readonly #active = signal(0)
  #text = ''
  /** The kind and start of the word for which the list was dismissed. */
  #putAwayAt: string | null = null
  #version = 0

  constructor (options: CompletionOptions) {
    this.#options = options
  }

  get suggestions (): readonly Suggestion[] { return this.#offer.value?.suggestions ?? [] }
  get active (): ReadonlySignal<number> { return this.#active }
  get isOpen (): boolean { return this.suggestions.length > 0 }

  /** Looks for completions at the caret. Resolves when they are shown; a later call supersedes this one. */
  async look (text: string, caret: number): Promise<void> {
    const version = ++this.#version
    this.#text = text
    const found = this.#wordAt(text, caret)
    const word = found === null ? null : `${found.kind}:${found.start}`
    if (word !== this.#putAwayAt) this.#putAwayAt = null
    this.#options.folders.giveUp()
    if (found === null || this.#putAwayAt !== null) return this.#show(null)
    const before = this.#offer.peek()
    if (found.kind === 'file' && before?.kind !== 'file') this.#options.folders.forget()
    const offer = (suggestions: readonly Suggestion[]): void => {
      if (version === this.#version) {
        this.#show({ kind: found.kind, start: found.start, end: found.end, suggestions: suggestions.slice(0, most) })
      }
    }
    offer(await found.suggest())
    if (found.search === undefined) return
    await new Promise((resolve) => { setTimeout(resolve, this.#options.searchAfterMs ?? usualSearchAfterMs) })
    if (version === this.#version) offer(await found.search())
  }

  move (by: number): void {
    const { length } = this.suggestions
    if (length > 0) this.#active.value = (this.#active.peek() + by + length) % length
  }

  choose (at: number): void { this.#active.value = at }

  /** Dismisses the list; the text stays. */
  putAway (): void {
    const offer = this.#offer.peek()
    if (offer !== null) this.#putAwayAt = `${offer.kind}:${offer.start}`
    this.close()
  }

  /** Ends the completion. */
  close (): void {
    this.#version++
    this.#options.folders.giveUp()
    this.#show(null)
  }

  /** Whether the chosen suggestion is typed already, so that Enter sends the message. */
  get isWritten (): boolean {
    const offer = this.#offer.peek()
    return offer !== null &&
      this.#text.slice(offer.start, offer.end) === offer.suggestions[this.#active.peek()]?.insert.trimEnd()
  }

  /** Inserts a suggestion; null if there is none. */
  take (at = this.#active.peek()): Taken | null {
    const offer = this.#offer.peek()
    const suggestion = offer?.suggestions[at]
    if (offer === null || suggestion === undefined) return null
    const rest = this.#text.slice(offer.end)
    const insert = suggestion.insert.endsWith(' ') && /^\s/.test(rest) ? suggestion.insert.trimEnd() : suggestion.insert
    this.close()
    return { text: this.#text.slice(0, offer.start) + insert + rest, caret: offer.start + insert.length, suggestion }
  }

  #show (offer: Offer | null): void {
    batch(() => {
      const [before, after] = [this.#offer.peek(), offer]
      const chosen = before?.suggestions[this.#active.peek()]?.key
      const kept = before?.kind === after?.kind && this.#active.peek() > 0
        ? after?.suggestions.findIndex(({ key }) => key === chosen) ?? 0
        : 0
      this.#offer.value = offer
      this.#active.value = Math.max(0, kept)
    })
  }

  #wordAt (text: string, caret: number): Word | null {
    const before = text.slice(0, caret)
    const isAtEnd = /^(?:\s|$)/.test(text.slice(caret))
    const name = /^\/([\p{L}\p{N}:._-]*)$/u.exec(before)?.[1]
    if (name !== undefined && isAtEnd) {
      return {
        kind: 'command', start: 0, end: caret,
        suggest: () => matchCommands(this.#options.commands.peek(), name).map((command) => this.#ofCommand(command))
      }
    }
    const [, named, argument = ''] = /^\/(\S+)[ \t]+(\S*)$/u.exec(before) ?? []
    const command = named === undefined ? null : findCommand(this.#options.commands.peek(), named)
    if (command !== null && command.subcommands.length > 0 && text.slice(caret).trim() === '') {
      const typed = argument.toLowerCase()
      return {
        kind: 'argument', start: caret - typed.length, end: caret,
        suggest: () => command.subcommands.filter((one) => one.startsWith(typed)).map(ofArgument)
      }
    }
    const mention = mentionAt(text, caret)
    return mention === null || !isAtEnd ? null : { kind: 'file', start: mention.start, end: mention.end, ...this.#files(mention.path) }
  }

  #ofCommand (command: Command): Suggestion {
    const { name, args_hint: hint } = command
    return {
      key: name, kind: 'command', label: `/${name}`, hint, about: this.#options.about(command), insert: `/${name}${hint === '' ? '' : ' '}`,
      entry: null
    }
  }

  /** Suggests entries of the typed folder and, once part of a name is typed, matches from anywhere in the workspace. */
  #files (path: string): Pick<Word, 'suggest' | 'search'> {
    const { folders } = this.#options
    const { folder, name } = splitPath(path)
    const suggest = async (found: readonly Entry[]): Promise<Suggestion[]> =>
      mergeEntries(matchEntries(await folders.list(folder), name), found, name).map(ofEntry)
    if (name === '') return { suggest: () => suggest([]) }
    return { suggest: () => suggest(folders.stillFound(path)), search: async () => await suggest(await folders.search(path)) }
  }
}

function ofEntry (entry: Entry): Suggestion {
  const { path, name, is_dir: isFolder } = entry
  return {
    key: path,
    kind: isFolder ? 'folder' : 'file',
    label: visible(isFolder ? `${name}/` : name),
    hint: '',
    about: visible(path.slice(0, Math.max(0, path.length - name.length - 1))),
    insert: mentionOf(path, isFolder),
    entry
  }
}

const ofArgument = (text: string): Suggestion => ({
  key: text, kind: 'argument', label: text, hint: '', about: '', insert: text, entry: null
})
