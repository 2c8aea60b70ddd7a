// Runs tests, compiled once beforehand: all of them, or the files that are named (test/auth/auth.test.ts). Other arguments go to tap.
import { spawnSync } from 'node:child_process'

const run = (file, ...args) => spawnSync(file, args, { stdio: 'inherit' }).status ?? 1
const args = process.argv.slice(2).map((arg) => arg.endsWith('.test.ts') ? `.build/${arg.replace(/\.ts$/, '.js')}` : arg)

process.exitCode = run(process.execPath, 'scripts/build-tests.js') || run('node_modules/.bin/tap', 'run', ...args)
