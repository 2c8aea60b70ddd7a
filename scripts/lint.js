// Runs oxlint with the rules of oxlint.config.js. Without arguments it checks the files that have changed since they last passed
// under the same rules and packages. Only the check for import cycles looks beyond a file, and a new cycle contains a file that has
// changed. Arguments are passed on:
//   npm run lint:code -- --fix services/agent
import './needs-node.js'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { hashOf } from './stamps.js'

/** Hash of each file that passed, by path. Not in .build, which every test run makes anew. */
const remembered = '.cache/lint/files.json'
const rules = hashOf(['oxlint.config.js', 'scripts/lint.js', 'scripts/rooms.js', 'node_modules/.package-lock.json'])
const args = process.argv.slice(2)
const oxlint = (args, options) => spawnSync(process.execPath, ['node_modules/oxlint/bin/oxlint', '-c', 'oxlint.config.js', ...args], options)

if (args.length > 0) {
  process.exitCode = oxlint(args, { stdio: 'inherit' }).status ?? 1
} else {
  const hashes = new Map(allFiles().map((path) => [path, hashOf([path])]))
  const known = readKnown()
  const changed = [...hashes.keys()].filter((path) => known[path] !== hashes.get(path))
  if (changed.length > 0) process.exitCode = oxlint(changed, { stdio: 'inherit' }).status ?? 1
  // The hashes are from before the run, so a file that changed meanwhile counts as changed.
  if (process.exitCode === undefined || process.exitCode === 0) {
    mkdirSync(dirname(remembered), { recursive: true })
    writeFileSync(remembered, JSON.stringify({ rules, files: Object.fromEntries(hashes) }))
  }
}

/** Returns the paths of all files that have rules. Throws if oxlint does not list them. */
function allFiles () {
  const { stdout, stderr, status } = oxlint(['--debug=files', '.'], { encoding: 'utf8', maxBuffer: 2 ** 26 })
  const files = stdout.split('\n').filter((line) => /\.[jt]sx?$/.test(line)).map((line) => relative('', line))
  if (status !== 0 || files.length === 0) throw new Error(`oxlint names no files: ${stderr}${stdout}`)
  return files
}

function readKnown () {
  try {
    const known = JSON.parse(readFileSync(remembered, 'utf8'))
    return known.rules === rules ? known.files : {}
  } catch {
    return {}
  }
}
