import { createHash, randomBytes } from 'node:crypto'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { realPath } from '../../ground/files/containment.js'
import {
  acceptedFile, acceptedFolder, acceptedText, acceptedToChange, copyFolder, type AcceptedPlugin
} from '../../ground/home/accepted-plugins.js'
import { makeHomeFolders, replaceFile } from '../../ground/home/home-file.js'
import { openFile } from '../../workspace/place/place.js'
import { chunksOf, factsOf, sealOf, type Contents, type PluginFile } from './contents.js'

/**
 * Copies a plugin to the place from which it is used. Resolves when it is on disk: what is used is what was copied, whatever happens to its
 * folder later. Resolves with false if the files are not those that were seen; then nothing has changed. May be called for only one plugin
 * of a home at a time.
 */
export async function accept (home: string, name: string, source: string, { files, seal }: Contents): Promise<boolean> {
  await makeHomeFolders(home, acceptedFolder(home))
  const target = copyFolder(home, name, seal)
  const beside = join(acceptedFolder(home), `.${name}.${randomBytes(6).toString('hex')}.tmp`)
  try {
    // No other copy is in progress: such folders were left by a copy that was killed.
    for (const left of await readdir(
      acceptedFolder(home)
    )) if (/^\..+\.tmp$/.test(left)) await rm(join(acceptedFolder(home), left), { recursive: true, force: true })
    await mkdir(beside, { mode: 0o700 })
    const copied: PluginFile[] = []
    for (const { path } of files) copied.push(await copy(realPath(source), path, join(beside, path)))
    if (sealOf(copied) !== seal) return false
    await rm(target, { recursive: true, force: true })
    await rename(beside, target)
    await keep(home, [...acceptedToChange(home).filter((plugin) => plugin.name !== name), { name, seal, folder: target }])
    return true
  } finally {
    await rm(beside, { recursive: true, force: true })
  }
}

/** Switches a plugin off. One that is not switched on is ignored. */
export async function giveUp (home: string, name: string): Promise<void> {
  const before = acceptedToChange(home)
  const others = before.filter((plugin) => plugin.name !== name)
  if (others.length !== before.length) await keep(home, others)
}

/** The file decides; copies that it does not name, and leftovers of killed copies, are removed. */
async function keep (home: string, plugins: readonly AcceptedPlugin[]): Promise<void> {
  const folder = acceptedFolder(home)
  await replaceFile(acceptedFile(home), acceptedText(plugins), { mode: 0o600, home })
  const kept = new Set([acceptedFile(home), ...plugins.map((plugin) => plugin.folder)].map((path) => basename(path)))
  for (const name of await readdir(folder)) if (!kept.has(name)) await rm(join(folder, name), { recursive: true, force: true })
}

async function copy (root: string, path: string, to: string): Promise<PluginFile> {
  const opened = await openFile({ root, closed: [] }, path)
  try {
    const facts = factsOf(path, opened)
    await mkdir(dirname(to), { recursive: true, mode: 0o700 })
    const file = await open(to, 'wx', facts.isExecutable ? 0o700 : 0o600)
    try {
      const hash = createHash('sha256')
      for await (const chunk of chunksOf(opened.handle)) {
        hash.update(chunk)
        await file.writeFile(chunk)
      }
      await file.sync()
      return { ...facts, hash: hash.digest('hex') }
    } finally {
      await file.close()
    }
  } finally {
    await opened.handle.close()
  }
}
