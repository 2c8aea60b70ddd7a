import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { NotFound } from '../../ground/errors.js'
import { namesToTry } from '../place/names.js'
import { entryName, openFile, type Territory } from '../place/place.js'
import { type Arrival } from './incoming.js'

/** Returns the SHA-256 (hex) of an arrived file. */
export async function digestOf ({ path }: Pick<Arrival, 'path'>): Promise<string> {
  return await hashed(createReadStream(path))
}

/**
 * Returns the name of a file in a folder that has the same contents as the arrival and was uploaded under the same wanted name; null if
 * there is none. `folder` is relative to the territory.
 */
export async function arrivedBefore (
  territory: Territory, folder: string, wanted: string, arrival: Pick<Arrival, 'path' | 'sizeBytes'>
): Promise<string | null> {
  let digest: string | null = null
  for (const name of namesToTry(entryName(wanted))) {
    try {
      const { handle, stats } = await openFile(territory, folder === '.' ? name : `${folder}/${name}`)
      try {
        if (Number(stats.size) !== arrival.sizeBytes) continue
        digest ??= await digestOf(arrival)
        if (await hashed(handle.createReadStream({ autoClose: false })) === digest) return name
      } finally {
        await handle.close()
      }
    } catch (error) {
      if (error instanceof NotFound) return null
      throw error
    }
  }
  return null
}

async function hashed (bytes: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of bytes) hash.update(chunk)
  return hash.digest('hex')
}
