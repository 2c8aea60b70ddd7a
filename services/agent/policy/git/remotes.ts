import { join } from 'node:path'
import { parseConfiguration, type Setting } from '../../sandbox/git-config.js'
import { type Look, Unclear } from './look.js'
import { branchOf, findRepository, type Repository, settingsFor } from './repository.js'

/** What a call of git contacts. */
export interface Contact {
  pushes: boolean
  /** Remotes, groups of remotes, addresses or paths. Empty: git's own choice; `all`: every remote in the settings. */
  names: readonly string[] | 'all'
  /** Whether it is unknown which branch is checked out by then. */
  anyBranch?: boolean
  /** Whether the names are addresses or paths, and not remotes. */
  isClone?: boolean
  /** `too`: the addresses of submodules too; `only`: nothing else; `init`: nothing else, including submodules that are not set up yet. */
  submodules?: 'too' | 'only' | 'init'
}

const isSetFor = /^remote\.([^]+)\.(url|pushurl|vcs|lfsurl|lfspushurl)$/

/** Finds the addresses and paths that a call of git in a folder contacts, rewritten as git rewrites them. Throws Unclear. */
export class Remotes {
  readonly #repository: Repository | null
  readonly #settings: readonly Setting[]

  /** @param spend pays for reading settings */
  constructor (
    folder: string, private readonly home: string, private readonly look: Look, private readonly follow: (path: string) => string,
    private readonly spend: (steps: number) => void
  ) {
    this.#repository = findRepository(folder, look)
    this.#settings = settingsFor(this.#repository, home, look, follow)
  }

  /** The folder that relative paths among the addresses start from; null without a repository. */
  get workTree (): string | null {
    return this.#repository?.workTree ?? null
  }

