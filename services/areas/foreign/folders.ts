import { type Dirent } from 'node:fs'
import { lstat, opendir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../../ground/errors.js'

export interface FoundFile { path: string, name: string, sizeBytes: number, inode: number, modifiedAt: number }

export interface Search {
  /** The folder itself may be reached through symlinks; below it, none are followed. */
  root: string
  /** How many folders deep the files are. */
  depth: { least: number, most: number }
  isSession: (name: string) => boolean
  limit: number
}

/** The most directory entries that are examined. */
const maxExamined = 50_000
const statsAtOnce = 16

/** Returns the newest regular files by the time of their last change, newest first. */
export async function newestFiles ({ root, depth, isSession, limit }: Search): Promise<FoundFile[]> {
  const real = await realpath(root).catch(nothingThere)
  if (real === null) return []
  let found: FoundFile[] = []
  let batch: Array<Promise<FoundFile | null>> = []
  const settle = async (): Promise<void> => {
    for (const file of await Promise.all(batch)) if (file !== null) found.push(file)
    batch = []
    // Sorted in small batches, so that no sort takes long.
    if (found.length >= 2 * limit) found = newest(found, limit)
  }
  const budget = { left: maxExamined }
  for await (const { folder, name, level } of below(real, depth.most, budget)) {
    if (level < depth.least || !isSession(name)) continue
    batch.push(examine(join(folder, name), name))
    if (batch.length >= statsAtOnce) await settle()
  }
  await settle()
  return newest(found, limit)
}

function newest (files: FoundFile[], limit: number): FoundFile[] {
  return files.sort((a, b) => b.modifiedAt - a.modifiedAt || (a.path < b.path ? -1 : 1)).slice(0, limit)
}

async function * below (
  folder: string, deepest: number, budget: { left: number }, level = 0
): AsyncGenerator<{ folder: string, name: string, level: number }> {
  for await (const entry of entriesOf(folder)) {
    if (--budget.left < 0) return
    if (entry.isDirectory()) {
      if (level < deepest) yield * below(join(folder, entry.name), deepest, budget, level + 1)
    } else if (entry.isFile()) yield { folder, name: entry.name, level }
  }
}

async function * entriesOf (folder: string): AsyncGenerator<Dirent> {
  const entries = await opendir(folder).catch(nothingThere)
  if (entries !== null) yield * entries
}

/** Treats a folder that is gone or unreadable as empty; any other error says nothing about its contents, and is thrown. */
function nothingThere (error: unknown): null {
  if (/^(ENOENT|ENOTDIR|EACCES|EPERM|ELOOP|ENAMETOOLONG)$/.test(codeOf(error) ?? '')) return null
  throw error
}

async function examine (path: string, name: string): Promise<FoundFile | null> {
  const stats = await lstat(path).catch(() => null)
  if (stats === null || !stats.isFile()) return null
  return { path, name, sizeBytes: stats.size, inode: stats.ino, modifiedAt: stats.mtimeMs / 1000 }
}
