import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Runs `work` with a folder of its own, which is gone afterwards. */
export async function inScratch<T> (work: (scratch: string) => Promise<T>): Promise<T> {
  const scratch = await mkdtemp(join(tmpdir(), 'agent-git-'))
  try {
    return await work(scratch)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}
