import { type BigIntStats } from 'node:fs'
import { lstat, open, rename, unlink } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { makeFolders } from '../../ground/files/make-folders.js'
import { temporaryName } from '../../ground/files/temporary.js'
import { type Containment, explain, inFolder, openForReading, refuseSpecial, ToolError } from './containment.js'

/** How many bytes of a file are read to tell text from binary. */
const sniffBytes = 8192

export interface TextFile {
  real: string
  /** The bytes that were read, at most `maxBytes`. */
  bytes: Buffer
  sizeBytes: number
  /** The stamp of the file when it was read, to notice a change before it is replaced. */
  seen: FileStamp
}

/** Identifies a version of a file without its content: another text gives another stamp. */
export type FileStamp = string
/** The stamp of a file that does not exist. */
export const noFile: FileStamp = 'none'

const stamp = ({ ino, size, mtimeNs, ctimeNs }: BigIntStats): FileStamp => [ino, size, mtimeNs, ctimeNs].join(' ')

/** Throws ToolError when a file is not the version that the user was shown before they allowed the call. */
export function refuseChanged (now: FileStamp, path: string, shown: FileStamp | undefined): void {
  if (shown === undefined || now === shown) return
  throw new ToolError(
    `${path} has changed since the user was shown what would be changed. Nothing was written; read it again, and repeat the change if it still fits.`
  )
}

/** Reads the start of a regular file. Throws ToolError when it is missing, special, outside or binary. */
export async function readText (containment: Containment, path: string, maxBytes: number): Promise<TextFile> {
  const { handle, real } = await openForReading(containment, path)
  try {
    const found = await handle.stat({ bigint: true })
    const bytes = await readUpTo(handle, maxBytes)
    if (bytes.subarray(0, sniffBytes).includes(0)) {
      throw new ToolError(`${path} is a binary file (${found.size} bytes) and cannot be shown as text. ` +
        'Use the terminal tool with a program that understands it (file, strings, xxd, …).')
    }
    return { real, bytes, sizeBytes: Math.max(Number(found.size), bytes.length), seen: stamp(found) }
  } finally {
    await handle.close()
  }
}

/** Reads to the end, because `stat` reports size 0 for files below /proc. */
async function readUpTo (handle: Awaited<ReturnType<typeof open>>, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let total = 0
  while (total < maxBytes) {
    const chunk = Buffer.allocUnsafe(Math.min(65536, maxBytes - total))
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, null)
    if (bytesRead === 0) break
    chunks.push(chunk.subarray(0, bytesRead))
    total += bytesRead
  }
  return Buffer.concat(chunks, total)
}

/**
 * Replaces or creates a file atomically: readers see the old text or the new one, never a part. An existing file keeps its mode. Throws
 * ToolError when the file is no longer the version that was read (`expected`; default: the version at the beginning), or not the one that
 * the user was `shown`.
 */
export async function writeText (
  containment: Containment, real: string, path: string, text: string, { expected, shown }: { expected?: FileStamp, shown?: FileStamp } = {}
): Promise<{ created: boolean }> {
  await makeFolders(dirname(real)).catch(explain(path))
  return await inFolder(containment, real, path, async (base) => {
    const target = `${base}/${basename(real)}`
    const before = await lstat(target, { bigint: true }).catch(() => null)
    const found = before === null ? noFile : stamp(before)
    refuseChanged(found, path, shown)
    refuseReplacing(before, path, expected ?? found)
    const temporary = `${base}/${temporaryName()}`
    try {
      await writeNew(temporary, text, before === null ? null : Number(before.mode) & 0o7777)
      refuseReplacing(await lstat(target, { bigint: true }).catch(() => null), path, expected ?? found)
      await rename(temporary, target)
    } catch (error) {
      await unlink(temporary).catch(() => {})
      return explain(path)(error)
    }
    return { created: before === null }
  })
}

function refuseReplacing (before: BigIntStats | null, path: string, expected: FileStamp): void {
  if (before === null) {
    if (expected === noFile) return
    throw new ToolError(`${path} was removed while it was being edited. Nothing was written; look at the folder again.`)
  }
  if (before.isSymbolicLink()) {
    throw new ToolError(`${path} became a symbolic link while it was being written. Nothing was written; try again.`)
  }
  refuseSpecial(before, path)
  if ((before.mode & 0o222n) === 0n) {
    throw new ToolError(`${path} is read-only. Nothing was written; ask the user, or change its mode with chmod first.`)
  }
  if (stamp(before) !== expected) {
    throw new ToolError(
      `${path} was changed by somebody else while it was being edited. Nothing was written; read it again and repeat the edit.`
    )
  }
}

async function writeNew (path: string, text: string, mode: number | null): Promise<void> {
  const handle = await open(path, 'wx', mode ?? 0o666)
  try {
    await handle.writeFile(text)
    if (mode !== null) await handle.chmod(mode) // the umask has removed bits from the mode that was passed to open
    await handle.datasync()
  } finally {
    await handle.close()
  }
}
