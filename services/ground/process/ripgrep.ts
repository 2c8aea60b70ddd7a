import { createRequire } from 'node:module'
import { tried } from '../tried.js'

/** Returns the packaged ripgrep, or `rg` from PATH, because its platform package is optional and may be missing. */
export const findRipgrep = (): string => tried(() => (createRequire(import.meta.url)('@vscode/ripgrep') as { rgPath: string }).rgPath, 'rg')
