import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, rmdirSync, statfsSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Tries to mount, instead of checking which user this is. Returns why that fails; undefined if it works. */
export function unmountable (): string | undefined {
  const place = mkdtempSync(join(tmpdir(), 'torture-mount-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'torture', place], { stdio: 'ignore' })
    execFileSync('umount', [place], { stdio: 'ignore' })
    return undefined
  } catch {
    return 'a file system in memory cannot be mounted (it takes root)'
  } finally {
    rmdirSync(place)
  }
}

const ballast = (place: string): string => join(place, 'ballast')

/** Uses up all the space. */
export function fill (place: string): void {
  const file = openSync(ballast(place), 'a')
  for (const size of [1_048_576, 4_096]) {
    try {
      for (;;) writeSync(file, Buffer.alloc(size))
    } catch {}
  }
  closeSync(file)
}

export function empty (place: string): void {
  rmSync(ballast(place), { force: true })
  if (statfsSync(place).bavail === 0) throw new Error('the file system is full without its ballast')
}
