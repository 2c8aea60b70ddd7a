import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { type Installation } from '../../test/support/installation.js'

/** A version that an update must refuse before it changes the installation. */
export interface FailingVersion {
  stage: string
  /** What the answer must say. */
  words: RegExp
  files (project: Installation): Record<string, string | null>
}

const lockOf = (packages: Record<string, unknown>): string => JSON.stringify({
  name: 'agent-web-service', version: '0.1.0', lockfileVersion: 3, requires: true, packages
})
const packageOf = (dependencies: Record<string, string>): string => JSON.stringify({
  name: 'agent-web-service', version: '0.1.0', scripts: { build: 'node build.js' }, dependencies
})
const own = (dependencies: Record<string, string>): Record<string, unknown> => ({ '': { name: 'agent-web-service', version: '0.1.0', dependencies } })

export const failingVersions: FailingVersion[] = [
  {
    stage: 'packages whose lock does not fit',
    words: /packages of the new version/,
    files: () => ({ 'package.json': packageOf({ x: '1.0.0' }), 'package-lock.json': lockOf({ '': {}, 'node_modules/y': { version: '1.0.0' } }) })
  },
  {
    stage: 'a package whose hash is wrong',
    words: /packages of the new version/,
    files: () => ({
      'package.json': packageOf({ lib: 'file:lib.tgz' }),
      'package-lock.json': lockOf({
        ...own({ lib: 'file:lib.tgz' }),
        'node_modules/lib': {
          version: '1.0.0', resolved: 'file:lib.tgz', integrity: `sha512-${createHash('sha512').update('another').digest('base64')}`
        }
      }),
      'lib.tgz': 'no archive, and not what its hash says'
    })
  },
  { stage: 'a build that fails', words: /could not be built/, files: () => ({ 'change.js': 'throw new Error("broken")\n' }) },
  {
    stage: 'a build that is killed', words: /could not be built/,
    files: () => ({ 'change.js': "process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 1000)\n" })
  },
  {
    stage: 'a build without its program', words: /has no dist/,
    files: () => ({ 'change.js': "require('node:fs').rmSync('dist/server.js')\n" })
  },
  {
    stage: 'a trial that ends', words: /did not start/,
    files: () => ({ 'change.js': "require('node:fs').writeFileSync('dist/server.js', 'process.exit(3)')\n" })
  },
  {
    stage: 'a migration that fails', words: /did not start/,
    files: () => ({ 'change.js': migrates("insert into sessions (id) values ('half');\n--> statement-breakpoint\nselect no_such_function(1);") })
  },
  {
    stage: 'a configuration that is refused', words: /does not accept the configuration/,
    files: () => ({
      'change.js': `const fs = require('node:fs')
fs.renameSync('dist/server.js', 'dist/service.js')
fs.writeFileSync('dist/server.js', "if (process.argv.includes('--check-configuration')) process.exit(1); require('./service.js')")
`
    })
  }
]

function migrates (sql: string): string {
  return `const fs = require('node:fs')
const file = 'dist/drizzle/meta/_journal.json'
const journal = JSON.parse(fs.readFileSync(file, 'utf8'))
const { version, when } = journal.entries.at(-1)
journal.entries.push({ idx: journal.entries.length, version, when: when + 1, tag: '9999_fails', breakpoints: true })
fs.writeFileSync(file, JSON.stringify(journal))
fs.writeFileSync('dist/drizzle/9999_fails.sql', ${JSON.stringify(sql)})
`
}

/** Corrupts the newest objects of the remote, so that they do not match their names. Returns a function that restores them. */
export function corruptRemote ({ remote }: Installation, since: ReadonlySet<string>): () => void {
  const objects = join(remote, 'objects')
  const harmed = objectsIn(remote).filter((path) => !since.has(path)).map((path) => {
    const place = join(objects, path)
    return { place, bytes: readFileSync(place) }
  })
  for (const { place } of harmed) {
    rmSync(place)
    writeFileSync(place, deflateSync('blob 5\0other'))
  }
  return () => {
    for (const { place, bytes } of harmed) {
      rmSync(place)
      writeFileSync(place, bytes)
    }
  }
}

/** Returns the loose objects of a repository, as paths below `objects`. */
export const objectsIn = (repository: string): string[] =>
  readdirSync(join(repository, 'objects'), { recursive: true, encoding: 'utf8' }).filter((path) =>
    /^[0-9a-f]{2}\/[0-9a-f]{38}$/.test(path) && statSync(join(repository, 'objects', path)).isFile())
