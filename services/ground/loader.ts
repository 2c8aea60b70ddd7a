import { isAscii } from 'node:buffer'
import {
  closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, readdirSync, readFileSync, readSync, renameSync, rmSync, writeFileSync
} from 'node:fs'
import { createRequire } from 'node:module'
import { devNull } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { cachedDataVersionTag } from 'node:v8'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Script } from 'node:vm'
import { threadId } from 'node:worker_threads'
import { crc32 } from 'node:zlib'

interface Loaded { exports: unknown }
type Body = (
  exports: unknown, require: (id: string) => unknown, importPackage: (name: string) => Promise<unknown>,
  importFile: (name: string) => Promise<unknown>, module: Loaded, file: string, folder: string
) => void
type Required = Readonly<Record<string, string[]>>
/** A compiled file, and the checksum of its source. */
interface Compiled { script: Script, crc: number }

/** Checksum of the source, length and checksum of the data that follows, and padding for alignment. */
const headerBytes = 16
/** More than the compiled data of the largest file in a build ever takes. A larger file is not ours. */
const mostBytes = 256 * 1024 * 1024
/** Says which files of the build each file requires, by their names; scripts/build-service.js writes it. */
const requiredFile = 'required.json'
/** The folder of all files, in the build. */
const chunks = 'chunks'
/** Large enough for each file that a start reads. */
const startBytes = 4 * 1024 * 1024
/** Each file is wrapped in this, so that the script evaluates to a function. */
const [head, tail] = ['(function (exports, require, importPackage, importFile, module, __filename, __dirname) {', '\n})']
/** Large enough for either. The data behind it is aligned, and the engine uses it in place. */
const marginBytes = 128
/** Another program may have replaced a file, so reading never blocks and never follows a symlink. */
const carefully = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW
/** What a start needs has been compiled by then, function by function, unless the process was busy for more than this share of the time. */
const keepAfterMs = 2_000
const mostBusy = 0.5
/** How long loading files may keep everything else waiting, give or take one file. */
const portionMs = 4
/** How many variants of engine options have cached data at most. The service and the host need few; more come from experiments. */
const mostVariants = 6
/** How many files are open at once while a package is loaded, with a few spare. */
const neededHandles = 12
/** Packages that are loaded and need nothing from the disk any more. */
const imported = new Set<string>()
/** A few bytes that show whether the engine accepts the cached data of a folder. */
const probe = { name: 'probe', text: '0' }

/**
 * Loads the files of a build with the code that the engine compiled the last time, since reading and compiling them is most of a start.
 * Node's own cache (`module.enableCompileCache`) costs a tenth more processor time and keeps its data per user, so an image that one user
 * builds and another runs would start without it. The cached data lies beside the code and is trusted like it. It is used only for exactly
 * the same source; if it is missing, damaged or refused by the engine, the file is compiled again.
 */
class Loader {
  private readonly modules = new Map<string, Loaded>()
  private readonly compiled = new Map<string, Compiled>()
  /** Where all files of the build are. */
  private readonly folder: string
  private readonly kept: string
  private readonly own: string
  private timer: NodeJS.Timeout | null = null
  /** Which files each file requires. */
  private required: Required | undefined
  /** Loads packages. They are found in the same way from each file. */
  private outside: NodeJS.Require | undefined
  /**
   * One buffer for all files, which are read one at a time. Separate ones would be megabytes of garbage that the process never gives back.
   */
  private room = Buffer.allocUnsafeSlow(startBytes)

  constructor (root: string) {
    this.folder = join(root, chunks)
    const all = join(root, '.compiled')
    this.own = join(all, cachedDataVersionTag().toString(16).padStart(8, '0'))
    // The version tag also counts differences that the engine tolerates, such as the kind of processor, so other folders are tried too.
    this.kept = [this.own, ...foldersOf(all)].find((folder) =>
      this.compile(join(folder, probe.name), probe.text, this.readKept(folder, probe.name, 0)).isKept) ?? this.own
  }

