// Builds the package into dist/: modules as they are written, and their types. May be called from any folder.
import { execFileSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import './types.js'

process.chdir(import.meta.dirname)
rmSync('dist', { recursive: true, force: true })
execFileSync(process.execPath, ['../../node_modules/typescript/bin/tsc', '-p', '.'], { stdio: 'inherit' })
cpSync('../../LICENSE', 'LICENSE')
