import { createWriteStream } from 'node:fs'
import { lstat, mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type NatsLink } from '../services/ground/nats/link.js'
import { readObject } from '../services/ground/nats/objects.js'
import { temporaryName } from '../services/ground/files/temporary.js'
import { attachmentFolder } from '../services/workspace/index.js'

export interface Upload { session: string, name: string, size: number }

/** How long a download may stand still: a lost connection reports no error. */
const stallMs = 60_000

/** Whether a name is that of a single folder or file, and does not lead out of its folder. */
export const plainName = (name: string): boolean => name !== '' && name !== '.' && name !== '..' && !/[/\0]/.test(name)

function pathOf (stateDir: string, { session, name }: Upload): string | null {
  return plainName(session) && plainName(name) ? join(attachmentFolder(stateDir, session), name) : null
}

/** Whether an upload is already here. Uploads never change, so a file with the same name and size is the same. */
async function isHere (path: string, size: number): Promise<boolean> {
  const stats = await lstat(path).catch(() => null)
  return stats?.isFile() === true && stats.size === size
}

/** Returns the indexes of the files that this machine does not have. */
export async function missingUploads (stateDir: string, files: readonly Upload[]): Promise<number[]> {
  const missing: number[] = []
  for (const [index, file] of files.entries()) {
    const path = pathOf(stateDir, file)
    if (path !== null && !await isHere(path, file.size)) missing.push(index)
  }
  return missing
}

/** Moves an object of this machine's bucket to the place of the upload. Throws if the object is missing or damaged. */
export async function fetchUpload (
  { link, machine, stateDir }: { link: NatsLink, machine: string, stateDir: string }, file: Upload, object: string
): Promise<void> {
  const path = pathOf(stateDir, file)
  if (path === null) throw new Error('This is not the name of an upload')
  const bucket = await link.objm.open(link.subjects.objects(machine))
  if (!await isHere(path, file.size)) {
    const folder = attachmentFolder(stateDir, file.session)
    const unfinished = join(folder, temporaryName())
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const stalled = new AbortController()
    const stall = setTimeout(() => stalled.abort(), stallMs)
    try {
      await pipeline(
        readObject(link, machine, object, file.size),
        async function * (source: AsyncIterable<Buffer>) {
          for await (const chunk of source) {
            stall.refresh()
            yield chunk
          }
        },
        createWriteStream(unfinished, { flags: 'wx', mode: 0o600 }),
        { signal: stalled.signal }
      )
      if (!await isHere(unfinished, file.size)) throw new Error('An upload has another size than it had')
      await rename(unfinished, path)
    } finally {
      clearTimeout(stall)
      await rm(unfinished, { force: true })
    }
  }
  await bucket.delete(object)
}
