import { accessSync, constants, lstatSync, type Stats } from 'node:fs'
import { isTemporary } from '../../ground/files/temporary.js'
import { tried } from '../../ground/tried.js'
import { asBytes, asName, nameList, namesOf, readable } from './names.js'

declare module '../../ground/workers/index.js' {
  interface Tasks { findIndexChanges: typeof findIndexChanges }
}

export interface IndexChangesInput {
  /** Absolute. All names are relative to it. */
  top: string
  /** Output of `git ls-files -t -z --cached --others`. */
  listing: Uint8Array
  /** Output of `git diff-files -z --name-status`. */
  changes: Uint8Array
  /** Places (absolute) that are never part of a snapshot. */
  closed: readonly string[]
  /** Names of files that the user's repository tracks, whether or not they are ignored. */
  tracked: Uint8Array
  maxFileBytes: number
}

export interface IndexChanges {
  /** How many files the index contains once all changes are made. */
  count: number
  /** Names, each ended by a null character. */
  removed: Uint8Array
  /** Names, in portions that one command can add quickly. */
  added: Uint8Array[]
  addedBytes: number
  /** Paths of other repositories. */
  repositories: string[]
  /** Files that a snapshot cannot contain. */
  leftOut: string[]
}

const portionFiles = 1_000
const portionBytes = 32 * 1024 * 1024

/** Determines how an index must change to match a folder. Runs in a worker thread. */
export function findIndexChanges (input: IndexChangesInput): IndexChanges {
  const collector = new IndexChangesCollector(input)
  const changed = namesOf(input.changes)
  for (let index = 0; index + 1 < changed.length; index += 2) collector.changed(changed[index] ?? '', changed[index + 1] ?? '')
  for (const line of namesOf(input.listing)) {
    const name = line.slice(2)
    if (line.startsWith('? ')) collector.untracked(name)
    else collector.tracked(name)
  }
  const listed = input.tracked.length === 0 ? null : new Set(namesOf(input.listing).map((line) => line.slice(2)))
  for (const name of new Set(namesOf(input.tracked))) if (listed?.has(name) === false) collector.ignored(name)
  return collector.result()
}

/** Collects the changes. Names are Latin-1, which preserves every byte. */
class IndexChangesCollector {
  readonly #top: string
  readonly #closed: string[]
  readonly #removed = new Set<string>()
  readonly #portions: string[][] = []
  readonly #repositories: string[] = []
  readonly #leftOut: string[] = []
  readonly #ownFolders = new Map<string, boolean>()
  #portionBytes = 0
  #addedBytes = 0
  #count = 0

  constructor (readonly input: IndexChangesInput) {
    this.#top = asName(input.top)
    this.#closed = input.closed.map(asName)
  }

  /** Adds a file of the index that has changed. */
  changed (status: string, name: string): void {
    if (status === 'D' || this.#isClosed(name) || !this.#take(name)) this.#removed.add(name)
  }

  tracked (name: string): void {
    if (this.#isClosed(name)) this.#removed.add(name)
    else if (!this.#removed.has(name)) this.#count++
  }

  untracked (name: string): void {
    if (this.#isClosed(name) || isTemporary(name.slice(name.lastIndexOf('/') + 1))) return
    if (name.endsWith('/')) return this.#repository(name.slice(0, -1))
    if (this.#take(name)) this.#count++
  }

  /** Adds a file that is tracked although it is ignored. The name is checked, because the user's index may contain any name. */
  ignored (name: string): void {
    const parts = name.split('/')
    if (parts.some((part) => part === '' || part === '.' || part === '..' || part.toLowerCase() === '.git')) return
    if (this.#isClosed(name) || isTemporary(parts.at(-1) ?? '') || !this.#isOwnFolder(name.slice(0, Math.max(0, name.lastIndexOf('/'))))) return
    if (this.#take(name)) this.#count++
  }

  result (): IndexChanges {
    return {
      count: this.#count,
      removed: nameList([...this.#removed]),
      added: this.#portions.map(nameList),
      addedBytes: this.#addedBytes,
      repositories: this.#repositories,
      leftOut: this.#leftOut
    }
  }

  #take (name: string): boolean {
    const path = asBytes(`${this.#top}/${name}`)
    const stats = statsOf(path)
    if (stats === undefined) return false
    if (!stats.isFile() && !stats.isSymbolicLink()) return false
    const isHeld = stats.isSymbolicLink() || (stats.size <= this.input.maxFileBytes && isReadable(path))
    if (!isHeld || /(?:^|\/)\.git(?:\/|$)/i.test(name)) {
      this.#leftOut.push(readable(name))
      return false
    }
    const portion = this.#portions.at(-1)
    if (portion === undefined || portion.length >= portionFiles || this.#portionBytes + stats.size > portionBytes) {
      this.#portions.push([name])
      this.#portionBytes = stats.size
    } else {
      portion.push(name)
      this.#portionBytes += stats.size
    }
    this.#addedBytes += stats.size
    return true
  }

  #repository (name: string): void {
    const text = readable(name)
    // A path that is not UTF-8 cannot be passed to a program here.
    if (asName(text) === name) this.#repositories.push(text)
    else this.#leftOut.push(text)
  }

  /** Whether a folder is neither behind a symlink nor in another repository. */
  #isOwnFolder (name: string): boolean {
    if (name === '') return true
    let isOwn = this.#ownFolders.get(name)
    if (isOwn === undefined) {
      const path = `${this.#top}/${name}`
      isOwn = this.#isOwnFolder(name.slice(0, Math.max(0, name.lastIndexOf('/')))) &&
        statsOf(asBytes(path))?.isDirectory() === true && statsOf(asBytes(`${path}/.git`)) === undefined
      this.#ownFolders.set(name, isOwn)
    }
    return isOwn
  }

  #isClosed (name: string): boolean {
    const path = `${this.#top}/${name}`
    return this.#closed.some((place) => path === place || path.startsWith(`${place}/`))
  }
}

function statsOf (path: Buffer): Stats | undefined {
  return tried(() => lstatSync(path), undefined) // it has vanished, or its folder cannot be entered
}

function isReadable (path: Buffer): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}
