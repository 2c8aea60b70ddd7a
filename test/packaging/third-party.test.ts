import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from '#test'
import { start } from '../support/app.js'
import { builtFolder } from '../support/built.js'
import { temporaryFolder } from '../support/folder.js'

interface Work { name: string, version: string, licence: string, text: string }
interface ThirdParty {
  isAllowed: (expression: string) => boolean
  readThirdParty: (folders: string[]) => { packages: Work[], problems: string[] }
  noticesOf: (packages: Work[]) => string
}
const { isAllowed, readThirdParty, noticesOf } = await import(pathToFileURL(resolve('scripts/third-party.js')).href) as ThirdParty

t.test('which licences may be shipped', (t) => {
  for (const expression of ['MIT', 'MPL-2.0', '(MIT OR GPL-3.0-or-later)', '(MIT AND Zlib)', 'WTFPL OR ISC']) t.ok(isAllowed(expression), expression)
  for (const expression of [
    '', 'GPL-3.0-only', 'AGPL-3.0', 'UNLICENSED', 'SEE LICENSE IN LICENSE.md', 'BSD', '(MIT AND GPL-2.0)', 'MIT AND (GPL-2.0 OR MIT)', 'MIT OR GPL-2.0 AND MIT',
    '(MIT OR GPL-2.0) AND (GPL-3.0 OR MIT)', 'constructor'
  ]) t.notOk(isAllowed(expression), expression)
})

t.test('all that this build is made of may be shipped, and the service shows its licences to everybody', async (t) => {
  const { packages, problems } = JSON.parse(readFileSync(join(builtFolder(), 'third-party.json'), 'utf8')) as { packages: Work[], problems: string[] }
  t.same(problems, [])
  // Of the service, the app, its worker, the installed packages, an icon, a font, and data.
  for (const name of ['fastify', 'preact', '@preact/signals-core', 'better-sqlite3', '@vscode/ripgrep', '@iconify-json/lucide', '@fontsource-variable/inter', '@earendil-works/pi-ai']) {
    t.ok(packages.some((work) => work.name === name), name)
  }
  for (const name of ['esbuild', 'typescript', 'playwright-core', 'vite']) t.notOk(packages.some((work) => work.name === name), name)

  const service = await start(t)
  const { status, text, headers } = await service.get('/static/app/THIRD-PARTY-NOTICES.txt')
  t.equal(status, 200)
  t.match(headers.get('cache-control'), 'no-cache')
  for (const { name, version } of packages) t.ok(text.includes(`\n${name} ${version},`), `${name} ${version}`)
  for (const part of ['SIL OPEN FONT LICENSE', 'Mozilla Public', 'Apache License', 'Cole Bemis']) t.ok(text.toLowerCase().includes(part.toLowerCase()), part)
})

t.test('a package without a text, or under another licence, is a problem', (t) => {
  const top = temporaryFolder(t, 'third-party')
  const folder = (name: string, licence: unknown, text?: string): string => {
    const path = join(top, name)
    mkdirSync(path, { recursive: true })
    writeFileSync(join(path, 'package.json'), JSON.stringify({ name, version: '1.0.0', license: licence }))
    if (text !== undefined) writeFileSync(join(path, 'LICENCE.md'), text)
    return path
  }
  t.same(readThirdParty([folder('fine', 'ISC', 'Do as you like')]).problems, [])
  t.match(readThirdParty([folder('bare', 'MIT')]).problems, [/^bare 1\.0\.0 comes without a licence text/])
  t.match(readThirdParty([folder('strict', 'GPL-3.0-only', 'Give')]).problems, [/^strict 1\.0\.0 is under "GPL-3\.0-only"/])
  t.match(readThirdParty([folder('old', [{ type: 'MIT' }], 'Text')]).problems, [/^old 1\.0\.0 is under ""/])
  t.match(readThirdParty([folder('constructor', 'MIT')]).problems, [/without a licence text/])

  const { packages } = readThirdParty([folder('one', 'ISC', 'Same text'), folder('two', 'ISC', 'Same\n text\n')])
  t.match(noticesOf(packages), /one 1\.0\.0, ISC\ntwo 1\.0\.0, ISC\n\nSame text\n/)
})
