import { join, resolve } from 'node:path'
import { linkedPaths } from '../git/linked-paths.js'
import { createLook, type Look, Unclear } from '../git/look.js'
import { type Contact, Remotes } from '../git/remotes.js'
import { ownPrograms } from '../git/own-programs.js'
import { findRepository, isPlainRepository, type Repository } from '../git/repository.js'
import { remoteHostOf } from '../tables/addresses.js'
import { arrives } from '../own/files.js'
import { effectOf, readGitCall } from '../tables/git-contacts.js'
import { harmlessByNature } from '../tables/known.js'
import * as programs from '../tables/programs.js'
import { within } from '../../tools/containment.js'
import { type GitContacts, type Walk } from './walk.js'
import { isKnown } from './words.js'
import { reason } from '../../../../reasons/index.js'

/** Programs that may change files in a folder that git looks at. */
const moving = /^(?:cp|mv|ln|rm|rmdir|dd|unlink|sponge|csplit|unzip|tee|truncate|shred|source|\.|exec|builtin|eval|enable|fc|alias|trap|bind|complete)$/
/** Matches files that git looks for. */
const ofGit = /(?:^|\/)\.git(?:config|modules)?(?:\/|$)|(?:^|\/)(?:HEAD|config(?:\.worktree)?|commondir|gitdir|\.lfsconfig)$|\0/i
/** Programs that bring folders with unknown content, which may include `.git`. */
const unpacking = /^(?:g?tar|bsdtar|unzip|7z|cpio|pax|rsync|scp|sftp|rclone)$/
const copying = /^(?:cp|mv|ln|install)$/
/** Programs that start git in the current folder. */
const startsGit = /^(?:gh|glab|hub|tig|lazygit)$/
/** Commands that ask git about the sources, or make it commit, and run nothing else of the project. */
const asksGit = /^(?:go (?:build|install)|(?:npm|pnpm|yarn|bun) version|cargo (?:package|publish))$/
/** Subcommands that follow no repository's settings. */
const repositoryless = /^(?:|init|version|help)$/
/** Matches syntax and programs with which a later part of the line may run before an earlier one. */
const repeating = /\b(?:for|while|until|select|trap|coproc|parallel|xargs|watch|entr|find)\b|\(\s*\)|[^&<>]&(?![&>\d-])|[^|]\|(?!\|)/

/** How many steps it counts for to look at everything that git would run. */
const inspectionSteps = 400

/** Finds what git contacts, from the settings that it would read at that point of the command line. */
export class Contacts implements GitContacts {
  readonly #remotes = new Map<string, Remotes | null>()
  readonly #look: Look
  #isChanged = false
  /** Whether the line writes a file that may be part of a repository. */
  #isMade = false
  /** Places where the line may have created folders that do not exist yet; null = anywhere. */
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

  /** Judges the repositories whose settings git follows in a folder. */
  #works (subcommand: string, folder: string | null): void {
    if (folder === null || !isKnown(folder) || repositoryless.test(subcommand)) return
    const { around, files, findings } = this.shell
    const places = files.paths(folder)
    if (places.some((place) => this.#brought.some((there) => there === null || within(there, place)))) {
      findings.cannotRead(reason('git_brought_files'))
    }
    for (const place of places) this.#runs(place)
    if (this.#isMade || !files.paths(folder).every((place) => this.#isPlain(place, around.boundaries.workspace))) {
      findings.cannotRead(reason('git_follows_made'))
    }
  }

  /** Adds the programs that a repository makes git run, as they are now, to the key, and those of repositories that git enters from it. */
  #runs (place: string): void {
    const { around, budget, findings } = this.shell
    if (this.#seen.has(place)) return
    this.#seen.add(place)
    budget.spend(inspectionSteps)
    try {
      const repository = findRepository(place, this.#look)
      if (repository === null || this.#seen.has(repository.gitFolder)) return
      this.#seen.add(repository.gitFolder)
      const own = ownPrograms(repository, around.boundaries.userHome, around.boundaries.workspace)
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
        if (!this.#isPlain(folder, around.boundaries.workspace)) {
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
    // Commands that it starts are judged separately.
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
    // The values are known where the function is called.
    if (!areKnown && this.shell.state.isDefining) return
    this.#hasGone = true
    if (folder === null || this.#isChanged || !isKnown(folder) || !areKnown) return this.#unclear()
    const places = this.shell.files.paths(folder)
    let isFound = false
    for (const place of places) isFound = this.#from(place, { ...contact, anyBranch: this.#isOtherBranch }) || isFound
    if (!isFound) this.#unclear()
  }

  /** Returns whether git contacts anything from this folder. */
  #from (folder: string, contact: Contact): boolean {
    const remotes = this.#at(folder)
    try {
      // Outside a repository, git contacts only an address that it is given.
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

  /** Returns the remotes of a folder's repository; null if they are unclear, which has been added to the findings by then. */
  #at (folder: string): Remotes | null {
    const known = this.#remotes.get(folder)
    if (known !== undefined) return known
    const { budget, around } = this.shell
    let found: Remotes | null = null
    try {
      found = new Remotes(folder, around.boundaries.userHome, this.#look, (path) => this.#real(path), (steps) => { budget.spend(steps) })
    } catch (error) {
      if (!(error instanceof Unclear)) throw error
      this.#unclear()
    }
    this.#remotes.set(folder, found)
    return found
  }

  #real (path: string): string {
    return this.shell.around.disk.follow(path, [])[0] ?? path
  }

  #goes (address: string, roots: readonly string[], pushes: boolean): boolean {
    const { findings } = this.shell
    if (/^[a-z][\w+.-]*::/i.test(address)) findings.cannotRead(reason('git_remote_program'))
    const host = remoteHostOf(address)
    if (host === null) return this.#local(address.replace(/^file:\/\/(?:localhost(?=\/))?/i, ''), roots, pushes)
    findings.add(`net:${host}`)
    return true
  }

  /** Judges a path on this machine; returns whether it exists. A push runs the hooks of the repository there. */
  #local (path: string, roots: readonly string[], pushes: boolean): boolean {
    const { around, files, findings } = this.shell
    const there = [...new Set(roots.map((root) => resolve(root, path)))].filter((place) =>
      [place, `${place}.git`].some((each) => this.#look(each).kind !== 'nothing'))
    for (const place of there) {
      const real = this.#real(place)
      files.path(real, pushes ? 'write' : 'read')
      // Outside the workspace, hooks cannot be planted without permission for the write; inside it, the hooks of work trees are protected.
      const isKnown = !within(around.boundaries.workspace, real) || real.endsWith('/.git') ||
        this.#look(resolve(real, '.git')).kind === 'folder'
      if (pushes && !isKnown) findings.cannotRead(reason('git_push_runs'))
    }
    return there.length > 0
  }
}
