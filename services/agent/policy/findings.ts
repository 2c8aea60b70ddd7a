import { type PathKey, type Place } from './paths.js'
import { hasLookalikes } from './shell/characters.js'
import { Unfinished } from './budget.js'
import { type OwnPrograms } from './git/own-programs.js'
import { unknown } from './shell/words.js'
import { inEnglish, reason, type Reason } from '../../../reasons/index.js'

/** What is known about a command line without running it. */
export interface CommandReading {
  /** Pattern keys, one for each thing the command does, in the order of the command line. */
  keys: string[]
  /** Those keys that stand for something a sandbox does not make harmless. */
  lasting: string[]
  /** Why the command cannot do its work in a sandbox, as ends of the sentence "Leaves the sandbox: …"; empty if it can. */
  leaves: Reason[]
  /** Those of `leaves` that need nothing but a network, in English. */
  lacksNetwork: string[]
  /** Why the command cannot be read completely; null if it can. */
  opaque: Reason | null
  /** Whether it could not be read to its end: what is known about it says nothing about the rest. */
  unfinished: boolean
  /** What it would do that is never allowed; null if nothing. */
  forbidden: string | null
  /** The program, or operator of the shell, that is not known to be harmless; null: the line only reads. */
  changes: string | null
  /** Programs that it runs, with known parts of their arguments, for the person who is asked; in the order of the command line. */
  parts: CommandPart[]
  /** Whether more parts exist, or longer ones, than are shown. */
  partsCut: boolean
  /** Programs that git would run besides its own in the folders where it works, for the person who is asked. */
  gitRuns: Reason[]
  /** Links that lead to places outside the workspace or to protected ones, for the person who is asked. */
  links: Reason[]
}

/** In the arguments, `…` stands for text that is known only while the command runs. */
export interface CommandPart { program: string, args: string[] }

/** Builtins of the shell that do nothing worth a key of their own when the command line has other keys. */
const inert: ReadonlySet<string> = new Set(['cd', ':', 'true', 'false', 'test', '[', 'set', 'shift', 'return', 'break', 'continue', 'wait', 'exit', 'local', 'declare',
  'typeset', 'readonly', 'export', 'unset', 'shopt', 'umask'].map((word) => `cmd:${word}`))

const maxKeyChars = 200
/** More than a person reads before agreeing. */
const maxKeys = 200
const maxPartChars = 10_000
const maxArgumentChars = 2_000
const maxGitRuns = 100
const maxLinks = 100

/** Collects what is found while one command line is read. */
export class Findings {
  readonly #keys = new Set<string>()
  readonly #lasting = new Set<string>()
  readonly #leaves = new Map<string, Reason>()
  readonly #lacksNetwork = new Set<string>()
  #opaque: Reason | null = null
  #forbidden: string | null = null
  #changes: string | null = null
  #unfinished = false
  readonly #parts = new Map<string, CommandPart>()
  #partChars = 0
  #partsCut = false
  readonly #gitRuns = new Map<string, Reason>()
  readonly #links = new Map<string, Reason>()

  /**
   * Adds a key. Text from the command line must not turn it into a pattern, which would widen a later grant, nor make it look like another
   * key.
   */
  add (key: string, lasting = false): void {
    const host = /^net:(.*)$/s.exec(key)?.[1]
    if (host !== undefined) return this.#connects(host)
    if (key.length > maxKeyChars || key.includes('*') || hasLookalikes(key)) {
      return this.cannotRead(reason('strange_name'))
    }
    this.#hold(key)
    if (lasting) this.#lasting.add(key)
  }

  ownOfGit ({ seal, programs }: OwnPrograms): void {
    this.#hold(`git:own ${seal}`)
    for (const program of programs.slice(0, maxGitRuns)) this.#gitRuns.set(inEnglish(program), shortened(program))
  }

