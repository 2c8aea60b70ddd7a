import { open, readdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute } from 'node:path'
import { type Unavailable } from '../../../ground/errors.js'

/** The properties of a model are stored behind its weights. They take a few hundred numbers as text. */
const propertiesBytes = 128 * 1024

export interface ModelFolder { folder: string, names: readonly string[] }

/**
 * Reads the folder that `key` of config.yaml names. `unusable` makes the error for one that is not named, not absolute or cannot be read,
 * without a path in its text.
 */
export async function readModelFolder (
  named: string | undefined, key: string, unusable: (problem: string) => Unavailable
): Promise<ModelFolder> {
  if (named === undefined || named.trim() === '') throw unusable(`needs ${key}, the folder of a model`)
  const folder = named.trim().replace(/^~(?=\/|$)/, homedir())
  if (!isAbsolute(folder)) throw unusable(`needs an absolute path as ${key}`)
  const names = await readdir(folder).catch(() => { throw unusable(`names a folder as ${key} that does not exist, or cannot be read`) })
  return { folder, names }
}

/** Sorts 8-bit models, which are smaller, first; then alphabetically. */
export const smallerFirst = (one: string, other: string): number =>
  Number(other.endsWith('.int8.onnx')) - Number(one.endsWith('.int8.onnx')) || (one < other ? -1 : 1)

/** Reads the last bytes of a model, which hold its properties. */
export async function propertiesOf (path: string): Promise<Buffer> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const length = Math.min(size, propertiesBytes)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
