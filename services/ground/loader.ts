import { isAscii } from 'node:buffer'
import {
  closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, readdirSync, readSync, renameSync, rmSync, writeFileSync
} from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { devNull } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { cachedDataVersionTag } from 'node:v8'
import { Script } from 'node:vm'
import { threadId } from 'node:worker_threads'
import { crc32 } from 'node:zlib'

interface Loaded { exports: unknown }
type Body = (
  exports: unknown, require: (id: string) => unknown, importPackage: (name: string) => Promise<unknown>, module: Loaded, file: string,
  folder: string
) => void
/** What was compiled here, and the checksum of its text. */
interface Compiled { script: Script, crc: number }

/** Checksum of the text, length and checksum of what follows, and nothing, so that it is aligned. */
const headerBytes = 16
/** More than is ever made of the largest file of a build; what is larger is none of ours. */
const mostBytes = 256 * 1024 * 1024
/** Takes each file that a start reads. */
const startBytes = 4 * 1024 * 1024
/** What a file is wrapped in to be a script that gives a function. */
const [head, tail] = ['(function (exports, require, importPackage, module, __filename, __dirname) {', '\n})']
/** Takes either; what begins behind it is aligned, and taken by the engine as it lies there. */
const marginBytes = 128
/** What lies there may be anything by now: nothing is waited for, and nothing that leads elsewhere is followed. */
const carefully = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW
/** By then what a start needs has been compiled, function by function. */
const keepAfterMs = 2_000
/** Options of the engine that something is kept for; more than those of service and host come of trying things out. */
const mostVariants = 6
/** As many files as are open at once while a package is loaded, and a few more. */
const neededHandles = 12
/** Packages that need nothing of the disk any more. */
const imported = new Set<string>()
/** Tells, for a few bytes, whether the engine takes what lies in a folder. */
const probe = { name: 'probe', text: '0' }

/**
 * Loads the files of a build with what the engine made of them the last time, since reading and compiling them is most of
 * a start. Node's own cache (`module.enableCompileCache`) takes a tenth more of the processor for that, and keeps what it
 * has by the user that runs it: an image that one user builds and another one runs would start without. What is kept lies
 * beside the code and is trusted like it; it serves exactly the same text, and what is missing, damaged or refused by the
 * engine is compiled anew.
 */
class Loader {
  private readonly modules = new Map<string, Loaded>()
  private readonly compiled = new Map<string, Compiled>()
  private readonly kept: string
  private readonly own: string
  private timer: NodeJS.Timeout | null = null
  /** One for all files, which are read one after the other: megabytes of garbage otherwise, which the process never gives back. */
  private room = Buffer.allocUnsafeSlow(startBytes)

  constructor (root: string) {
    const all = join(root, '.compiled')
    this.own = join(all, cachedDataVersionTag().toString(16).padStart(8, '0'))
    // The tag counts what the engine itself does not mind, such as the kind of processor.
    this.kept = [this.own, ...foldersOf(all)].find((folder) =>
      this.compile(join(folder, probe.name), probe.text, this.readKept(folder, probe.name, 0)).isKept) ?? this.own
  }

  /** What a file exports. Throws what it throws. */
  load (file: string): unknown {
    const known = this.modules.get(file)
    if (known !== undefined) return known.exports
    const bytes = this.read(file, constants.O_RDONLY)
    const crc = crc32(bytes)
    const { script, isKept } = this.compile(file, asFunction(bytes), this.readKept(this.kept, basename(file), crc))
    if (!isKept) this.keepLater(file, { script, crc })
    const module: Loaded = { exports: {} }
    this.modules.set(file, module)
    const outside = createRequire(file)
    const requireOutside = (id: string): unknown => {
      if (!isBuiltin(id)) assertHandles()
      return outside(id)
    }
    const require = Object.assign((id: string): unknown => id.startsWith('.') ? this.load(resolve(dirname(file), id)) : requireOutside(id), {
      resolve: outside.resolve
    })
    try {
      ;(script.runInThisContext() as Body)(module.exports, require, importPackage, module, file, dirname(file))
    } catch (error) {
      // Half of it is worse than none: whoever needs it next tries again.
      this.modules.delete(file)
      throw error
    }
    return module.exports
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

  /** The bytes of a regular file, with room on both sides; until the next one is read. Throws where it cannot be read, or is none. */
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

  /** The start is over: what is read from now on gets room of its own. */
  begun (): void {
    this.room = Buffer.alloc(0)
  }

  private compile (filename: string, text: string, cachedData: Buffer | undefined): { script: Script, isKept: boolean } {
    const script = new Script(text, { filename, ...(cachedData === undefined ? {} : { cachedData }) })
    return { script, isKept: script.cachedDataRejected === false }
  }

  private keepLater (file: string, compiled: Compiled): void {
    if (this.compiled.size === 0) process.once('exit', this.keep)
    this.compiled.set(file, compiled)
    this.timer ??= setTimeout(this.keep, keepAfterMs).unref()
  }

  /** Where nothing can be written, the next start compiles again. */
  private readonly keep = (): void => {
    if (this.timer !== null) clearTimeout(this.timer)
    this.timer = null
    process.removeListener('exit', this.keep)
    try {
      makeRoom(this.own)
      if (this.compiled.size > 0) writeKept(this.own, probe.name, { script: new Script(probe.text, { filename: probe.name }), crc: 0 })
      for (const [file, compiled] of this.compiled) writeKept(this.own, basename(file), compiled)
    } catch {}
    this.compiled.clear()
  }
}

/** A file that `read` has read, as a script. A byte for each character is neither decoded nor held twice. */
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

/** Whole or not at all, whoever else writes the same. */
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
 * Throws what the system says (`EMFILE`) unless some files can be opened. Node remembers for good what it could not read, of a module as of
 * a package's description: one that is loaded while there are no handles would be missing until the next start.
 */
function assertHandles (): void {
  const probes: number[] = []
  try {
    while (probes.length < neededHandles) probes.push(openSync(devNull, 'r'))
  } finally {
    for (const descriptor of probes) closeSync(descriptor)
  }
}

/** A script has no `import()` of its own. */
const importPackage = async (name: string): Promise<unknown> => {
  if (imported.has(name)) return await import(name)
  assertHandles()
  const found: unknown = await import(name)
  imported.add(name)
  return found
}

const loader = new Loader(import.meta.dirname)

/** Loads a file of the build, named from its root: what the process begins with. */
export const load = (name: string): unknown => {
  try {
    return loader.load(join(import.meta.dirname, name))
  } finally {
    loader.begun()
  }
}