  /** Records a link that leads elsewhere. */
  link (leads: Reason): void {
    if (this.#links.size < maxLinks) this.#links.set(inEnglish(leads), shortened(leads))
  }

  #hold (key: string): void {
    if (this.#keys.size >= maxKeys && !this.#keys.has(key)) throw new Unfinished(reason('too_many_things'))
    this.#keys.add(key)
  }

  /** Adds the key of a path that the command touches, and whether that works in a sandbox. */
  touch (key: PathKey, place: Place): void {
    this.#hold(key)
    if (place === 'beyond') this.leaves(reason(touching[key] ?? 'touches_outside'))
  }

  /**
   * @param why the end of the sentence "Leaves the sandbox: …"
   * @param onlyNetwork whether a network is all that it lacks there
   */
  leaves (why: Reason, onlyNetwork = false): void {
    const words = inEnglish(why)
    this.#leaves.set(words, why)
    if (onlyNetwork) this.#lacksNetwork.add(words)
  }

  /** Records a program with its arguments, as they are in the command line. */
  runs (argv: readonly string[]): void {
    const words = argv.map((word) => this.#shownWord(word))
    const key = words.join('\n')
    if (this.#parts.has(key)) return
    this.#partChars += key.length + words.length
    if (this.#partChars > maxPartChars) this.#partsCut = true
    else this.#parts.set(key, { program: words[0] ?? '', args: words.slice(1) })
  }

  #shownWord (word: string): string {
    if (word.length > maxArgumentChars) this.#partsCut = true
    return word.slice(0, maxArgumentChars).replaceAll(unknown, '…')
  }

  cannotRead (why: Reason): void {
    this.#opaque ??= why
  }

  /** @param what the end of the sentence "This would …" */
  forbid (what: string | null): void {
    this.#forbidden ??= what
  }

  /** @param what see CommandReading */
  mayChange (what: string): void {
    this.#changes ??= what.replaceAll(unknown, '…').slice(0, maxKeyChars)
  }

  /** Forbids a command that is nested too deeply. It could hide calls that never run, and no person writes such commands. */
  tooDeep (): void {
    this.cannotRead(reason('nested_too_deeply'))
    this.forbid('run commands that are nested too deeply to be checked')
  }

  /** @param why as in `cannotRead`; it takes precedence over anything else that could not be read */
  giveUp (why: Reason): void {
    this.#opaque = why
    this.#unfinished = true
    this.#partsCut = true
  }

  result (): CommandReading {
    const keys = [...this.#keys]
    const telling = keys.filter((key) => !inert.has(key))
    const kept = telling.length > 0 || this.#opaque !== null ? telling : keys
    if (this.#opaque !== null) kept.unshift('shell:opaque')
    // A sandbox makes harmless what is known. The part that was not read may remove files of the workspace.
    if (this.#unfinished) this.#lasting.add('shell:opaque')
    return {
      keys: kept,
      lasting: kept.filter((key) => this.#lasting.has(key)),
      leaves: [...this.#leaves.values()],
      lacksNetwork: [...this.#lacksNetwork],
      opaque: this.#opaque,
      unfinished: this.#unfinished,
      forbidden: this.#forbidden,
      changes: this.#changes ?? (this.#opaque === null ? null : 'its effects cannot be checked in advance'),
      parts: [...this.#parts.values()],
      partsCut: this.#partsCut,
      gitRuns: [...this.#gitRuns.values()].slice(0, maxGitRuns),
      links: [...this.#links.values()]
    }
  }

  #connects (host: string): void {
    const name = hostName(host)
    this.#hold(`net:${name}`)
    this.leaves(name === 'unknown' ? reason('connects_to_unknown') : reason('connects_to', { host: name }), true)
  }
}

const touching = {
  'read:outside': 'touches_read',
  'write:outside': 'touches_write',
  'read:protected': 'touches_protected_read',
  'write:protected': 'touches_protected_write',
  'write:workspace': 'touches_outside'
} as const satisfies Record<PathKey, string>

/** Shortens values to a length that a person may read. */
const shortened = ({ code, params }: Reason): Reason => ({
  code, params: Object.fromEntries(Object.entries(params).map(([name, value]) => [name, typeof value === 'string' ? value.slice(0, maxArgumentChars) : value]))
})

/** Includes name, password and port. */
const maxHostChars = 1_000

/** Returns the host as the network knows it (lower case, ASCII), or `unknown`. */
function hostName (host: string): string {
  if (host.length > maxHostChars) return 'unknown'
  const address = `http://${host}`
  const name = URL.canParse(address) ? new URL(address).hostname : ''
  return /^[a-z\d.:[\]_-]{1,253}$/.test(name) ? name : 'unknown'
}
