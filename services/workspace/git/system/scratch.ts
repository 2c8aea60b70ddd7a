import { mkdtemp, rm } from 'node:fs/promises'
import { scratchPrefix } from '../../../ground/scratch.js'

/** Runs `work` with a folder of its own, which is gone afterwards. */
export async function inScratch<T> (work: (scratch: string) => Promise<T>): Promise<T> {
  const scratch = await mkdtemp(scratchPrefix('git'))
  try {
    return await work(scratch)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}
