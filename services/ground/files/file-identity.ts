import { type BigIntStats } from 'node:fs'

/** File systems store times in steps of up to two seconds, so a file that was changed more recently can change again and look the same. */
const settledMs = 2_000

/** Returns a text that differs once a file or folder is written, replaced or moved. */
export const identityOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string => `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`

/**
 * Whether a further change would show in the identity. Uses the clock of the machine, because file times come from it. A file with a time
 * in the future is never settled.
 */
export function isSettled ({ mtimeMs, ctimeMs }: BigIntStats): boolean {
  return Date.now() - Math.max(Number(mtimeMs), Number(ctimeMs)) >= settledMs
}
