import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { realPath } from '../../ground/containment.js'
import { identityOf, isSettled } from '../../ground/file-identity.js'
import { openFile, type OpenedFile } from '../../workspace/place/place.js'

/** A file of a plugin, from its folder on. */
export interface PluginFile { path: string, sizeBytes: number, isExecutable: boolean, hash: string }

/** All files of a plugin, by their paths. The seal differs when a file comes, goes, is renamed, made executable or says something else. */
export interface Contents { files: readonly PluginFile[], sizeBytes: number, seal: string }

/** What cannot be a plugin, as a sentence for a person. */
export class NoPlugin extends Error {}

const mostFiles = 5_000
const mostBytes = 100 * 1024 * 1024
const deepest = 20
/** Of other programs, and nothing that a plugin brings. */
const passedOver: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', '.DS_Store'])
const chunkBytes = 64 * 1024

/** Finds out what folders of plugins hold, and reads again only files that have changed since. */
export class PluginContents {
  readonly #hashes = new Map<string, { identity: string, hash: string }>()

  /** Links and what is neither file nor folder are left out. Rejects with NoPlugin, and when the folder changes meanwhile. */
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

/** What an open file holds, from its beginning on. Throws NoPlugin for one that somebody makes longer and longer. */
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

/** Of files in the order of their paths. */
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
