import { closeSync, readdirSync, readFileSync } from 'node:fs'
import { tried } from '../tried.js'

/** Bit of `flags` in /proc/self/fdinfo: the descriptor is closed in programs that this process starts. */
const closesOnExec = 0o2000000

/**
 * Closes descriptors that this process inherited and would pass on to every program that it starts. Node itself handles the first
 * seventeen, and opens none that are passed on. Standard streams, and those in `kept`, stay open. Never throws.
 */
export function closeInherited (kept: readonly number[] = []): void {
  for (const descriptor of descriptors()) {
    if (descriptor <= 2 || kept.includes(descriptor)) continue
    try {
      const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1]
      if (flags !== undefined && (Number.parseInt(flags, 8) & closesOnExec) === 0) closeSync(descriptor)
    } catch {
      // It was the descriptor of the listing itself, or is closed already.
    }
  }
}

function descriptors (): number[] {
  return tried(() => readdirSync('/proc/self/fd').map(Number), []) // there is no /proc
}
