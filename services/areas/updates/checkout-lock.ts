import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lockFile, UnusableDatabase } from '../../ground/database/index.js'
import { gitText } from '../../workspace/git/index.js'
import { clearLeftovers } from './update-attempt.js'
import { UpdateFailed } from './failure.js'

/**
 * The lock on the checkout, because several services may run from one. It is a lock of the operating system and ends with its holder.
 */
export class HeldCheckout {
  #giveBack: (() => void) | null = null

  /** Throws UpdateFailed, which names the process that holds it. */
  async take (root: string): Promise<void> {
    const gitDir = await gitText(root, ['rev-parse', '--absolute-git-dir'])
    const holder = join(gitDir, 'service-update.pid')
    const unlock = lock(join(gitDir, 'service-update.lock'))
    if (unlock === null) {
      throw new UpdateFailed(
        `Another service that runs from this checkout${processIn(holder)} is being updated. Try again when it is done`,
        { lock_conflict: true }
      )
    }
    this.#giveBack = () => {
      rmSync(holder, { force: true })
      unlock()
    }
    try {
      writeFileSync(holder, `${process.pid}\n`)
    } catch {} // without it the error does not name the process
  }

  leave (): void {
    this.#giveBack?.()
    this.#giveBack = null
  }
}

/** Removes leftovers of updates, unless another process holds the lock: it does the same before an update. */
export async function tidy (root: string, checkout: HeldCheckout): Promise<void> {
  try {
    await checkout.take(root)
    await clearLeftovers(root)
  } catch (error) {
    if (!(error instanceof UpdateFailed)) throw error
  } finally {
    checkout.leave()
  }
}

function lock (file: string): (() => void) | null {
  try {
    return lockFile(file)
  } catch (error) {
    if (!(error instanceof UnusableDatabase)) throw error
    throw new UpdateFailed(
      'The service\'s user may not write to its repository. Update it the way it was installed'
    )
  }
}

function processIn (file: string): string {
  try {
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10)
    return Number.isInteger(pid) ? ` (process ${pid})` : ''
  } catch {
    return ''
  }
}
