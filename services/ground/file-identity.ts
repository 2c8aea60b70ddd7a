import { type BigIntStats } from 'node:fs'

/** File systems keep times in steps of up to two seconds: a file that was changed so recently can change again and look the same. */
const settledMs = 2_000

/** Differs when a file or folder is written, replaced or moved. */
export const identityOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string => `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`

/**
 * Whether a further change would show in the identity. By the clock of the machine, which is the one of
 * its files. One from the future never is.
 */
export function isSettled ({ mtimeMs, ctimeMs }: BigIntStats): boolean {
  return Date.now() - Math.max(Number(mtimeMs), Number(ctimeMs)) >= settledMs
}
