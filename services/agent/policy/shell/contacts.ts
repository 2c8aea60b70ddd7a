import { join, resolve } from 'node:path'
import { linkedPaths } from '../git/linked.js'
import { createLook, type Look, Unclear } from '../git/look.js'
import { type Contact, Remotes } from '../git/remotes.js'
import { ownPrograms } from '../git/own-programs.js'
import { findRepository, isPlainRepository, type Repository } from '../git/repository.js'
import { hostOf } from '../tables/addresses.js'
import { arrives } from '../own/files.js'
import { effectOf, readGitCall } from '../tables/git-contacts.js'
import { harmlessByNature } from '../tables/known.js'
import * as programs from '../tables/programs.js'
import { within } from '../../tools/containment.js'
import { type GitContacts, type Walk } from './walk.js'
import { isKnown } from './words.js'
import { reason } from '../../../../reasons/index.js'

/** They may change what lies in a folder that git looks at. */
const moving = /^(?:cp|mv|ln|rm|rmdir|dd|unlink|sponge|csplit|unzip|tee|truncate|shred|source|\.|exec|builtin|eval|enable|fc|alias|trap|bind|complete)$/
/** What git looks for. */
const ofGit = /(?:^|\/)\.git(?:config|modules)?(?:\/|$)|(?:^|\/)(?:HEAD|config(?:\.worktree)?|commondir|gitdir|\.lfsconfig)$|\0/i
/** They bring folders whose content nobody has seen, `.git` among them. */
const unpacking = /^(?:g?tar|bsdtar|unzip|7z|cpio|pax|rsync|scp|sftp|rclone)$/
const copying = /^(?:cp|mv|ln|install)$/
/** They start git where they are. */
const startsGit = /^(?:gh|glab|hub|tig|lazygit)$/
/** Commands that ask git about the sources, or have it commit, and run nothing else of the project. */
const asksGit = /^(?:go (?:build|install)|(?:npm|pnpm|yarn|bun) version|cargo (?:package|publish))$/
/** Settings of no repository count for these. */
const repositoryless = /^(?:|init|version|help)$/
/** Where what stands later may run earlier. */
const repeating = /\b(?:for|while|until|select|trap|coproc|parallel|xargs|watch|entr|find)\b|\(\s*\)|[^&<>]&(?![&>\d-])|[^|]\|(?!\|)/

/** What looking at all that git would run counts for. */
const inspectionSteps = 400

/** Finds where git goes, from the settings that it would read at that point of the command line. */
export class Contacts implements GitContacts {
  readonly #remotes = new Map<string, Remotes | null>()
  readonly #look: Look
  #isChanged = false
  /** What may be a part of a repository is written. */
  #isMade = false
  /** Where folders may have come that were not there when this was judged; null = anywhere. */
  readonly #brought: Array<string | null> = []
  readonly #seen = new Set<string>()
  #isOtherBranch = false
  #isRepeating = false
  #hasGone = false

  constructor (private readonly shell: Walk) {
    this.#look = createLook(shell.budget, shell.around.look)
  }

