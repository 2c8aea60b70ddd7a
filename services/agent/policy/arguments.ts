import { basename, dirname, join, resolve } from 'node:path'
import { type Access, isHarmlessDevice, judgePath, mayMeanProtected, type Territory } from './paths.js'
import * as programs from './programs.js'
import { isKnown, unknown } from './words.js'

export interface Surroundings {
  /** Real path of the folder the command starts in. */
  cwd: string
  territory: Territory
  /** Follows symlinks; see realPath. */
  resolvePath (path: string): string
}

/** Each argument costs a few looks at the file system. */
const maxArguments = 1000
const maxFollowed = 4000

/** Where a reader of arguments reports to, and what it needs to know from there. */
export interface Findings {
  /** All folders the shell may be in at this point. */
  readonly folders: ReadonlySet<string>
  add (key: string): void
  cannotRead (why: string): void
}

/** Judges the files and addresses a command line names. */
export class Arguments {
  private readonly followed = new Map<string, string>()

  constructor (private readonly surroundings: Surroundings, private readonly findings: Findings) {}

  /** Judges the files and addresses among a program's arguments. */
  judge (program: string, args: string[]): void {
    if (programs.wordsOnly.has(program)) return
    if (args.length > maxArguments) return this.findings.cannotRead('it has too many arguments')
    const access = programs.onlyReads(program, args) ? 'read' : 'write'
    let skipPattern = programs.patternFirst.has(program) && !args.some((arg) => programs.givesPattern.test(arg))
    for (const arg of args) {
      const option = arg.startsWith('-')
      if (!option && skipPattern) {
        skipPattern = false
        continue
      }
      for (const word of pathsIn(arg)) this.argument(program, word, access)
    }
  }

  private argument (program: string, word: string, access: Access): void {
    const url = /^([a-z][a-z\d+.-]*):\/\/(?:[^/@]*@)?(\[[^\]]*\]|[^/:?#]*)(.*)$/i.exec(word)
    if (url?.[1]?.toLowerCase() === 'file') return this.path(url[3] ?? '', access)
    if (url !== null) {
      if (programs.fetchers.has(program)) this.findings.add(`net:${isKnown(url[2] ?? '') ? (url[2] ?? '').toLowerCase() : 'unknown'}`)
      return
    }
    if (isKnown(word)) return this.path(word, access)
    if (programs.changers.has(program)) return this.findings.cannotRead(`what ${program} is applied to is only known while it runs`)
    const start = word.slice(0, word.indexOf(unknown))
    if (start.includes('/')) this.path(start.slice(0, start.lastIndexOf('/') + 1), access, word)
    else if (access === 'read') this.findings.add('read:outside')
  }

  path (word: string, access: Access, pattern = word): void {
    if (word.length > 4096) return
    const wild = pattern.search(/[*?[\0]/)
    for (const path of this.paths(wild === -1 ? word : pattern.slice(0, pattern.lastIndexOf('/', wild) + 1) || '.')) {
      if (isHarmlessDevice(path) || isHarmlessDevice(word)) continue
      const key = judgePath(path, access, this.surroundings.territory)
      if (wild !== -1 && mayMeanProtected(join(path, pattern.slice(pattern.lastIndexOf('/', wild) + 1)), access, this.surroundings.territory)) this.findings.add(`${access}:protected`)
      else if (key !== null && key !== 'write:workspace') this.findings.add(key)
    }
  }

  /** The real paths a word may mean, from every folder the shell may be in. */
  paths (word: string, ofLink = false): string[] {
    const { territory } = this.surroundings
    const tilde = /^~([^/]*)(.*)$/s.exec(word)
    const home = tilde === null ? null : tilde[1] === '' ? territory.userHome : tilde[1] === 'root' ? '/root' : `/home/${tilde[1]}`
    const expanded = home === null ? word : home + (tilde?.[2] ?? '')
    const real = (path: string): string => ofLink && !/^\.{0,2}$/.test(basename(path)) ? join(this.follow(dirname(path)), basename(path)) : this.follow(path)
    if (expanded.startsWith('/')) return [real(expanded)]
    return [...this.findings.folders].map((folder) => real(`${folder}/${expanded}`))
  }

  /** Follows symlinks, up to a budget: a long command line must not hold up the process. */
  private follow (path: string): string {
    const known = this.followed.get(path)
    if (known !== undefined) return known
    if (this.followed.size >= maxFollowed) {
      this.findings.cannotRead('it names too many files')
      return resolve(path)
    }
    const real = this.surroundings.resolvePath(path)
    this.followed.set(path, real)
    return real
  }
}

/** The parts of an argument that may be a path: all of it, the value of an option, both sides of a mapping. */
function pathsIn (arg: string): string[] {
  if (arg === '' || arg === '-' || arg === '--') return []
  if (arg.startsWith('-')) {
    const value = /^--?[\w-]+=(.+)$/s.exec(arg)?.[1] ?? /^-[A-Za-z]((?:\/|~|\.\.).+)$/s.exec(arg)?.[1]
    return value === undefined ? [] : [value]
  }
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(arg)) return [arg]
  const words = [arg.startsWith('@') ? arg.slice(1) : arg]
  const assigned = /^[\w.-]+=(.+)$/s.exec(arg)?.[1]
  if (assigned !== undefined) words.push(assigned.replace(/^@/, ''))
  if (arg.includes(':')) words.push(...arg.split(':').filter((piece) => /^[/~]|^\.\.?\//.test(piece)))
  return words
}
