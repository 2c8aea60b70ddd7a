import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Whether small disks can be created here; on CI they must be. */
export function canMount (): boolean {
  const place = mkdtempSync(join(tmpdir(), 'mount-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', 'none', place], { stdio: 'ignore' })
    execFileSync('umount', [place])
    return true
  } catch {
    return process.env.CI === 'true'
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}