  reads (text: string): void {
    if (!this.#isRepeating) this.#isRepeating = repeating.test(text)
  }

  writes (word: string): void {
    if (!ofGit.test(word)) return
    this.#isMade = true
    this.changes()
  }

  changes (): void {
    this.#isChanged = true
    if (this.#isRepeating && this.#hasGone) this.#unclear()
  }

  judge (program: string, args: readonly string[]): void {
    if (program !== 'git') {
      if (startsGit.test(program) || args.some((arg) => asksGit.test(`${program} ${arg}`))) {
        this.#works(program, args[args.indexOf('-C') + 1 || args.length] ?? '.')
      }
      if (unpacking.test(program)) this.#brought.push(null)
      else if (copying.test(
        program
      )) this.#brought.push(...arrives(args).flatMap((word) => isKnown(word) ? this.shell.files.paths(word) : [null]))
      if (!this.#keeps(program, args)) this.changes()
      return
    }
    const { subcommand, folder, contact } = readGitCall(args)
    if (contact === 'unclear') this.#unclear()
    else if (contact !== null) this.#contact(folder, contact)
    this.#works(subcommand, folder)
    const effect = effectOf(subcommand, args)
    if (effect === 'all') this.changes()
    else if (effect === 'branch') this.#branches()
  }

  /** Whose settings count where git works. */
  #works (subcommand: string, folder: string | null): void {
    if (folder === null || !isKnown(folder) || repositoryless.test(subcommand)) return
    const { around, files, findings } = this.shell
    const places = files.paths(folder)
    if (places.some((place) => this.#brought.some((there) => there === null || within(there, place)))) {
      findings.cannotRead(reason('git_brought_files'))
    }
    for (const place of places) this.#runs(place)
    if (this.#isMade || !files.paths(folder).every((place) => this.#isPlain(place, around.territory.workspace))) {
      findings.cannotRead(reason('git_follows_made'))
    }
  }

  /** What a repository makes git run belongs to the key, as it is now; so does what those make it run that it enters from there. */
  #runs (place: string): void {
    const { around, budget, findings } = this.shell
    if (this.#seen.has(place)) return
    this.#seen.add(place)
    budget.spend(inspectionSteps)
    try {
      const repository = findRepository(place, this.#look)
      if (repository === null || this.#seen.has(repository.gitFolder)) return
      this.#seen.add(repository.gitFolder)
      const own = ownPrograms(repository, around.territory.userHome, around.territory.workspace)
      if (own !== null) findings.ownOfGit(own)
      this.#linked(repository)
    } catch (error) {
      if (!(error instanceof Unclear)) throw error
    }
  }

  #linked (repository: Repository): void {
    const { around, findings } = this.shell
    try {
      for (const path of linkedPaths(repository, this.#look)) {
        const folder = resolve(repository.workTree, path)
        if (this.#look(join(folder, '.git')).kind === 'nothing') continue
        if (!this.#isPlain(folder, around.territory.workspace)) {
          findings.cannotRead(reason('git_enters_made'))
        }
        this.#runs(folder)
      }
    } catch (error) {
      if (!(error instanceof Unclear)) throw error
      findings.cannotRead(reason('git_enters_unknown'))
    }
  }

  #isPlain (place: string, workspace: string): boolean {
    try {
      return isPlainRepository(place, workspace, this.#look)
    } catch (error) {
      if (error instanceof Unclear) return false
      throw error
    }
  }

  #branches (): void {
    this.#isOtherBranch = true
    if (this.#isRepeating && this.#hasGone) this.#unclear()
  }

  #keeps (program: string, args: readonly string[]): boolean {
    // What it starts is judged by itself.
    if (program === 'find') return !args.some((arg) => /^-(?:delete|fprint|fls)/.test(arg))
    if (program === 'tee') return !args.some((arg) => ofGit.test(arg))
    return this.shell.state.isFunctionCall ||
      (!moving.test(program) && (harmlessByNature.has(program) || programs.onlyReads(program, args) || programs.wordsOnly.has(program)))
  }

  #unclear (): void {
    this.shell.findings.add('net:unknown')
  }

  #contact (folder: string | null, contact: Contact): void {
    const areKnown = contact.names === 'all' || contact.names.every(isKnown)
    // With what it runs is seen where it is called.
    if (!areKnown && this.shell.state.isDefining) return
    this.#hasGone = true
    if (folder === null || this.#isChanged || !isKnown(folder) || !areKnown) return this.#unclear()
    const places = this.shell.files.paths(folder)
    let isFound = false
    for (const place of places) isFound = this.#from(place, { ...contact, anyBranch: this.#isOtherBranch }) || isFound
    if (!isFound) this.#unclear()
  }

  /** Whether git goes anywhere from this folder. */
  #from (folder: string, contact: Contact): boolean {
    const remotes = this.#at(folder)
    try {
      // Where there is no repository, git has to be told where to go.
      if (remotes === null || (remotes.workTree === null && contact.names.length === 0)) return false
      const addresses = remotes.of(contact)
      const roots = [...new Set([folder, remotes.workTree ?? folder])]
      return addresses.map((address) => this.#goes(address, roots, contact.pushes)).some(Boolean) || addresses.length === 0
    } catch (error) {
      if (!(error instanceof Unclear)) throw error
      this.#unclear()
      return true
    }
  }

  /** The repository of a folder; null when it cannot be told, which has been said then. */
  #at (folder: string): Remotes | null {
    const known = this.#remotes.get(folder)
    if (known !== undefined) return known
    const { budget, around } = this.shell
    let found: Remotes | null = null
    try {
      found = new Remotes(folder, around.territory.userHome, this.#look, around.resolvePath, (steps) => { budget.spend(steps) })
    } catch (error) {
      if (!(error instanceof Unclear)) throw error
      this.#unclear()
    }
    this.#remotes.set(folder, found)
    return found
  }

  #goes (address: string, roots: readonly string[], pushes: boolean): boolean {
    const { findings } = this.shell
    if (/^[a-z][\w+.-]*::/i.test(address)) findings.cannotRead(reason('git_remote_program'))
    const host = hostOf(address)
    if (host === null) return this.#local(address.replace(/^file:\/\/(?:localhost(?=\/))?/i, ''), roots, pushes)
    findings.add(`net:${host}`)
    return true
  }

  /** A path on this machine. A push runs the hooks of the repository there. */
  #local (path: string, roots: readonly string[], pushes: boolean): boolean {
    const { around, files, findings } = this.shell
    const there = [...new Set(roots.map((root) => resolve(root, path)))].filter((place) =>
      [place, `${place}.git`].some((each) => this.#look(each).kind !== 'nothing'))
    for (const place of there) {
      const real = around.resolvePath(place)
      files.path(real, pushes ? 'write' : 'read')
      // Elsewhere nothing is planted without a write that was asked about; in the workspace the hooks of work trees are protected.
      const isKnown = !within(around.territory.workspace, real) || real.endsWith('/.git') ||
        this.#look(resolve(real, '.git')).kind === 'folder'
      if (pushes && !isKnown) findings.cannotRead(reason('git_push_runs'))
    }
    return there.length > 0
  }
}
