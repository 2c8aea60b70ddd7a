import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { realPath } from '../../ground/files/containment.js'
import { identityOf, isSettled } from '../../ground/files/file-identity.js'
import { openFile, type OpenedFile } from '../../workspace/place/place.js'

/** A file of a plugin; its path is relative to the plugin's folder. */
export interface PluginFile { path: string, sizeBytes: number, isExecutable: boolean, hash: string }

/** All files of a plugin, sorted by path. The seal changes when a file is added, removed, renamed, made executable or changed. */
export interface Contents { files: readonly PluginFile[], sizeBytes: number, seal: string }

/** Thrown for a folder that cannot be a plugin, with a sentence for a person. */
export class NoPlugin extends Error {}

const mostFiles = 5_000
const mostBytes = 100 * 1024 * 1024
const deepest = 20
/** Names of other programs' files, which are no part of a plugin. */
const passedOver: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', '.DS_Store'])
const chunkBytes = 64 * 1024

/** Reads the contents of plugins' folders, and reads again only files that have changed since. */
export class PluginContents {
  readonly #hashes = new Map<string, { identity: string, hash: string }>()

  /** Leaves out links and anything that is neither a file nor a folder. Rejects with NoPlugin, and if the folder changes meanwhile. */
  async of (folder: string): Promise<Contents> {
    const root = realPath(folder)
    const files: PluginFile[] = []
    let sizeBytes = 0
    for (const path of await pathsBelow(root)) {
      const opened = await openFile({ root, closed: [] }, path)
      try {
        sizeBytes += Number(opened.stats.size)
        if (sizeBytes > mostBytes) throw new NoPlugin(`It has more than ${mostBytes / 1024 / 1024} MB.`)
        files.push({ ...factsOf(path, opened), hash: await this.#hashOf(opened) })
      } finally {
        await opened.handle.close()
      }
    }
    return { files, sizeBytes, seal: sealOf(files) }
  }

  async #hashOf ({ handle, stats, real }: OpenedFile): Promise<string> {
    const identity = identityOf(stats)
    const known = this.#hashes.get(real)
    if (known?.identity === identity) return known.hash
    const hash = createHash('sha256')
    for await (const chunk of chunksOf(handle)) hash.update(chunk)
    const found = hash.digest('hex')
    if (this.#hashes.size > 20_000) this.#hashes.clear()
    if (isSettled(stats)) this.#hashes.set(real, { identity, hash: found })
    return found
  }
}

/** Reads an open file from its beginning. Throws NoPlugin for a file that keeps growing. */
export async function * chunksOf (handle: OpenedFile['handle']): AsyncGenerator<Buffer> {
  const buffer = Buffer.alloc(chunkBytes)
  for (let at = 0; ;) {
    if (at > mostBytes) throw new NoPlugin(`It has more than ${mostBytes / 1024 / 1024} MB.`)
    const { bytesRead } = await handle.read(buffer, 0, chunkBytes, at)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
    at += bytesRead
  }
}

export function factsOf (path: string, { stats }: Pick<OpenedFile, 'stats'>): Omit<PluginFile, 'hash'> {
  return { path, sizeBytes: Number(stats.size), isExecutable: (Number(stats.mode) & 0o100) !== 0 }
}

/** Returns the seal of files, which must be sorted by path. */
export function sealOf (files: readonly PluginFile[]): string {
  const seal = createHash('sha256')
  for (const { path, isExecutable, hash } of files) seal.update(`${JSON.stringify(path)} ${isExecutable} ${hash}\n`)
  return seal.digest('hex')
}

async function pathsBelow (root: string): Promise<string[]> {
  if (!await stat(root).then((found) => found.isDirectory(), () => false)) throw new NoPlugin('Its folder is not there.')
  const paths: string[] = []
  let folders = ['']
  for (let depth = 0; folders.length > 0; depth++) {
    if (depth > deepest) throw new NoPlugin(`Its folders are nested more than ${deepest} deep.`)
    const below: string[] = []
    for (const folder of folders) {
      for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
        if (passedOver.has(entry.name)) continue
        if (entry.isFile()) paths.push(`${folder}${entry.name}`)
        else if (entry.isDirectory()) below.push(`${folder}${entry.name}/`)
        if (paths.length + below.length > mostFiles) throw new NoPlugin(`It has more than ${mostFiles} files.`)
      }
    }
    folders = below
  }
  return paths.sort()
}
