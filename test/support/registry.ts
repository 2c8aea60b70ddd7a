import { execFileSync, spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Returns why tests that fetch packages are skipped; false if npm reaches its registry. Throws on CI if it does not. */
export function withoutRegistry (): string | false {
  if (spawnSync('npm', ['ping', '--fetch-retries=0', '--fetch-timeout=20000'], { cwd: tmpdir() }).status === 0) return false
  if (process.env.CI === 'true') throw new Error('npm does not reach its registry')
  return 'npm does not reach its registry'
}

/** Installs packages into a folder, without running any of their scripts. Returns a function that loads one. */
export function fetched (folder: string, ...packages: string[]): NodeJS.Require {
  execFileSync('npm', ['install', '--prefix', folder, '--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund', ...packages], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  return createRequire(join(folder, 'package.json'))
}
