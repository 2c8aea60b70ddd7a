// Runs tests, compiled once beforehand: all of them; with --quick those that need neither a browser nor git remotes nor a full disk nor
// kills; or the files that are named (test/auth/auth.test.ts). Other arguments go to tap.
import { spawnSync } from 'node:child_process'

const run = (file, ...args) => spawnSync(file, args, { stdio: 'inherit' }).status ?? 1
const given = process.argv.slice(2)
const quick = given.includes('--quick') ? ['--exclude=**/*.slow.test.js'] : []
const args = given.filter((arg) => arg !== '--quick').map((arg) => arg.endsWith('.test.ts') ? `.build/${arg.replace(/\.ts$/, '.js')}` : arg)

process.exitCode = run(process.execPath, 'scripts/build-tests.js') || run('node_modules/.bin/tap', 'run', ...quick, ...args)
