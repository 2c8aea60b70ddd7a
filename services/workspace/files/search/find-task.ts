import { lstatSync, type BigIntStats } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { realPath } from '../../../ground/files/containment.js'
import { isTemporary } from '../../../ground/files/temporary.js'
import { tried } from '../../../ground/tried.js'
import { isClosed, type Territory } from '../../place/place.js'
import { rankPath, readSought, recencyWeight, type Sought } from './ranking.js'

declare module '../../../ground/workers/index.js' {
  interface Tasks { findPaths: typeof findPaths }
}

export interface FoundPath {
  /** Relative to the workspace. */
  path: string
  isFolder: boolean
  sizeBytes: bigint
  modifiedNs: bigint
}

export interface FindOutput {
  found: FoundPath[]
  /** Whether the time was too short to search all paths. */
  isPart: boolean
}

export interface FindInput { territory: Territory, bytes: SharedArrayBuffer, query: string, limit: number }

/** How long a search may take, because a person is typing. Only folders with several hundred thousand files need as long. */
const patienceMs = 1_500
const timeLookedAtEvery = 500
/** How many times more results than wanted are checked on the disk, because recent changes move some of them up. */
const lookedAtFor = 3
const replacement = '\ufffd'
const dayNs = 86_400n * 1_000_000_000n

/**
 * Finds the paths that match a query best, among a list of files and the folders that contain them. Each result exists at this moment, is
 * inside the territory, and is not a symlink. Runs in a worker thread.
 */
export function findPaths ({ territory, bytes, query, limit }: FindInput): FindOutput {
  const sought = readSought(query)
  const best = new Best(Math.max(limit * lookedAtFor, 100))
  const untilMs = performance.now() + patienceMs
  let [looked, isPart] = [0, false]
  for (const path of candidates(Buffer.from(bytes), sought)) {
    isPart = ++looked % timeLookedAtEvery === 0 && performance.now() > untilMs
    if (isPart) break
    const rank = rankPath(path, sought)
    if (rank !== null) best.add(path, rank)
  }
  return { found: lookAt(territory, best.sorted()).slice(0, limit).map(({ found }) => found), isPart }
}

/** Yields the paths, and those of their folders, that may match: they contain all ASCII characters of each term, in order. */
function * candidates (bytes: Buffer, { terms }: Sought): Generator<string> {
  const needles = terms.map(({ text }) =>
    Uint8Array.from([...text].filter((sign) => sign.charCodeAt(0) < 128), (sign) => sign.charCodeAt(0)))
  const folders = new Set<string>()
  let lastFolder = ''
  for (let start = 0, end = 0; (end = bytes.indexOf(0, start)) !== -1; start = end + 1) {
    if (!needles.every((needle) => holds(bytes, start, end, needle))) continue
    const path = bytes.toString('utf8', start, end)
    if (path.includes(replacement)) continue
    yield path
    let folder = path.slice(0, Math.max(0, path.lastIndexOf('/')))
    if (folder === lastFolder) continue
    lastFolder = folder
    while (folder !== '' && !folders.has(folder)) {
      folders.add(folder)
      yield folder
      folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))
    }
  }
}

function holds (bytes: Buffer, start: number, end: number, needle: Uint8Array): boolean {
  let found = 0
  for (let at = start; at < end && found < needle.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte === needle[found] || (byte >= 65 && byte <= 90 && byte + 32 === needle[found])) found++
  }
  return found === needle.length
}

interface Candidate { path: string, rank: number }

/** Keeps the best candidates, up to a number. */
class Best {
  private items: Candidate[] = []
  private worst = Infinity

  constructor (private readonly most: number) {}

  add (path: string, rank: number): void {
    if (rank > this.worst) return
    this.items.push({ path, rank })
    if (this.items.length >= this.most * 4) this.cut()
  }

  sorted (): Candidate[] {
    this.cut()
    return this.items
  }

  private cut (): void {
    this.items.sort((one, other) => one.rank - other.rank || (one.path < other.path ? -1 : 1))
    if (this.items.length < this.most) return
    this.items.length = this.most
    this.worst = this.items.at(-1)?.rank ?? this.worst
  }
}

function lookAt (territory: Territory, some: Candidate[]): Array<{ found: FoundPath, rank: number }> {
  const nowNs = BigInt(Date.now()) * 1_000_000n
  const folders = new Map<string, boolean>()
  const isThere = (folder: string): boolean => {
    const known = folders.get(folder) ?? isItself(folder)
    folders.set(folder, known)
    return known
  }
  const looked = some.flatMap(({ path, rank }) => {
    const real = join(territory.root, path)
    if (path.split('/').some(isTemporary) || isClosed(territory, real) || !isThere(dirname(real))) return []
    const stats = statsOf(real)
    if (stats === null || !(stats.isFile() || stats.isDirectory()) || basename(real) === '') return []
    const found: FoundPath = { path, isFolder: stats.isDirectory(), sizeBytes: stats.size, modifiedNs: stats.mtimeNs }
    // A folder changes with any of its files, so its time says nothing about what the person wants.
    return [{ found, rank: rank - (found.isFolder ? 0 : recencyOf(nowNs - stats.mtimeNs)) }]
  })
  return looked.sort((one, other) => one.rank - other.rank)
}

/** Returns the bonus for a recent change: all of it for the last hour, less for the last days. */
function recencyOf (ageNs: bigint): number {
  if (ageNs < dayNs / 24n) return recencyWeight
  if (ageNs < dayNs) return recencyWeight / 2
  return ageNs < dayNs * 7n ? recencyWeight / 5 : 0
}

/** Whether no folder of the path has been replaced by a symlink since. */
const isItself = (folder: string): boolean => tried(() => realPath(folder) === folder, false)

const statsOf = (real: string): BigIntStats | null => tried(() => lstatSync(real, { bigint: true, throwIfNoEntry: false }) ?? null, null)
