// node scripts/release.js [--package] [--archive] [--repository <address>] <folder>
//
// Without options: writes the program, and nothing else, to a new folder (the image is made of that). With options: writes the files to
// publish, and their checksums (docs/releasing.md). Nothing is published here.
//   --package     package/, for npm publish; the same packed; its bill of materials
//   --archive     the program with its packages and Node, for machines of the same kind as this one; its bill of materials
//   --repository  the address of the sources; by default RELEASE_REPOSITORY, the repository that a GitHub workflow runs for, or the remote
//                 "origin". Without one, npm refuses to publish the package.
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { currentBuild } from './builds.js'
import { manifestOf } from './packages.js'
import { writeArchive } from './release/archive.js'
import { writeChecksums } from './release/checksums.js'
import { packPackage, writePackage } from './release/package.js'
import { writeProgram } from './release/program.js'
import { findRepository } from './release/repository.js'

try {
  await release(parseArgs({
    allowPositionals: true,
    options: { package: { type: 'boolean' }, archive: { type: 'boolean' }, repository: { type: 'string' } }
  }))
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}

async function release ({ values: { package: isPackage = false, archive: isArchive = false, repository: named }, positionals: [folder] }) {
  if (folder === undefined) throw new Error('Name the folder to make: node scripts/release.js <folder>')
  const out = resolve(folder)
  if (existsSync(out) && readdirSync(out).length > 0) throw new Error(`${out} is there already, and not empty`)
  if (!existsSync('dist/server.js')) throw new Error('There is no build: npm run build')
  const build = currentBuild('dist')
  assertMayBeShipped(build)
  mkdirSync(out, { recursive: true })
  if (!isPackage && !isArchive) return await writeProgram(out, { build, kind: 'program' })
  const repository = findRepository(named)
  if (isPackage) {
    writePackage(join(out, 'package'), { build, repository })
    packPackage(join(out, 'package'), out)
  }
  if (isArchive) await writeArchive(out, { build, repository })
  writeChecksums(out)
}

function assertMayBeShipped (build) {
  const { version } = manifestOf(build)
  if (version !== manifestOf('.').version) throw new Error(`The build is of version ${version}: npm run build`)
  const { problems } = manifestOf(build, 'third-party.json')
  if (problems.length > 0) throw new Error(problems.join('\n'))
}
