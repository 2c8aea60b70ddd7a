import { lstat, stat, type BigIntStats } from 'node:fs'

/** How a file was found. Two that are equal mean the same contents, if the file was settled. */
export interface Stamp {
  text: string
  /** Untouched for so long that a further change cannot leave the times as they are. Those of the system are meant, not a clock of ours. */
  isSettled: boolean
}

/** Longer than the ticks in which file systems tell the time: at most some milliseconds, or whole seconds and no fractions. */
const tickMs = 100
const coarseTickMs = 2_000
const nothing: Stamp = { text: '-', isSettled: true }

/**
 * What stands at a path now; `link`: the symlink itself, if it is one. What cannot be looked at is never settled. Asked for
 * hundreds of files at once, for which fs/promises takes several times as long.
 */
export async function stampOf (path: string, { link = false }: { link?: boolean } = {}): Promise<Stamp> {
  return await new Promise((resolve) => {
    (link ? lstat : stat)(path, { bigint: true }, (error, found) => { resolve(error === null ? foundStamp(found) : missingStamp(error)) })
  })
}

function foundStamp ({ dev, ino, mode, uid, size, mtimeNs, ctimeNs, ctimeMs }: BigIntStats): Stamp {
  const agoMs = Date.now() - Number(ctimeMs)
  return {
    text: `${dev} ${ino} ${mode} ${uid} ${size} ${mtimeNs} ${ctimeNs}`,
    isSettled: agoMs > (ctimeNs % 1_000_000_000n === 0n ? coarseTickMs : tickMs)
  }
}

function missingStamp ({ code }: NodeJS.ErrnoException): Stamp {
  return code === 'ENOENT' || code === 'ENOTDIR' ? nothing : { text: String(code), isSettled: false }
}
