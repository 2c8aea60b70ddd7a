// The package for npm: the build, with the other packages as named dependencies.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { manifestOf } from '../packages.js'
import { writeBill } from './bill.js'
import { copyBuild } from './program.js'

/** Writes a folder for `npm publish`. `repository`: its address; null: npm refuses to publish the package. */
export function writePackage (folder, { build, repository }) {
  copyBuild(folder, { build, kind: 'npm' })
  cpSync('packaging/npm/README.md', join(folder, 'README.md'))
  writePrograms(folder, { build, repository })
  pin(folder)
}

/** Packs a package's folder into a file beside it, with its bill of materials. */
export function packPackage (folder, out) {
  const { name, version } = manifestOf(folder)
  writeBill(out, { name: `${name}-${version}`, build: join(folder, 'dist') })
  npm(folder, 'pack', '--pack-destination', out)
}

/** Writes package.json and the programs that it names. Each begins by loading a file that every version of Node can parse. */
export function writePrograms (folder, { build, repository }) {
  writeManifest(folder, { build, repository })
  const programs = { 'agent-web-service': existsSync(join(build, 'cli/main.js')) ? 'cli/main.js' : 'server.js', 'agent-web-service-acp': 'acp/main.js' }
  mkdirSync(join(folder, 'bin'))
  cpSync('packaging/npm/supported.js', join(folder, 'bin/supported.js'))
  for (const [name, entry] of Object.entries(programs)) {
    writeFileSync(
      join(folder, 'bin', `${name}.js`), `#!/usr/bin/env node\nrequire('./supported.js')\nrequire('../dist/${entry}')\n`, { mode: 0o755 }
    )
  }
}

function writeManifest (folder, { build, repository }) {
  const { name, version, description, license, engines } = manifestOf('.')
  const { dependencies, optionalDependencies } = manifestOf(build)
  const published = {
    name,
    version,
    description,
    license,
    ...repository === null
      ? { private: true }
      : { repository: { type: 'git', url: `git+${repository}.git` }, homepage: `${repository}#readme`, bugs: { url: `${repository}/issues` } },
    keywords: ['agent', 'ai', 'self-hosted', 'web', 'acp', 'mcp'],
    engines,
    // The processors that the database is compiled for. On Windows, the program itself reports that it is not supported.
    cpu: ['x64', 'arm64'],
    bin: { 'agent-web-service': 'bin/agent-web-service.js', 'agent-web-service-acp': 'bin/agent-web-service-acp.js' },
    files: ['bin', 'dist', 'distribution.json', 'npm-shrinkwrap.json', 'THIRD-PARTY-NOTICES.txt'],
    dependencies,
    optionalDependencies
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
}

/**
 * Pins the versions that were tested for everyone who installs the package, including indirect dependencies. Makes no request
 * to a registry.
 */
function pin (folder) {
  // A copy of its text, because npm would write through a link.
  writeFileSync(join(folder, 'package-lock.json'), readFileSync('package-lock.json'))
  npm(folder, 'install', '--package-lock-only', '--ignore-scripts', '--offline', '--no-audit', '--no-fund')
  renameSync(join(folder, 'package-lock.json'), join(folder, 'npm-shrinkwrap.json'))
}

function npm (folder, ...args) {
  const { status, stderr } = spawnSync('npm', [...args, '--loglevel=error'], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm ${args[0]} failed in ${folder}:\n${stderr}`)
}
