import { basename, dirname, join, relative } from 'node:path'
import { within } from '../../tools/containment.js'
import { type Budget } from '../budget.js'
import { type Disk, type Lead } from '../disk.js'
import { hostOfAddress } from '../tables/addresses.js'
import { bareAddresses, fetchers, filesOfAddresses } from '../tables/fetchers.js'
import { targetsOf } from '../tables/targets.js'
import { type Findings } from '../findings.js'
import { type Look } from '../git/look.js'
import { kernelPathChars } from '../follow.js'
import {
  type Access, holdsProtected, isHarmlessDevice, isProjectSetting, judgePath, mayMeanProtected, type PathKey, placeOf, type Boundaries
} from '../paths.js'
import * as programs from '../tables/programs.js'
import { levelsFollowed, startsHere, usesLinkItself } from '../tables/links.js'
import { isWild } from '../tables/wildcards.js'
import { type ShellState } from './state.js'
import { isKnown, unknown } from './words.js'
import { reason } from '../../../../reasons/index.js'

export interface Surroundings {
  /** Real path of the folder in which the command starts. */
  cwd: string
  boundaries: Boundaries
  /** The files that the command finds, with their symlinks. */
  disk: Disk
  /** Looks at the file system to find out what git contacts. Default: lookThere. */
  look?: Look
  /** The steps that reading the command may still take. */
  budget: Budget
  /** Whether a shell with fewer features than bash runs it. Default: bash runs it. */
  isPlainShell?: boolean
}

/** A path is compared with some dozens of places. */
const judgementSteps = 14

/** Programs that look at a path and show nothing of it. The folder that `cd` changes to is tracked by the state. */
const asksOnly: ReadonlySet<string> = new Set(['test', '[', 'cd', 'pushd'])

/** Programs that do not show the content of files. */
const showsNone: ReadonlySet<string> = new Set([...asksOnly, 'ls', 'dir', 'stat', 'du', 'df', 'tree', 'find', 'fd', 'readlink', 'realpath'])

/** Judges the files and addresses that a command line names. */
export class Arguments {
  constructor (private readonly surroundings: Surroundings, private readonly findings: Findings, private readonly state: ShellState) {}

  /** Judges the files and addresses among a program's arguments. */
  judge (program: string, args: string[]): void {
    for (const host of [...bareAddresses(program, args), ...targetsOf(program, args)]) this.findings.add(`net:${host}`)
    for (const file of filesOfAddresses(program, args)) if (isKnown(file)) this.written(file)
    if (programs.takesNoFiles(program, args)) return
    const through = programs.goesThroughFolders(program, args)
    const levels = levelsFollowed(program, args)
    if (through) this.through('.')
    const access = programs.onlyReads(program, args) || programs.wordsOnly.has(program) ? 'read' : 'write'
    let skipPattern = programs.patternFirst.has(program) && !args.some((arg) => programs.givesPattern.test(arg))
    for (const [index, arg] of args.entries()) {
      const option = arg.startsWith('-')
      if (programs.patternOption(program)?.test(args[index - 1] ?? '') === true) continue
      if (!option && skipPattern) {
        skipPattern = false
        continue
      }
      const asked = access === 'write' && isLeftOut(program, args, index) ? 'read' : access
      for (const word of pathsIn(arg)) {
        this.argument(program, word, asked, args[index - 1] ?? '', isWild(word) && usesLinkItself(program, args, index))
        if (isLeftOut(program, args, index)) continue
        if (through) this.through(word)
        if (levels > 0 && program !== 'find') this.below(word, levels, program)
      }
    }
    if (levels > 0 && program !== 'find' && startsHere(program, args)) this.below('.', levels, program)
  }

  /** Judges where the links lead that a program finds below a folder, and follows. */
  below (folder: string, levels: number, program: string): void {
    const { disk, boundaries } = this.surroundings
    const access = /^(?:chmod|chown|chgrp|setfacl)$/.test(program) ? 'write' : 'read'
    this.filled(access)
    if (!isKnown(folder)) return
    const segments = folder.split('/')
    const wild = segments.findIndex(isWild)
    for (const root of this.paths(wild === -1 ? folder : segments.slice(0, wild).join('/') || (folder.startsWith('/') ? '/' : '.'))) {
      if (levels === Infinity && holdsProtected(root, boundaries)) {
        this.findings.add(`${access}:protected`)
        continue
      }
      disk.below(root, levels, (lead) => {
        const isOpen = this.lead(lead, access) === null
        if (!isOpen && holdsProtected(lead.to, boundaries)) this.findings.add(`${access}:protected`)
        return isOpen
      })
    }
    if (disk.isCut) this.findings.cannotRead(reason('links_unchecked'))
  }

