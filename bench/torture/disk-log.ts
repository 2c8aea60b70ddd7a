import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Random } from './random.js'

/** What a process did below a folder. Times are epoch seconds. */
type Action =
  | { at: number, does: 'open', path: string, handle: number, isNew: boolean, isEmptied: boolean }
  | { at: number, does: 'write', path: string, handle: number, offset: number | null, bytes: Buffer }
  | { at: number, does: 'truncate', path: string, length: number }
  | { at: number, does: 'remove' | 'folder' | 'sync', path: string }
  | { at: number, does: 'rename' | 'link', path: string, to: string }

const calls = ['openat', 'write', 'pwrite64', 'ftruncate', 'fsync', 'fdatasync', 'rename', 'link', 'unlink', 'rmdir', 'mkdir']
/** Calls that could not be repeated from the log, so that the log would be useless. */
const unreadable = ['writev', 'pwritev', 'symlink', 'copy_file_range', 'sendfile']
/** Size that a disk writes atomically. */
const sectorBytes = 4_096

/** Returns why nothing can be recorded here; undefined if it can. */
export function missingForDisk (): string | undefined {
  try {
    execFileSync('strace', ['-e', 'trace=none', 'true'], { stdio: 'ignore' })
    return undefined
  } catch {
    return 'strace, and the right to follow processes'
  }
}

