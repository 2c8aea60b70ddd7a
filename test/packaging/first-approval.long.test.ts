import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { temporaryFolder } from '../support/folder.js'
import { needs } from '../support/programs.js'
import { withoutRegistry } from '../support/registry.js'

const { name, version } = JSON.parse(readFileSync('package.json', 'utf8')) as { name: string, version: string }
const missing = withoutRegistry()
const options = missing === false ? needs('caddy') : { skip: missing }
/** Prints how long each step took, which no test asserts. */
const measured = (...args: string[]): string => execFileSync(process.execPath, ['scripts/first-approval.js', ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })

t.test('from nothing to an approval that a phone answers behind TLS, with the package', options, (t) => {
  const out = join(temporaryFolder(t, 'release'), 'out')
  execFileSync(process.execPath, ['scripts/release.js', '--package', '--repository', 'https://example.com/o/r', out], { stdio: ['ignore', 'ignore', 'inherit'] })
  const said = measured('package', join(out, `${name}-${version}.tgz`))
  t.match(said, /^package: [\d.]+ s in all$/m)
  t.comment(said)
  if (needs('nginx').skip !== undefined) return
  t.match(measured('package', join(out, `${name}-${version}.tgz`), '--proxy', 'nginx'), /^package: [\d.]+ s in all$/m, 'and behind nginx')
})

t.test('and with a clone', options, (t) => {
  const said = measured('clone')
  t.match(said, /^clone: [\d.]+ s in all$/m)
  t.comment(said)
})