  /** Judges a program that reads everything below a folder. */
  through (folder: string): void {
    if (!isKnown(folder) || !this.paths(folder).some((path) => holdsProtected(path, this.surroundings.boundaries))) return
    // In a sandbox it does not find them.
    this.findings.add('read:protected')
  }

  /** Files that an earlier call of the line has put in place may be links to anything, which is known only when they exist. */
  private filled (access: Access): void {
    // In a sandbox, such a link leads nowhere.
    if (this.state.isFilled) this.findings.add(`${access}:protected`)
  }

  private argument (program: string, word: string, access: Access, before: string, ofLink: boolean): void {
    const host = hostOfAddress(word)
    if (host !== null && /^file:/i.test(word)) return this.path(word.replace(/^file:\/\/[^/]*/i, ''), access)
    if (host !== null) {
      if (fetchers.has(program)) this.findings.add(`net:${host}`)
      return
    }
    if (access === 'read' && programs.isReader(program) && !showsNone.has(program)) this.filled('read')
    if (isKnown(word)) {
      return access === 'write' && programs.changers.has(program) ? this.written(word, ofLink) : this.path(word, access, word, ofLink)
    }
    if (programs.changers.has(program)) return this.findings.cannotRead(reason('unknown_target', { program }))
    if (access === 'write' && programs.isReader(program)) {
      return this.findings.cannotRead(reason('unknown_written', { program }))
    }
    const start = word.slice(0, word.indexOf(unknown))
    if (start.includes('/')) this.path(start.slice(0, start.lastIndexOf('/') + 1), access, word)
    // It may be any file, whatever its beginning, because the unknown part may contain `..`.
    if (access === 'read' ? !asksOnly.has(program) : programs.namesInput.test(before)) this.findings.add('read:protected')
  }

  /** Judges a path that the command line itself reads. */
  read (word: string): void {
    if (!isHarmlessDevice(word)) this.filled('read')
    this.path(word, 'read')
  }

  /** Judges a path that the command line itself writes, and does not only pass to a program. */
  written (word: string, ofLink = false): void {
    if (!isHarmlessDevice(word)) this.filled('write')
    this.path(word, 'write', word, ofLink)
    if (this.paths(word, ofLink && isWild(word)).some(isProjectSetting)) this.findings.touch('write:protected', 'beyond')
  }

