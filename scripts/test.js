// Runs tests: `npm test` all of them, `npm run test:quick` those without a browser, a killed service or git remotes (what is
// not called *.slow.test.ts), `npm run test:only -- test/chat/chat.test.ts …` the ones that are named. Other arguments go to tap.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'

const compiled = (path) => `.build/${path.replace(/\.ts$/, '.js')}`
const run = (file, ...args) => spawnSync(file, args, { stdio: 'inherit' }).status ?? 1

const named = process.argv.slice(2).filter((arg) => arg !== '--quick')
const quick = readdirSync('test', { recursive: true }).filter((name) => name.endsWith('.test.ts') && !name.endsWith('.slow.test.ts')).map((name) => compiled(`test/${name}`))
const files = process.argv.includes('--quick') ? [...quick, ...named] : named.map((arg) => arg.endsWith('.ts') ? compiled(arg) : arg)
process.exitCode = run(process.execPath, 'scripts/build-tests.js') || run('node_modules/.bin/tap', 'run', ...files)
