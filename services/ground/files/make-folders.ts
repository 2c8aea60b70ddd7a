import { mkdirSync, statSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf } from '../errors.js'

/**
 * Creates a folder with those above it; it may exist already. Throws the system's error: ENOENT where no folder can be created, and for a
 * link that leads nowhere. For paths that people or models name: Node's own recursive `mkdir` never returns where a folder exists in which
 * the system creates none, such as `/proc`.
 */
export async function makeFolders (path: string, options: { mode?: number } = {}): Promise<void> {
  const make = async (): Promise<void> => {
    await mkdir(path, options).catch(async (error: unknown) => {
      const stats = await stat(path).catch((second: unknown) => { throw reason(error, second) })
      if (!stats.isDirectory()) throw error
    })
  }
  await make().catch(async (error: unknown) => {
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error
    await makeFolders(dirname(path), options)
    await make()
  })
}

/** Does the same, and blocks. */
export function makeFoldersSync (path: string, options: { mode?: number } = {}): void {
  const isFolder = (error: unknown): boolean => {
    try {
      return statSync(path).isDirectory()
    } catch (second) {
      throw reason(error, second)
    }
  }
  const make = (): void => {
    try {
      mkdirSync(path, options)
    } catch (error) {
      if (!isFolder(error)) throw error
    }
  }
  try {
    make()
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error
    makeFoldersSync(dirname(path), options)
    make()
  }
}

/** A link that cannot be followed exists for `mkdir`, and why it cannot is known to `stat`. */
const reason = (ofMkdir: unknown, ofStat: unknown): unknown => codeOf(ofMkdir) === 'EEXIST' ? ofStat : ofMkdir
