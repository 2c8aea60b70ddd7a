import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, renameSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from '#test'
import { temporaryFolder } from '../support/folder.js'

interface Build { stamp: string, sources: () => string[], outputs: () => string[] }
interface Stamps {
  isCurrent: (build: Build) => boolean
  makeCurrent: (build: Build, make: () => void) => void
  filesOf: (paths: string[]) => string[]
}

const { isCurrent, makeCurrent, filesOf } = await import(pathToFileURL(resolve('scripts/stamps.js')).href) as Stamps

const folder = temporaryFolder(t, 'stamps')
const [source, built] = [join(folder, 'source'), join(folder, 'built')]
const build: Build = { stamp: join(built, '.stamp'), sources: () => filesOf([source]), outputs: () => filesOf([built]) }
const make = (): void => {
  mkdirSync(join(built, 'parts'), { recursive: true })
  for (const name of ['all.js', 'parts/one.js']) writeFileSync(join(built, name), `made of ${name}`)
}
mkdirSync(join(source, 'deep'), { recursive: true })
for (const name of ['a.ts', 'b.ts', 'deep/c.ts']) writeFileSync(join(source, name), name)

t.test('what was built stays until a source or a part of it changes', (t) => {
  t.notOk(isCurrent(build), 'nothing is built')
  makeCurrent(build, make)
  t.ok(isCurrent(build))
  utimesSync(join(source, 'a.ts'), 1, 1)
  t.ok(isCurrent(build), 'the same text with another time')

  for (const [what, change] of Object.entries({
    'a changed source': () => writeFileSync(join(source, 'deep/c.ts'), 'deep/d.ts'),
    'a new source': () => writeFileSync(join(source, 'e.ts'), ''),
    'a renamed source': () => renameSync(join(source, 'e.ts'), join(source, 'f.ts')),
    'a removed source': () => rmSync(join(source, 'f.ts')),
    'a file that was cut off': () => truncateSync(join(built, 'all.js'), 3),
    'a missing file': () => rmSync(join(built, 'parts/one.js')),
    'a file too many': () => writeFileSync(join(built, 'parts/two.js'), ''),
    'a damaged stamp': () => writeFileSync(build.stamp, '{'),
    'no stamp': () => rmSync(build.stamp),
    'nothing left': () => rmSync(built, { recursive: true })
  })) {
    change()
    t.notOk(isCurrent(build), what)
    rmSync(join(built, 'parts/two.js'), { force: true })
    makeCurrent(build, make)
    t.ok(isCurrent(build), `${what}, built again`)
  }
})

t.test('a build that fails or is cut off is not taken for a finished one', (t) => {
  makeCurrent(build, make)
  t.throws(() => makeCurrent(build, () => { throw new Error('no space') }), /no space/)
  t.notOk(isCurrent(build), 'although neither side has changed')
  makeCurrent(build, () => {
    make()
    writeFileSync(join(source, 'a.ts'), 'saved meanwhile')
  })
  t.notOk(isCurrent(build), 'a source that changed meanwhile counts')
})

t.test('without packages, or with those of another machine, a build says in a sentence what to do', (t) => {
  const clone = join(folder, 'clone')
  for (const path of ['scripts', 'packaging', 'package.json', 'package-lock.json']) cpSync(path, join(clone, path), { recursive: true })
  const build = () => spawnSync(process.execPath, ['scripts/build.js'], { cwd: clone, encoding: 'utf8' })
  t.match(build(), { status: 1, stdout: '', stderr: 'The packages are not installed. Run npm ci in the folder of the service, then try again.\n' })
  mkdirSync(join(clone, 'node_modules/@esbuild/plan9-mips'), { recursive: true })
  writeFileSync(join(clone, 'node_modules/.package-lock.json'), '{ "packages": {} }')
  t.match(build(), { status: 1, stdout: '', stderr: /^The packages in node_modules are for another kind of machine \(plan9-mips\) .*npm ci.*\n$/ })
  rmSync(join(clone, 'node_modules/@esbuild'), { recursive: true })
  t.match(build(), { status: 1, stderr: /The packages are not those of package-lock\.json \(\d+ differ\)\. Run npm ci/ })
})
