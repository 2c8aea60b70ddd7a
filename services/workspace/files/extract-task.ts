import {
  closeSync, constants, fstatSync, futimesSync, mkdirSync, openSync, readdirSync, readSync, renameSync, rmdirSync, writeSync, chmodSync,
  lstatSync
} from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, Invalid } from '../../ground/errors.js'
import { createMemberJudge, type Member, type MemberLimits, unsafe, usualLimits } from './archives/members.js'
import { readTar } from './archives/tar.js'
import { readZip } from './archives/zip.js'
import { explain, nameTaken } from './failures.js'
import { namesToTry } from '../place/names.js'
import { holdsClosed, isClosed, openFile, openFolder, type Territory } from '../place/place.js'
import { insideOf, removeTree } from './removal-task.js'
import { isTemporary } from '../../ground/files/temporary.js'
import { isSameTree } from './same-tree.js'

declare module '../../ground/workers/index.js' {
  interface Tasks { extractArchive: typeof extractArchive }
}

export interface ExtractionInput {
  territory: Territory
  /** Folder in which the new folder is created, relative to the territory. */
  folder: string
  /** An uploaded file (absolute path), or one of the territory. */
  source: { arrival: string } | { path: string }
  /** Wanted name of the new folder. */
  name: string
  /** Name of the hidden folder in which the archive is unpacked first. */
  temporary: string
  /** Whether this is a retry. The first attempt may have finished, so an existing folder with the same contents is taken as the result. */
  isAgain: boolean
  /** Most unpacked bytes in total. */
  capBytes: number
  /** Unfinished folders that were last changed before this are abandoned (epoch milliseconds). */
  abandonedBeforeMs: number
}

export interface Extracted {
  /** The new folder, relative to the territory. */
  folder: string
  fileCount: number
  /** The first 1,000 of its files, relative to the territory. */
  files: string[]
  truncated: boolean
  /** How many members of the archive were left out: those in `.git`, and names that the service reserves. */
  leftOut: number
}

type Format = 'zip' | 'tar' | 'tar.gz'

const mostListed = 1_000
const openFolderOnly = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
const newFileOnly = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

/**
 * Unpacks an archive into a new folder: first into a hidden one, which gets its name when it is complete. Runs in a worker thread. Throws
 * Invalid (`not_an_archive`, `unsafe_archive`) and what openFolder and explain throw; nothing is left behind then.
 */
export async function extractArchive (input: ExtractionInput): Promise<Extracted> {
  const { territory, source, temporary } = input
  const archive = 'arrival' in source
    ? await open(source.arrival, constants.O_RDONLY | constants.O_NOFOLLOW)
    : (await openFile(territory, source.path)).handle
  try {
    const format = formatOf(archive)
    const folder = await openFolder(territory, input.folder)
    try {
      removeAbandoned(folder.base, input.abandonedBeforeMs)
      mkdirSync(`${folder.base}/${temporary}`, 0o700)
      try {
        const unpacked = await unpack(archive, format, `${folder.base}/${temporary}`, input.capBytes)
        const name = giveName(folder.base, input, (name) =>
          isClosed(territory, join(folder.real, name)) || holdsClosed(territory, join(folder.real, name)))
        const path = folder.path === '.' ? name : `${folder.path}/${name}`
        return { ...unpacked, folder: path, files: unpacked.files.map((file) => `${path}/${file}`) }
      } catch (error) {
        removeTree(folder.base, temporary)
        throw error
      }
    } finally {
      await folder.handle.close()
    }
  } catch (error) {
    return explain('Folder not found')(error)
  } finally {
    await archive.close()
  }
}

function formatOf ({ fd }: FileHandle): Format {
  const head = Buffer.alloc(512)
  const bytes = readSync(fd, head, 0, head.length, 0)
  if (head.readUInt32BE(0) === 0x504b0304 || head.readUInt32BE(0) === 0x504b0506) return 'zip'
  if (head.readUInt16BE(0) === 0x1f8b) return 'tar.gz'
  if (bytes === 512 && head.toString('latin1', 257, 262) === 'ustar') return 'tar'
  throw new Invalid('This file cannot be unpacked. Use zip, tar or tar.gz', 'not_an_archive')
}

