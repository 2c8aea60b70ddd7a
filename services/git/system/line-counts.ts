import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { isOpenedWithin } from '../../containment.js'
import { recordReader } from './records.js'
import { listing, look, type Repository } from './repository.js'

export interface LineCount { additions: number, deletions: number, binary: boolean }
/** By path in the work tree. */
export type LineCounts = Map<string, LineCount>

/** Takes the records of `--numstat -z`. */
export function lineCounter (counts: LineCounts): (record: string) => void {
  /** Of a renamed file, whose paths follow: how many of them. */
  let pending: { count: LineCount, paths: number } | null = null
  return (record) => {
    if (pending !== null) {
      pending.paths++
      if (pending.paths === 1) return
      addCount(counts, record, pending.count)
      pending = null
      return
    }
    const [, additions, deletions, path] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(record) ?? []
    if (path === undefined) return
    const binary = additions === '-'
    const count = { additions: binary ? 0 : Number(additions), deletions: binary ? 0 : Number(deletions), binary }
    if (path === '') pending = { count, paths: 0 }
    else addCount(counts, path, count)
  }
}

export function addCount (counts: LineCounts, path: string, { additions, deletions, binary }: LineCount): void {
  const before = counts.get(path) ?? { additions: 0, deletions: 0, binary: false }
  counts.set(path, { additions: before.additions + additions, deletions: before.deletions + deletions, binary: before.binary || binary })
}

/** What `git diff` with these arguments counts, added to `counts`. Throws what gitText throws. */
export async function countLines (repository: Repository, args: readonly string[], counts: LineCounts): Promise<void> {
  await look(repository, ['diff', '--numstat', '-z', '--find-renames', ...args], { ...listing, onOutput: recordReader(lineCounter(counts)) })
}

/** A text of which nothing is stored, of at most so many bytes; larger ones are not counted. */
const maxUntrackedBytes = 128 * 1024
/** Git's own measure of what is text. */
const probedBytes = 8_000

/**
 * The contents of a file of the work tree that has at most so many bytes. Null for what is no regular file inside; never
 * follows a symlink.
 */
export async function contentsOf ({ top, folder }: Repository, file: string, maxBytes: number): Promise<{ bytes: Buffer, isExecutable: boolean } | 'too-large' | null> {
  const at = join(top, file)
  const handle = await open(at, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => null)
  if (handle === null) return null
  try {
    const stats = await handle.stat()
    if (!stats.isFile() || !await isOpenedWithin(folder, handle, at).catch(() => false)) return null
    if (stats.size > maxBytes) return 'too-large'
    const bytes = Buffer.allocUnsafe(stats.size + 1)
    let length = 0
    for (;;) {
      const { bytesRead } = await handle.read(bytes, length, bytes.length - length)
      length += bytesRead
      if (bytesRead === 0 || length === bytes.length) break
    }
    return { bytes: bytes.subarray(0, length), isExecutable: (stats.mode & 0o100) !== 0 }
  } finally {
    await handle.close()
  }
}

export function isBinary (bytes: Buffer): boolean {
  return bytes.subarray(0, probedBytes).includes(0)
}

export function linesIn (bytes: Buffer): number {
  let lines = 0
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) lines++
  return bytes.length === 0 || bytes.at(-1) === 10 ? lines : lines + 1
}

/** Counts an untracked file as all added. */
export async function countUntracked (repository: Repository, file: string): Promise<LineCount> {
  const contents = await contentsOf(repository, file, maxUntrackedBytes).catch(() => null)
  if (contents === null || contents === 'too-large') return { additions: 0, deletions: 0, binary: false }
  const binary = isBinary(contents.bytes)
  return { additions: binary ? 0 : linesIn(contents.bytes), deletions: 0, binary }
}