  /** @param ofLink whether a symlink that a pattern finds is used itself, and not what it leads to */
  path (word: string, access: Access, pattern = word, ofLink = false): void {
    if (word.length > kernelPathChars) {
      // The kernel does not open it, unless the path that a pattern matches is shorter.
      if (/[*?[]/.test(word)) this.findings.cannotRead(reason('too_long_name'))
      return
    }
    const wild = pattern.search(/[*?[\0]/)
    const end = pattern.lastIndexOf('/', wild) + 1
    const starts = this.absolute(wild === -1 ? word : pattern.slice(0, end) || '.')
    for (const start of starts) {
      for (const path of this.follow(start)) {
        if (isHarmlessDevice(path) || isHarmlessDevice(word)) continue
        const key = this.keyOf(path, wild === -1 ? null : pattern.slice(end), access)
        if (key === null) continue
        this.findings.touch(key, placeOf(path, key))
        if (within(this.surroundings.boundaries.workspace, join(start))) this.tell({ link: start, to: path })
      }
    }
    for (const path of wild === -1 ? starts : this.absolute(pattern)) for (const lead of this.leads(path, ofLink)) this.lead(lead, access)
  }

  /** Judges what a link leads to that a pattern or a search finds. Returns what it needs; null if it leads to no other place. */
  private lead ({ link, to }: Lead, access: Access): PathKey | null {
    if (isHarmlessDevice(to)) return null
    const wild = to.search(/[*?[\0]/)
    const end = to.lastIndexOf('/', wild) + 1
    const key = wild === -1 ? this.keyOf(to, null, access) : this.keyOf(to.slice(0, end - 1) || '/', to.slice(end), access)
    if (key === null) return null
    // In a sandbox, such a link leads nowhere.
    this.findings.add(key)
    this.tell({ link, to })
    return key
  }

  /** Tells the person who is asked about a link. */
  private tell ({ link, to }: Lead): void {
    const { workspace } = this.surroundings.boundaries
    const path = join(link)
    const shown = within(workspace, path) ? relative(workspace, path) || '.' : path
    this.findings.link(reason('link_leads', { link: shown, to }))
  }

  /** @param pattern what follows the path, if it is a pattern */
  private keyOf (path: string, pattern: string | null, access: Access): PathKey | null {
    const { boundaries } = this.surroundings
    const mayBeProtected = pattern !== null && mayMeanProtected(join(path, pattern), access, boundaries)
    const key = mayBeProtected ? `${access}:protected` as const : judgePath(path, access, boundaries)
    return key === 'write:workspace' ? null : key
  }

  /**
   * Returns the real paths that a word may mean, from every folder that the shell may be in. With `ofLink`, a symlink at its end stands for
   * itself. Without `withFound`, links that a pattern finds are not followed.
   */
  paths (word: string, ofLink = false, withFound = true): string[] {
    return this.absolute(word).flatMap((path) => {
      const isItself = ofLink && !/^\.{0,2}$/.test(basename(path))
      const places = isItself ? this.follow(dirname(path)).map((folder) => join(folder, basename(path))) : this.follow(path)
      return withFound ? [...places, ...this.leads(path, isItself).map(({ to }) => to)] : places
    })
  }

  /** Returns the absolute paths that a word stands for, as they are written. */
  private absolute (word: string): string[] {
    const tilde = /^~([^/]*)(\/.*)?$/s.exec(word)
    if (tilde !== null) return this.homes(tilde[1] ?? '').map((home) => home + (tilde[2] ?? ''))
    return word.startsWith('/') ? [word] : [...this.state.folders].map((folder) => `${folder}/${word}`)
  }

  /** Returns where the links lead that a pattern finds. */
  private leads (path: string, ofLink: boolean): Lead[] {
    return isWild(path) && isKnown(path) && path.length <= kernelPathChars ? this.surroundings.disk.linked(path, ofLink) : []
  }

  private homes (user: string): string[] {
    if (user === '') return this.state.homes()
    return /^[+-]?\d*$/.test(user) ? [...this.state.folders] : [user === 'root' ? '/root' : `/home/${user}`]
  }

  private follow (path: string): string[] {
    this.surroundings.budget.spend(judgementSteps)
    return this.surroundings.disk.follow(path, this.state.folders)
  }
}

const leavingOut = /^--(?:exclude|ignore|skip)[a-z-]*(?:=|$)/

/** Returns whether an argument says which files a program leaves out. */
function isLeftOut (program: string, args: readonly string[], index: number): boolean {
  const [word = '', before = ''] = [args[index], args[index - 1]]
  return leavingOut.test(word) || (leavingOut.test(before) && !before.includes('=')) ||
    (program === 'zip' && args.slice(0, index).some((arg) => /^-[a-z]*x$/.test(arg)))
}

/** Up to how many letters of options may precede an attached value. */
const mostLetters = 8

/** Returns the values that may be attached to letters of options: `-qOfile` is `-q` and `-O file`. */
function hanging (arg: string): string[] {
  const letters = Math.min(mostLetters, /^-[A-Za-z\d#]*/.exec(arg)?.[0].length ?? 0)
  return Array.from({ length: Math.max(0, letters - 1) }, (_, index) => arg.slice(index + 2)).filter((value) => value !== '')
}

/** Returns the parts of an argument that may be a path: all of it, the value of an option, both sides of a mapping. */
function pathsIn (arg: string): string[] {
  if (arg === '' || arg === '-' || arg === '--') return []
  if (arg.startsWith('-')) {
    const value = /^--?[\w-]+=(.+)$/s.exec(arg)?.[1] ?? /^-[A-Za-z]+((?:\/|~|\.\.).+)$/s.exec(arg)?.[1]
    // `-flink`: a value attached to its letter may be a link.
    return [...value === undefined ? [] : [value], ...arg.startsWith('--') ? [] : hanging(arg)].flatMap((word) =>
      word.startsWith('-') || word.includes('://') ? [word] : pathsIn(word))
  }
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(arg)) return [arg]
  const words = [/^@(?!\()/.test(arg) ? arg.slice(1) : arg]
  if (arg.includes(',')) words.push(...arg.split(',').flatMap((piece) => /=([/~].*)$/s.exec(piece)?.[1] ?? []))
  const assigned = /^[^/=]+=(.+)$/s.exec(arg)?.[1]
  if (assigned !== undefined) words.push(assigned.replace(/^@/, ''))
  if (arg.includes(':')) words.push(...arg.split(':').filter((piece) => /^[/~]|^\.\.?\/|\.git(?:\/|$)/.test(piece)))
  return words
}