async function unpack (archive: FileHandle, format: Format, target: string, capBytes: number): Promise<Omit<Extracted, 'folder'>> {
  const { fd } = archive
  const sizeBytes = fstatSync(fd).size
  const limits: MemberLimits = { ...usualLimits, capBytes }
  const judge = createMemberJudge(limits, sizeBytes)
  const files: string[] = []
  let fileCount = 0
  const tree = createTree(target)
  const visit = async (
    { parts, kind, sizeBytes, modifiedAtS, executable }: Member, content: AsyncIterable<Uint8Array> | null
  ): Promise<void> => {
    if (kind === 'folder') return tree.enter(parts)
    tree.enter(parts.slice(0, -1))
    await tree.write(parts.at(-1) ?? '', { mode: executable ? 0o755 : 0o644, sizeBytes, modifiedAtS }, content)
    if (++fileCount <= mostListed) files.push(parts.join('/'))
  }
  try {
    if (format === 'zip') await readZip(fd, sizeBytes, judge, visit)
    // The limit for tar also counts the headers and padding of every member.
    else {
      await readTar({
        fd, sizeBytes, gzipped: format === 'tar.gz', capBytes: capBytes + limits.members * 4_096
      }, [createMemberJudge(limits, sizeBytes), judge], visit)
    }
  } finally {
    tree.close()
  }
  return { fileCount, files, truncated: fileCount > files.length, leftOut: judge.leftOut() }
}

/** Writes below one folder. Each folder is opened by its name in its open parent, without following symlinks. */
function createTree (target: string) {
  /** The open folders down to the last file. They stay open because the next file is mostly in the same folder. */
  const way: Array<{ name: string, fd: number, base: string }> = []
  const top = openSync(target, openFolderOnly)
  const bottom = (): string => way.at(-1)?.base ?? insideOf(top, target)

  function leave (depth: number): void {
    for (const { fd } of way.splice(depth).toReversed()) closeSync(fd)
  }

  return {
    /** Enters a folder, creating it and those above it if they are missing. */
    enter (parts: string[]): void {
      let same = 0
      while (same < way.length && way[same]?.name === parts[same]) same++
      leave(same)
      for (const name of parts.slice(same)) {
        const path = `${bottom()}/${name}`
        try {
          mkdirSync(path)
        } catch (error) {
          if (codeOf(error) !== 'EEXIST') throw error
        }
        const fd = openSync(path, openFolderOnly)
        way.push({ name, fd, base: insideOf(fd, path) })
      }
    },

    /** Creates a file in the folder entered last. */
    async write (
      name: string, { mode, sizeBytes, modifiedAtS }: { mode: number, sizeBytes: number, modifiedAtS: number | null },
      content: AsyncIterable<Uint8Array> | null
    ): Promise<void> {
      const fd = openNew(`${bottom()}/${name}`, mode)
      try {
        let written = 0
        if (content !== null) {
          for await (const chunk of content) {
            written += chunk.length
            if (written > sizeBytes) break
            for (let from = 0; from < chunk.length;) from += writeSync(fd, chunk, from)
          }
        }
        if (written !== sizeBytes) throw unsafe('a file in it has another size than it says')
        if (modifiedAtS !== null) futimesSync(fd, modifiedAtS, modifiedAtS)
      } finally {
        closeSync(fd)
      }
    },

    close (): void {
      leave(0)
      closeSync(top)
    }
  }
}

/** Creates a file. Throws Invalid if the name is taken, as on a file system that treats `a` and `A` as the same name. */
function openNew (path: string, mode: number): number {
  try {
    return openSync(path, newFileOnly, mode)
  } catch (error) {
    throw codeOf(error) === 'EEXIST' ? unsafe('names in it are the same on this file system') : error
  }
}

/** Renames the finished folder. An empty folder first claims the name, because rename(2) replaces only an empty folder. */
function giveName (base: string, { temporary, name: wanted, isAgain }: ExtractionInput, isKept: (name: string) => boolean): string {
  for (const name of namesToTry(wanted)) {
    if (isKept(name)) continue
    try {
      mkdirSync(`${base}/${name}`)
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
      if (!isAgain || !isSameTree(`${base}/${temporary}`, `${base}/${name}`)) continue
      removeTree(base, temporary)
      return name
    }
    try {
      openUp(`${base}/${temporary}`, lstatSync(`${base}/${name}`).mode & 0o777)
      renameSync(`${base}/${temporary}`, `${base}/${name}`)
      return name
    } catch (error) {
      try {
        rmdirSync(`${base}/${name}`)
      } catch {}
      throw error
    }
  }
  throw nameTaken(wanted)
}

/**
 * Gives the folder, which was private while it was unpacked, the mode that new folders have. This happens before
 * it gets its name, so that a kill leaves no inaccessible folder under that name.
 */
function openUp (path: string, mode: number): void {
  const fd = openSync(path, openFolderOnly)
  try {
    chmodSync(insideOf(fd, path), mode)
  } finally {
    closeSync(fd)
  }
}

/** Removes what a crash has left of earlier extractions into this folder. */
function removeAbandoned (base: string, abandonedBeforeMs: number): void {
  for (const name of readdirSync(base)) {
    if (!isTemporary(name)) continue
    const stats = lstatSync(`${base}/${name}`, { throwIfNoEntry: false })
    if (stats?.isDirectory() === true && stats.mtimeMs < abandonedBeforeMs) removeTree(base, name)
  }
}
