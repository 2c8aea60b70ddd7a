import {
  chmodSync, closeSync, constants, copyFileSync, existsSync, lstatSync, mkdirSync, openSync, readFileSync, readlinkSync, renameSync,
  rmdirSync, type Stats, symlinkSync, unlinkSync
} from 'node:fs'
import { within } from '../../ground/files/containment.js'
import { codeOf } from '../../ground/errors.js'
import { temporaryName } from '../../ground/files/temporary.js'
import { present } from '../../ground/present.js'
import { asBytes, asName, namesOf, readable } from './names.js'

declare module '../../ground/workers/index.js' {
  interface Tasks { restoreFiles: typeof restoreFiles }
}

export interface RestoreFilesInput {
  /** The folder that is changed. Absolute and free of symlinks. */
  root: string
  /** Places in it (absolute) that are not touched. */
  closed: readonly string[]
  /** Folder with the files to restore. */
  source: string
  /** Names, each ended by a null character. */
  removed: Uint8Array
  placed: Uint8Array
}

export interface RestoredFiles { done: string[], errors: Array<{ file: string, error: string }> }

/**
 * Removes files from a folder and writes others into it. Each folder is opened from its open parent and no symlink is followed,
 * even if one replaces a folder meanwhile, so that nothing outside is ever touched. Each file changes atomically. Failures are
 * reported, and the rest is done. Runs in a worker thread.
 */
export function restoreFiles ({ root, closed, source, removed, placed }: RestoreFilesInput): RestoredFiles {
  const outcome: RestoredFiles = { done: [], errors: [] }
  const folders = new Folders(root)
  const each = (list: Uint8Array, work: (name: string) => boolean): void => {
    for (const name of namesOf(list)) {
      const file = readable(name)
      try {
        if (closed.some((place) => within(place, `${root}/${file}`))) throw new Error('It belongs to the service itself')
        if (work(name)) outcome.done.push(file)
      } catch (error) {
        outcome.errors.push({ file, error: sentenceFor(error) })
      }
    }
  }
  try {
    // The files of a folder are adjacent, and entries in a folder come before the folder itself.
    each(removed, (name) => folders.remove(name))
    each(placed, (name) => folders.place(name, asBytes(`${asName(source)}/${name}`)))
  } finally {
    folders.close()
  }
  return outcome
}

interface OpenFolder { name: string, fd: number, path: string }

const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
const viaDescriptors = existsSync('/proc/self/fd')

/** Keeps the folders of the current path open. Names and paths are Latin-1: one character per byte. */
class Folders {
  readonly #open: OpenFolder[] = []

  constructor (root: string) {
    const path = asName(root)
    const fd = openSync(asBytes(path), folderFlags)
    this.#open.push({ name: '', fd, path })
    if (viaDescriptors && readlinkSync(`/proc/self/fd/${fd}`) !== root) {
      this.close()
      throw new Error('The folder no longer exists')
    }
  }

  close (): void {
    for (const { fd } of this.#open.splice(0)) closeSync(fd)
  }

  /** Removes a file, and the folders that become empty. Returns false if it is already gone. */
  remove (name: string): boolean {
    const parts = name.split('/')
    const last = parts.pop() ?? ''
    try {
      this.#reach(parts, false)
      unlinkSync(this.#at(last))
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return false
      throw error
    }
    for (let folder = parts.pop(); folder !== undefined; folder = parts.pop()) {
      this.#reach(parts, false)
      try {
        rmdirSync(this.#at(folder))
      } catch {
        break // the folder is not empty
      }
    }
    return true
  }

  /** Writes a file. Returns false if it is already the same. */
  place (name: string, source: Buffer): boolean {
    const parts = name.split('/')
    const last = parts.pop() ?? ''
    this.#reach(parts, true)
    const wanted = lstatSync(source)
    const there = lstatSync(this.#at(last), { throwIfNoEntry: false })
    if (there !== undefined && isSame(wanted, source, there, this.#at(last))) return false
    // This removes only an empty folder.
    if (there?.isDirectory() === true) rmdirSync(this.#at(last))
    const temporary = this.#at(temporaryName())
    try {
      if (wanted.isSymbolicLink()) symlinkSync(readlinkSync(source, 'buffer'), temporary)
      else {
        copyFileSync(source, temporary, constants.COPYFILE_EXCL)
        if (there?.isFile() === true) chmodSync(temporary, permissions(there.mode, wanted.mode))
      }
      renameSync(temporary, this.#at(last))
    } catch (error) {
      try {
        unlinkSync(temporary)
      } catch {} // it was not created
      throw error
    }
    return true
  }

  get #innermost (): OpenFolder {
    return present(this.#open.at(-1), 'the open folder')
  }

  /** Opens a folder, starting from the nearest one that is already open. */
  #reach (parts: string[], make: boolean): void {
    let same = 0
    while (same < parts.length && this.#open[same + 1]?.name === parts[same]) same++
    for (const { fd } of this.#open.splice(same + 1)) closeSync(fd)
    for (const name of parts.slice(same)) {
      if (make) makeFolder(this.#at(name))
      const path = `${this.#innermost.path}/${name}`
      this.#open.push({ name, fd: openSync(this.#at(name), folderFlags), path })
    }
  }

  /** Returns the path of a name in the innermost open folder. */
  #at (name: string): Buffer {
    const { fd, path } = this.#innermost
    return asBytes(viaDescriptors ? `/proc/self/fd/${fd}/${name}` : `${path}/${name}`)
  }
}

function makeFolder (path: Buffer): void {
  try {
    mkdirSync(path)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

/** Returns the permissions of the replaced file. Only the executable bit comes from the snapshot, which stores no others. */
function permissions (there: number, wanted: number): number {
  const plain = there & 0o666
  return (wanted & 0o100) === 0 ? plain : plain | ((plain & 0o444) >> 2)
}

function isSame (wanted: Stats, source: Buffer, there: Stats, path: Buffer): boolean {
  if (wanted.isSymbolicLink()) return there.isSymbolicLink() && readlinkSync(path, 'buffer').equals(readlinkSync(source, 'buffer'))
  if (!there.isFile() || there.size !== wanted.size || (there.mode & 0o100) !== (wanted.mode & 0o100)) return false
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    return readFileSync(fd).equals(readFileSync(source))
  } finally {
    closeSync(fd)
  }
}

function sentenceFor (error: unknown): string {
  switch (codeOf(error)) {
    case 'EACCES': case 'EPERM': return 'The file system does not permit this'
    case 'EROFS': return 'The file system is read-only'
    case 'ENOSPC': case 'EDQUOT': return 'The disk is full'
    case 'ENOTEMPTY': case 'EISDIR': return 'A folder stands in its place that holds other files'
    case 'ENOTDIR': case 'ELOOP': return 'Something else stands where its folder was'
    case undefined: return error instanceof Error ? error.message : 'It could not be changed'
    default: return `It could not be changed (${codeOf(error)})`
  }
}