  /** Returns what a file of the build exports, by its name. Throws what the file throws. */
  load (name: string): unknown {
    const known = this.modules.get(name)
    if (known !== undefined) return known.exports
    const file = join(this.folder, name)
    const bytes = this.read(file, constants.O_RDONLY)
    const crc = crc32(bytes)
    const { script, isKept } = this.compile(file, asFunction(bytes), this.readKept(this.kept, name, crc))
    if (!isKept) this.keepLater(name, { script, crc })
    const module: Loaded = { exports: {} }
    this.modules.set(name, module)
    try {
      ;(script.runInThisContext() as Body)(module.exports, this.require, importPackage, this.importFile, module, file, this.folder)
    } catch (error) {
      // A half-loaded module is worse than none. The next caller that needs it tries again.
      this.modules.delete(name)
      throw error
    }
    return module.exports
  }

  /** What a file requires: another file of the build (`./name`), a module of Node, or a package. */
  private readonly require = Object.assign((id: string): unknown => {
    if (id.startsWith('./')) return this.load(id.slice(2))
    // Asked directly, because a start requires hundreds of them.
    const builtin: unknown = process.getBuiltinModule(id)
    if (builtin !== undefined) return builtin
    assertHandles()
    return this.requireOutside(id)
  }, { resolve: (id: string): string => this.requireOutside.resolve(id) })

  private get requireOutside (): NodeJS.Require {
    this.outside ??= createRequire(join(this.folder, requiredFile))
    return this.outside
  }

  /** Loads what a file (`./name`) requires before the file itself, in portions: requests and other work go on in between. */
  private readonly importFile = async (id: string): Promise<unknown> => {
    await Promise.resolve()
    const name = id.slice(2)
    let sinceMs = performance.now()
    for (const each of this.missing(name)) {
      this.load(each)
      if (performance.now() - sinceMs < portionMs) continue
      await nextTurn()
      sinceMs = performance.now()
    }
    return this.load(name)
  }

  /** Returns the files that have to be loaded for a file, itself excluded, in the order in which `load` would do it. */
  private missing (name: string, seen = new Set([name])): string[] {
    if (this.modules.has(name)) return []
    this.required ??= requiredIn(this.folder)
    return (this.required[name] ?? []).flatMap((each) =>
      this.modules.has(each) || seen.has(each) ? [] : [...this.missing(each, seen.add(each)), each])
  }

  private readKept (folder: string, name: string, crc: number): Buffer | undefined {
    let bytes: Buffer
    try {
      bytes = this.read(join(folder, `${name}.bin`), carefully)
    } catch {
      return undefined
    }
    const compiled = bytes.subarray(headerBytes)
    const isWhole = compiled.length > 0 && bytes.readUInt32LE(0) === crc && bytes.readUInt32LE(4) === compiled.length &&
      bytes.readUInt32LE(8) === crc32(compiled)
    return isWhole ? compiled : undefined
  }

  /**
   * Returns the bytes of a regular file, with a margin on both sides, valid until the next file is read. Throws if it cannot be read or is
   * not a file.
   */
  private read (path: string, flags: number): Buffer {
    const descriptor = openSync(path, flags)
    try {
      const found = fstatSync(descriptor)
      if (!found.isFile() || found.size > mostBytes) throw new Error(`${path} is no file of a build`)
      const needed = found.size + 2 * marginBytes
      const room = needed <= this.room.length ? this.room : Buffer.allocUnsafeSlow(needed)
      const end = marginBytes + found.size
      let at = marginBytes
      for (let count = 1; count > 0 && at < end; at += count) count = readSync(descriptor, room, at, end - at, null)
      return room.subarray(marginBytes, at)
    } finally {
      closeSync(descriptor)
    }
  }

  /** Called when the start is over: each file read from now on gets a buffer of its own. */
  begun (): void {
    // Detached, because its megabytes would otherwise stay until the next full collection, which an idle service does not reach.
    this.room.buffer.transfer(0)
    this.room = Buffer.alloc(0)
  }

  private compile (filename: string, text: string, cachedData: Buffer | undefined): { script: Script, isKept: boolean } {
    const script = new Script(text, { filename, ...(cachedData === undefined ? {} : { cachedData }) })
    return { script, isKept: script.cachedDataRejected === false }
  }

