// After an install (package.json, `postinstall`), run by the Node that runs npm: decides which Node npm's scripts use from now on. The
// packages bring one for Linux, which comes first in the path of those scripts. It is for machines whose own Node is too old; if that is
// new enough, it is used, and the one from the packages is removed.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, sep } from 'node:path'

const packages = 'node_modules'
const command = join(packages, '.bin', 'node')
const needed = JSON.parse(readFileSync('package.json', 'utf8')).engines.node.replace('>=', '')
const own = process.versions.node

if (isNewEnough(own) && !isBrought(process.execPath)) {
  forget()
} else if (runs(command)) {
  dropHeaders()
  if (!isNewEnough(own)) {
    console.log(`Node ${own} is too old to run the service: npm's scripts use Node ${runs(command)}, which was installed with it.`)
  }
} else {
  forget()
  console.error(`The service needs Node ${needed} or newer, and this is ${own}. npm has none for this machine: install one ` +
    '(on Alpine: apk add nodejs npm), then run npm ci again.')
  process.exitCode = 1
}

/**
 * Whether a Node comes from packages. An update runs npm with the Node of the installation that it replaces, and that Node is
 * removed with it.
 */
function isBrought (path) {
  return path.split(sep).includes(packages)
}

function isNewEnough (version) {
  const [major, minor] = version.split('.').map(Number)
  const [neededMajor, neededMinor] = needed.split('.').map(Number)
  return major > neededMajor || (major === neededMajor && minor >= neededMinor)
}

/** Returns the version of a Node; undefined if it does not exist, or does not run here (because it was built for another C library). */
function runs (path) {
  const { status, stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' })
  return status === 0 ? stdout.trim().slice(1) : undefined
}

/** Removes the header files, which only a compiler needs: a third of the Node's 189 MB, and nothing is compiled here. */
function dropHeaders () {
  for (const name of brought()) rmSync(join(packages, name, 'include'), { recursive: true, force: true })
}

function forget () {
  for (const name of brought()) rmSync(join(packages, name), { recursive: true, force: true })
  rmSync(command, { force: true })
}

/** Returns the names of the packages that bring a Node. */
function brought () {
  return readdirSync(packages).filter((name) => name.startsWith('node-linux-'))
}
