import { createRequire } from 'node:module'

/** The packaged ripgrep, else `rg` of PATH: its platform package is optional and may be missing. */
export function findRipgrep (): string {
  try {
    return (createRequire(import.meta.url)('@vscode/ripgrep') as { rgPath: string }).rgPath
  } catch {
    return 'rg'
  }
}