  private keepLater (name: string, compiled: Compiled): void {
    if (this.compiled.size === 0) process.once('exit', this.keep)
    this.compiled.set(name, compiled)
    this.keepOnceCalm()
  }

  /**
   * Waits for a moment in which the process is mostly idle. On a slow machine, a start takes longer than `keepAfterMs`; what it had not
   * compiled by then would be missing at all later starts.
   */
  private keepOnceCalm (): void {
    const before = performance.eventLoopUtilization()
    this.timer ??= setTimeout(() => {
      this.timer = null
      if (performance.eventLoopUtilization(before).utilization > mostBusy) this.keepOnceCalm()
      else this.keep()
    }, keepAfterMs).unref()
  }

  /** Writes the cache. If nothing can be written, the next start compiles again. */
  private readonly keep = (): void => {
    if (this.timer !== null) clearTimeout(this.timer)
    this.timer = null
    process.removeListener('exit', this.keep)
    try {
      makeRoom(this.own)
      if (this.compiled.size > 0) writeKept(this.own, probe.name, { script: new Script(probe.text, { filename: probe.name }), crc: 0 })
      for (const [name, compiled] of this.compiled) writeKept(this.own, name, compiled)
    } catch {}
    this.compiled.clear()
  }
}

/**
 * Returns the source that `read` has read, wrapped as a script. ASCII text is kept as one byte per character, neither decoded nor held
 * twice.
 */
function asFunction (bytes: Buffer): string {
  const around = Buffer.from(bytes.buffer, bytes.byteOffset - head.length, head.length + bytes.length + tail.length)
  around.write(head, 'latin1')
  around.write(tail, head.length + bytes.length, 'latin1')
  return around.toString(isAscii(bytes) ? 'latin1' : 'utf8')
}

function foldersOf (folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name))
  } catch {
    return []
  }
}

const requiredIn = (folder: string): Required => JSON.parse(readFileSync(join(folder, requiredFile), 'utf8'))

/** Writes the data as a whole or not at all, even if another process writes the same file. */
function writeKept (folder: string, name: string, { script, crc }: Compiled): void {
  const compiled = script.createCachedData()
  const header = Buffer.alloc(headerBytes)
  header.writeUInt32LE(crc, 0)
  header.writeUInt32LE(compiled.length, 4)
  header.writeUInt32LE(crc32(compiled), 8)
  const unfinished = join(folder, `${name}.${process.pid}-${threadId}`)
  rmSync(unfinished, { recursive: true, force: true })
  writeFileSync(unfinished, Buffer.concat([header, compiled]), { flag: 'wx' })
  const kept = join(folder, `${name}.bin`)
  if (lstatSync(kept, { throwIfNoEntry: false })?.isDirectory() === true) rmSync(kept, { recursive: true, force: true })
  renameSync(unfinished, kept)
}

function makeRoom (own: string): void {
  const others = foldersOf(dirname(own)).filter((folder) => folder !== own)
  for (const folder of others.slice(mostVariants - 1)) rmSync(folder, { recursive: true, force: true })
  mkdirSync(own, { recursive: true })
}

/**
 * Throws the system's error (`EMFILE`) unless some files can be opened. Node remembers permanently that it could not read a module or a
 * package's description: a package loaded while there are no handles would be missing until the next start.
 */
function assertHandles (): void {
  const probes: number[] = []
  try {
    while (probes.length < neededHandles) probes.push(openSync(devNull, 'r'))
  } finally {
    for (const descriptor of probes) closeSync(descriptor)
  }
}

/** Passed to scripts because they have no `import()` of their own. */
const importPackage = async (name: string): Promise<unknown> => {
  if (imported.has(name)) return await import(name)
  assertHandles()
  const found: unknown = await import(name)
  imported.add(name)
  return found
}

const loader = new Loader(import.meta.dirname)

/** Loads a file of the build, named from its root. The process begins with this. */
export const load = (path: string): unknown => {
  setTimeout(() => { loader.begun() }, keepAfterMs).unref()
  return loader.load(basename(path))
}
