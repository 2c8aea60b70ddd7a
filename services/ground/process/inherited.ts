import { closeSync, readdirSync, readFileSync } from 'node:fs'

/** Bit of `flags` in /proc/self/fdinfo: it is closed in programs that are started from here. */
const closesOnExec = 0o2000000

/**
 * Closes what this process was given open by whoever started it and would hand on to each program that it starts. Node itself sees
 * to the first seventeen numbers, and opens nothing that is handed on. Standard streams, and those in `kept`, stay. Never throws.
 */
export function closeInherited (kept: readonly number[] = []): void {
  for (const descriptor of descriptors()) {
    if (descriptor <= 2 || kept.includes(descriptor)) continue
    try {
      const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1]
      if (flags !== undefined && (Number.parseInt(flags, 8) & closesOnExec) === 0) closeSync(descriptor)
    } catch {
      // It was the one that the list was read through, or is gone.
    }
  }
}

function descriptors (): number[] {
  try {
    return readdirSync('/proc/self/fd').map(Number)
  } catch {
    return [] // there is no /proc
  }
}
