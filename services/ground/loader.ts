import { isAscii } from 'node:buffer'
import {
  closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync
} from 'node:fs'
import { createRequire } from 'node:module'
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

/** Checksum of the text, length and checksum of what follows. */
const headerBytes = 12
/** More than is ever made of the largest file of a build; what is larger is none of ours. */
const mostBytes = 256 * 1024 * 1024
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

  constructor (root: string) {
    const all = join(root, '.compiled')
    this.own = join(all, cachedDataVersionTag().toString(16).padStart(8, '0'))
    // The tag counts what the engine itself does not mind, such as the kind of processor.
    this.kept = [this.own, ...foldersOf(all)].find((folder) =>
      this.compile(join(folder, probe.name), probe.text, readKept(folder, probe.name, 0)).isKept) ?? this.own
  }

  /** What a file exports. Throws what it throws. */
  load (file: string): unknown {
    const known = this.modules.get(file)
    if (known !== undefined) return known.exports
    assertHandles()
    const bytes = readFileSync(file)
    const crc = crc32(bytes)
    // A byte for each character is neither decoded nor held twice.
    const text = isAscii(bytes) ? bytes.toString('latin1') : bytes.toString()
    const { script, isKept } = this.compile(
      file, `(function (exports, require, importPackage, module, __filename, __dirname) {${text}\n})`,
      readKept(this.kept, basename(file), crc)
    )
    if (!isKept) this.keepLater(file, { script, crc })
    const module: Loaded = { exports: {} }
    this.modules.set(file, module)
    const outside = createRequire(file)
    const require = Object.assign((id: string): unknown => id.startsWith('.') ? this.load(resolve(dirname(file), id)) : outside(id), {
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

function foldersOf (folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name))
  } catch {
    return []
  }
}

function readKept (folder: string, name: string, crc: number): Buffer | undefined {
  const bytes = readRegular(join(folder, `${name}.bin`))
  if (bytes === undefined) return undefined
  if (bytes.length <= headerBytes || bytes.readUInt32LE(0) !== crc || bytes.readUInt32LE(4) !== bytes.length - headerBytes) return undefined
  const compiled = bytes.subarray(headerBytes)
  return bytes.readUInt32LE(8) === crc32(compiled) ? compiled : undefined
}

/** The bytes of a file; undefined when it cannot be read, or is none. */
function readRegular (path: string): Buffer | undefined {
  let descriptor: number | undefined
  try {
    descriptor = openSync(path, carefully)
    const found = fstatSync(descriptor)
    return found.isFile() && found.size <= mostBytes ? readFileSync(descriptor) : undefined
  } catch {
    return undefined
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
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

/** Loads a file of the build, named from its root. */
export const load = (name: string): unknown => loader.load(join(import.meta.dirname, name))
