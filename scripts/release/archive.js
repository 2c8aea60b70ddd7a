// Writes an archive for people without Node: the program with its packages, and a Node to run it.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { manifestOf } from '../packages.js'
import { writeBill } from './bill.js'
import { writePrograms } from './package.js'
import { writeProgram } from './program.js'

/** Where glibc has the program that starts others, without which the shell says of the Node only that it is not found. */
const loaders = { x64: '/lib64/ld-linux-x86-64.so.2', arm64: '/lib/ld-linux-aarch64.so.1' }

/** Finds its own folder, also when called through a link in a folder of programs, and uses the same options as the image. */
const launcher = (program) => `#!/bin/sh
if [ ! -e ${loaders[process.arch]} ]; then
  echo "This archive is for Linux ${process.arch} with glibc. On Alpine and other systems, install Node.js, and then the service with npm." >&2
  exit 1
fi
top=$(dirname "$(dirname "$(readlink -f "$0")")")
exec "$top/node/bin/node" --max-semi-space-size=4 "$top/package/bin/${program}.js" "$@"
`

/** Writes `<name>-<version>-<platform>-<arch>.tar.gz` for machines of the same kind as this one, with its bill of materials. */
export async function writeArchive (out, { build, repository }) {
  const { name, version } = manifestOf('.')
  const full = `${name}-${version}-${process.platform}-${process.arch}`
  const scratch = mkdtempSync(join(tmpdir(), 'archive-'))
  try {
    const top = join(scratch, full)
    const node = bringNode(join(top, 'node'), scratch)
    await writeProgram(join(top, 'package'), { build, kind: 'archive', node: join(top, 'node/bin/node') })
    writePrograms(join(top, 'package'), { build, repository })
    mkdirSync(join(top, 'bin'))
    for (const program of Object.keys(manifestOf(join(top, 'package')).bin)) {
      writeFileSync(join(top, 'bin', program), launcher(program), { mode: 0o755 })
    }
    cpSync('packaging/archive/README.md', join(top, 'README.md'))
    writeBill(out, { name: full, build, more: [node] })
    // Reproducible: the same files make the same archive.
    run('tar', [
      '--create', '--gzip', '--file', join(out, `${full}.tar.gz`), '--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mtime=@0',
      '--directory', scratch, full
    ])
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Copies the Node that the lock file names for this kind of machine to a folder; npm downloads it if it is not installed here. */
function bringNode (folder, scratch) {
  const name = `node-${process.platform}-${process.arch}`
  const { optionalDependencies } = manifestOf('.')
  const version = optionalDependencies[name]
  if (version === undefined) throw new Error(`No Node for ${process.platform} ${process.arch} is named in package.json: ${name}`)
  let from = join('node_modules', name)
  if (!existsSync(join(from, 'bin/node'))) {
    run('npm', ['install', '--prefix', scratch, '--no-save', '--no-package-lock', '--no-audit', '--no-fund', `${name}@${version}`])
    from = join(scratch, 'node_modules', name)
  }
  mkdirSync(join(folder, 'bin'), { recursive: true })
  for (const path of ['bin/node', 'LICENSE']) cpSync(join(from, path), join(folder, path), { dereference: true })
  const { integrity } = manifestOf('.', 'package-lock.json').packages[`node_modules/${name}`]
  return { name, version, licence: 'MIT', integrity }
}

function run (program, args) {
  const { status, stderr, error } = spawnSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} failed: ${stderr ?? error?.message}`)
}
