import { lstatSync } from 'node:fs'

interface Step { identity: string, changedMs: number, changedNs: bigint }

/** Coarser than any clock a file system stamps its changes with. */
const settledAfterMs = 50

/**
 * Notices whether a path may have meant another folder for a while. `real` is absolute and free of symlinks; the answer
 * is asked afterwards, and true means that the path led to folder `inode` of `device` all the time. False means only
 * that this cannot be told.
 *
 * Replacing a folder stamps it and the folder it lies in. Each pair on the way down therefore needs one that was not
 * stamped meanwhile, and not so shortly before that a further stamp could look the same.
 */
export function watchSteadiness (real: string, { dev: device, ino: inode }: { dev: bigint, ino: bigint }): () => boolean {
  const beganMs = Date.now() // what file systems stamp with; no other clock can be compared with it
  const before = steps(real)
  return () => {
    const after = steps(real)
    if (before === null || after === null || before.at(-1)?.identity !== `${device}:${inode}`) return false
    const isStill = before.map((step, index) => step.changedNs === after[index]?.changedNs && step.changedMs < beganMs - settledAfterMs)
    return before.every((step, index) =>
      step.identity === after[index]?.identity && (index === 0 || isStill[index - 1] === true || isStill[index] === true))
  }
}

/** Every folder from the root down to `real`; null when one of them is none. */
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