/** Records what a running process does to the files below a folder. `logs` is a folder elsewhere. */
export async function recordDisk (pid: number, folder: string, logs: string): Promise<{ stop (): Promise<DiskLog> }> {
  mkdirSync(logs, { recursive: true })
  const base = join(logs, 'base')
  const tracer = spawn('strace', [
    '-ff', '-y', '-xx', '-ttt', '-T', '-s', '100000000', '-e', `trace=${[...calls, ...unreadable].join(',')}`, '-o', join(logs, 'trace'),
    '-p', String(pid)
  ], { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(tracer, 'exit')
  await Promise.race([once(tracer.stderr, 'data'), ended.then(() => { throw new Error('strace could not follow the service') })])
  tracer.stderr.resume()
  // Writes during the copy are also in the log: they are repeated, over the same bytes.
  cpSync(folder, base, { recursive: true, verbatimSymlinks: true, filter: isKept })
  return {
    async stop () {
      tracer.kill('SIGINT')
      await ended
      const done = readdirSync(logs).filter((name) => name.startsWith('trace.')).flatMap((name) =>
        readFileSync(join(logs, name), 'latin1').split('\n').flatMap(readCall))
      // A path may begin with the handle of a folder, so its folder is found by the time at which it was opened.
      const handles = new Map<number, string>()
      return new DiskLog(folder, base, done.sort((one, other) => one.at - other.at).flatMap((call) => actionOf(call, folder, handles)))
    }
  }
}

/** Sockets and shared memory are not stored on a disk. */
function isKept (path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats !== undefined && (stats.isFile() || stats.isDirectory() || stats.isSymbolicLink()) && !path.endsWith('-shm')
}

/** A file as it is on the disk, and changes that have not reached the disk yet. */
interface Node { durable: Buffer, pending: Change[] }
type Change = { offset: number, bytes: Buffer } | { length: number }

/** A folder's initial state, and what was done to it since. */
export class DiskLog {
  constructor (readonly folder: string, readonly base: string, readonly actions: readonly Action[]) {}

  get syncs (): number { return this.actions.filter(({ does }) => does === 'sync').length }

  /**
   * Leaves the folder in a state that the disk may have after a power cut at the given time. What was synced is there; of what
   * was written since, none, all, or any sectors. Changes of names happen in their order, up to some point after the last sync,
   * as in file systems with a journal.
   */
  leave (at: number, random: Random): void {
    const disk = new Disk((path) => this.#asItWas(path))
    for (const action of this.actions) if (action.at <= at) disk.take(action)
    const files = disk.after(random)
    rmSync(this.folder, { recursive: true, force: true })
    cpSync(this.base, this.folder, { recursive: true, verbatimSymlinks: true })
    for (const [path, content] of files) {
      if (content === null) rmSync(path, { recursive: true, force: true })
      else if (content === 'folder') mkdirSync(path, { recursive: true })
      else {
        mkdirSync(dirname(path), { recursive: true })
        writeFileSync(path, content)
      }
    }
  }

  #asItWas (path: string): Buffer | null {
    const place = join(this.base, path.slice(this.folder.length))
    return existsSync(place) ? readFileSync(place) : null
  }
}

class Disk {
  /** Files by name as processes see them; null: removed. */
  readonly #seen = new Map<string, Node | 'folder' | null>()
  /** Changes of names in their order, and how many of them have reached the disk. */
  readonly #names: Array<[string, Node | 'folder' | null]> = []
  #syncedNames = 0
  readonly #ends = new Map<number, number>()

  constructor (private readonly asItWas: (path: string) => Buffer | null) {}

  take (action: Action): void {
    const { does, path } = action
    if (does === 'open') {
      const found = this.#node(path)
      const isMade = found === null && action.isNew
      if (isMade) this.#name(path, { durable: Buffer.alloc(0), pending: [] })
      else if (found !== null && action.isEmptied) found.pending.push({ length: 0 })
      this.#ends.set(action.handle, action.isNew && (isMade || action.isEmptied) ? 0 : NaN)
    } else if (does === 'write') {
      const node = this.#node(path)
      if (node === null) return
      const end = this.#ends.get(action.handle) ?? NaN
      const offset = action.offset ?? (Number.isNaN(end) ? lengthOf(node) : end)
      node.pending.push({ offset, bytes: action.bytes })
      if (action.offset === null && !Number.isNaN(end)) this.#ends.set(action.handle, offset + action.bytes.length)
    } else if (does === 'truncate') this.#node(path)?.pending.push({ length: action.length })
    else if (does === 'sync') {
      const node = this.#node(path)
      if (node !== null) {
        node.durable = node.pending.reduce(changed, node.durable)
        node.pending = []
      }
      this.#syncedNames = this.#names.length
    } else if (does === 'rename' || does === 'link') {
      const node = this.#node(path)
      if (does === 'rename') this.#name(path, null)
      if (node !== null) this.#name(action.to, node)
    } else this.#name(path, does === 'folder' ? 'folder' : null)
  }

  /** Returns the final contents of the disk, for each changed name. */
  after (random: Random): Map<string, Buffer | 'folder' | null> {
    const share = random.pick([0, 1, 0.5])
    let kept = this.#syncedNames
    while (kept < this.#names.length && random.chance(share)) kept++
    const names = new Map(this.#names.slice(0, kept))
    // Files that existed before keep their names.
    const named = new Set(this.#names.map(([path]) => path))
    for (const [path, node] of this.#seen) if (!named.has(path)) names.set(path, node)
    const contentOf = ({ durable, pending }: Node): Buffer =>
      pending.reduce<Buffer>((content, change) => torn(content, change, share, random), durable)
    return new Map([...names].map(([path, node]) => [path, node === null || node === 'folder' ? node : contentOf(node)]))
  }

  #name (path: string, node: Node | 'folder' | null): void {
    this.#seen.set(path, node)
    this.#names.push([path, node])
  }

  #node (path: string): Node | null {
    const seen = this.#seen.get(path)
    if (seen !== undefined) return seen === 'folder' ? null : seen
    let durable: Buffer | null = null
    try {
      durable = this.asItWas(path)
    } catch {} // a folder
    const node = durable === null ? null : { durable, pending: [] }
    if (node !== null) this.#seen.set(path, node)
    return node
  }
}

const lengthOf = ({ durable, pending }: Node): number =>
  pending.reduce((length, change) => 'length' in change ? change.length : Math.max(length, change.offset + change.bytes.length), durable.length)

function changed (content: Buffer, change: Change): Buffer {
  if ('length' in change) return resized(content, change.length)
  const after = resized(content, Math.max(content.length, change.offset + change.bytes.length))
  change.bytes.copy(after, change.offset)
  return after
}

/** Applies a change of which each sector may or may not have been written. */
function torn (content: Buffer, change: Change, share: number, random: Random): Buffer {
  if ('length' in change) return random.chance(share) ? resized(content, change.length) : content
  let after = content
  for (let from = 0; from < change.bytes.length;) {
    const until = Math.min(change.bytes.length, from + sectorBytes - (change.offset + from) % sectorBytes)
    if (random.chance(share)) after = changed(after, { offset: change.offset + from, bytes: change.bytes.subarray(from, until) })
    from = until
  }
  return after
}

function resized (content: Buffer, length: number): Buffer {
  const after = Buffer.alloc(length)
  content.copy(after)
  return after
}

interface Call { at: number, name: string, args: string, strings: string[], handle: number, about: string | undefined, result: number }

/** Reads a line of strace; returns nothing for a failed call. `at` is when the call was over. */
function readCall (line: string): Call[] {
  const [, began, name = '', args = '', result = '', opened, took] =
    /^(\d+\.\d+) (\w+)\((.*)\)\s+= (-?\d+)(?:<([^>]*)>)?.* <([\d.]+)>$/.exec(line) ?? []
  if (began === undefined || result.startsWith('-')) return []
  const strings = [...args.matchAll(/"([^"]*)"/g)].map(([, text = '']) => text)
  const [, handle, of] = /^(\d+)<([^>]*)>/.exec(args) ?? []
  const at = Number(began) + Number(took)
  return [{ at, name, args, strings, handle: Number(handle ?? result), about: of ?? opened, result: Number(result) }]
}

/** Returns what a call did below the folder. Throws for a call that cannot be repeated. */
function actionOf ({ at, name, args, strings, handle, about, result }: Call, folder: string, handles: Map<number, string>): Action[] {
  const pathOf = (text = ''): string =>
    decoded(text).toString().replace(/^\/proc\/self\/fd\/(\d+)(?=\/|$)/, (whole, number: string) => handles.get(Number(number)) ?? whole)
  const path = about === undefined ? pathOf(strings[0]) : decoded(about).toString()
  if (name === 'openat') handles.set(result, path)
  if (!path.startsWith(`${folder}/`) || path.endsWith('-shm')) return []
  if (unreadable.includes(name)) throw new Error(`${name} cannot be repeated from the log`)
  const last = Number(/(\d+)$/.exec(args)?.[1])
  const bytes = name.endsWith('write64') || name === 'write' ? decoded(strings[0] ?? '').subarray(0, result) : Buffer.alloc(0)
  switch (name) {
    case 'openat': return [{ at, does: 'open', path, handle: result, isNew: args.includes('O_CREAT'), isEmptied: args.includes('O_TRUNC') }]
    case 'write': return [{ at, does: 'write', path, handle, offset: null, bytes }]
    case 'pwrite64': return [{ at, does: 'write', path, handle, offset: last, bytes }]
    case 'ftruncate': return [{ at, does: 'truncate', path, length: last }]
    case 'fsync': case 'fdatasync': return [{ at, does: 'sync', path }]
    case 'rename': case 'link': return [{ at, does: name, path, to: pathOf(strings[1]) }]
    case 'mkdir': return [{ at, does: 'folder', path }]
    default: return [{ at, does: 'remove', path }]
  }
}

const decoded = (hex: string): Buffer => Buffer.from(hex.replaceAll('\\x', ''), 'hex')