  of (contact: Contact): string[] {
    const { submodules, pushes } = contact
    const names = submodules === 'only' || submodules === 'init' ? [] : this.#names(contact)
    return [...new Set([
      ...names.flatMap((name) => contact.isClone === true ? this.#usualAddress(name, pushes) : this.#addresses(name, pushes)),
      ...submodules === undefined || (submodules === 'too' && this.#repository === null) ? [] : this.#ofSubmodules(submodules === 'init'),
      ...names.length === 0 || contact.isClone === true ? [] : this.#ofLargeFiles(pushes)
    ])]
  }

  #values (name: string): string[] {
    this.spend(this.#settings.length >> 3)
    return this.#settings.filter((setting) => setting.name === name && setting.value !== '').map(({ value }) => value)
  }

  #known (): string[] {
    this.spend(this.#settings.length >> 3)
    return [...new Set(this.#settings.flatMap(({ name }) => isSetFor.exec(name)?.[1] ?? []))]
  }

  #names ({ names, pushes, anyBranch }: Contact): string[] {
    if (this.#repository === null && (names === 'all' || names.length === 0)) throw new Unclear()
    if (names === 'all') return this.#known()
    if (names.length > 0) return names.flatMap((name) => this.#values(`remotes.${name}`).length > 0 ? this.#known() : [name])
    if (anyBranch === true) {
      return [...new Set([
        ...this.#known(),
        ...this.#settings.flatMap(({ name, value }) => /^branch\.[^]+\.(?:push)?remote$|^remote\.pushdefault$/.test(name) ? [value] : [])
      ])]
    }
    return [this.#usual(pushes)]
  }

  /** Returns the remote that git uses if none is named. */
  #usual (pushes: boolean): string {
    const branch = this.#repository === null ? null : branchOf(this.#repository, this.look)
    const own = branch === null ? [] : this.#values(`branch.${branch}.remote`)
    const forPush = pushes
      ? [...this.#values('remote.pushdefault').slice(-1), ...branch === null ? [] : this.#values(`branch.${branch}.pushremote`).slice(-1)]
      : []
    const known = this.#known()
    return forPush.at(-1) ?? own.at(-1) ?? (known.length === 1 ? known[0] ?? 'origin' : 'origin')
  }

  #addresses (name: string, pushes: boolean): string[] {
    if (name === '.') return []
    const urls = this.#values(`remote.${name}.url`)
    const pushUrls = pushes ? this.#values(`remote.${name}.pushurl`) : []
    if (this.#values(`remote.${name}.vcs`).length > 0) throw new Unclear()
    if (pushUrls.length > 0) return pushUrls.flatMap((url) => this.#rewritten(url, 'insteadof') ?? [url])
    if (urls.length > 0) return urls.flatMap((url) => this.#usualAddress(url, pushes))
    const { common } = this.#repository ?? {}
    // Old repositories keep remotes in these files.
    if (common !== undefined && !name.includes('..') &&
      ['remotes', 'branches'].some((folder) => this.look(join(common, folder, name)).kind !== 'nothing')) throw new Unclear()
    return this.#usualAddress(name, pushes)
  }

  #usualAddress (url: string, pushes: boolean): string[] {
    return (pushes ? this.#rewritten(url, 'pushinsteadof') : null) ?? this.#rewritten(url, 'insteadof') ?? [url]
  }

  /** Rewrites an address by the rule with the longest prefix that matches; null if none does. */
  #rewritten (url: string, key: 'insteadof' | 'pushinsteadof'): string[] | null {
    this.spend(this.#settings.length >> 3)
    const rules = this.#settings.filter(({ name, value }) =>
      name.startsWith('url.') && name.endsWith(`.${key}`) && value !== '' && url.startsWith(value))
    const longest = Math.max(...rules.map(({ value }) => value.length))
    return rules.length === 0
      ? null
      : rules.filter(({ value }) => value.length === longest).map(({ name, value }) =>
        name.slice('url.'.length, -(key.length + 1)) + url.slice(value.length))
  }

  /** Returns the addresses of submodules: from the settings, from their own repositories, and with `sets` from `.gitmodules`. */
  #ofSubmodules (sets: boolean): string[] {
    if (this.#repository === null) throw new Unclear()
    const { common, workTree } = this.#repository
    const listed = this.#ofFile(join(workTree, '.gitmodules'))
    const named = [...this.#settings, ...listed].flatMap(({ name }) => /^submodule\.([^]+)\.url$/.exec(name)?.[1] ?? [])
    const urls = [...this.#settings, ...sets ? listed : []].filter(({ name }) => /^submodule\.[^]+\.url$/.test(name)).map(({ value }) =>
      value)
    const kept = [...new Set(named)].flatMap((name) => {
      if (/(?:^|\/)\.\.(?:\/|$)/.test(name)) throw new Unclear()
      return this.#ofFile(join(common, 'modules', name, 'config')).filter((setting) =>
        /^remote\.[^]+\.(?:url|pushurl)$/.test(setting.name)).map(({ value }) => value)
    })
    // `../x` is relative to the address that the repository itself was cloned from.
    return [...urls, ...kept].flatMap((url) =>
      /^\.\.?\//.test(url) ? this.#addresses(this.#usual(false), false) : this.#usualAddress(url, false))
  }

  /** Returns the addresses of large files (LFS), which may be elsewhere; a file in the work tree may name them. */
  #ofLargeFiles (pushes: boolean): string[] {
    if (this.#repository === null) return []
    const isKept = pushes ? /^(?:lfs\.(?:push)?url|remote\.[^]+\.lfs(?:push)?url)$/ : /^(?:lfs\.url|remote\.[^]+\.lfsurl)$/
    return [...this.#settings, ...this.#ofFile(join(this.#repository.workTree, '.lfsconfig'))].filter(({ name }) =>
      isKept.test(name)).flatMap(({ value }) => this.#usualAddress(value, pushes))
  }

  #ofFile (path: string): Setting[] {
    const seen = this.look(path)
    if (seen.kind === 'nothing') return []
    const { settings, unread } = parseConfiguration(seen.text ?? '[')
    if (unread !== null || settings.some(({ name }) => name.startsWith('include'))) throw new Unclear()
    return settings
  }
}
