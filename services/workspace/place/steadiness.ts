import { lstatSync } from 'node:fs'

interface Step { identity: string, changedMs: number, changedNs: bigint }

/** Longer than the resolution of any clock that file systems stamp changes with. */
const settledAfterMs = 50

/**
 * Detects whether a path may have led to another folder for a while. `real` is absolute and free of symlinks. The returned function is
 * called afterwards: true means that the path led to folder `inode` of `device` all the time; false means only that this is not certain.
 *
 * Replacing a folder stamps both it and its parent. So in each pair of folder and parent along the path, one must not have been
 * stamped meanwhile, nor so shortly before that a further stamp could look the same.
 */
export function watchSteadiness (real: string, { dev: device, ino: inode }: { dev: bigint, ino: bigint }): () => boolean {
  const beganMs = Date.now() // file systems stamp with this clock; no other one is comparable
  const before = steps(real)
  return () => {
    const after = steps(real)
    if (before === null || after === null || before.at(-1)?.identity !== `${device}:${inode}`) return false
    const isStill = before.map((step, index) => step.changedNs === after[index]?.changedNs && step.changedMs < beganMs - settledAfterMs)
    return before.every((step, index) =>
      step.identity === after[index]?.identity && (index === 0 || isStill[index - 1] === true || isStill[index] === true))
  }
}

/** Returns every folder from the root down to `real`; null if one of them is not a folder. */
function steps (real: string): Step[] | null {
  const found: Step[] = []
  for (let end = 0; end !== -1; end = real === '/' ? -1 : end === real.length ? -1 : nextEnd(real, end)) {
    const stats = lstatSync(real.slice(0, end) || '/', { bigint: true, throwIfNoEntry: false })
    if (stats === undefined || !stats.isDirectory()) return null
    found.push({ identity: `${stats.dev}:${stats.ino}`, changedMs: Number(stats.ctimeMs), changedNs: stats.ctimeNs })
  }
  return found
}

function nextEnd (path: string, end: number): number {
  const slash = path.indexOf('/', end + 1)
  return slash === -1 ? path.length : slash
}
