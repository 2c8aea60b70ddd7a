import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { parse } from 'yaml'
import t from '#test'
import { ConfigError, readConfig } from '../../plugins/ground/config.js'
import { Reason } from '../../schemas/system.js'
import { errorCodes } from '../../schemas/error-codes.js'
import { pairingAgeS } from '../../services/areas/auth/device-pairings.js'
import { flow } from '../../services/agent/limits.js'
import { answerLimits, responseLimits } from '../../services/providers/limits.js'
import { usualLimits } from '../../services/workspace/checkpoints/failures.js'
import { checkConfig } from '../../services/ground/home/config-check.js'
import { readCommandLine } from '../../cli/arguments.js'
import { documents, readDocument } from '../support/documents.js'
import { start } from '../support/app.js'

const all = documents()
const { scripts, engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string>, engines: { node: string } }
const troubleshooting = readDocument('docs/troubleshooting.md').text
/** Returns the first cells of the table below a heading. */
const codesBelow = (heading: string): string[] =>
  [...(troubleshooting.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '').matchAll(/^\| `(\w+)` \| (.+) \|/gm)].map(([, code]) => code ?? '')

/** Splits a command line into words as a shell does, without what follows the command. */
const wordsOf = (line: string): string[] =>
  [...line.replace(/\s*(?:#| < |[|;&)]).*$/, '').matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word)

t.test('the map of the architecture names every folder and program at the top, and every area', (t) => {
  const [map = ''] = readDocument('docs/architecture.md').text.split('## Folders and layers\n')[1]?.split('\n## ') ?? []
  const tracked = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n')
  const top = new Set(tracked.map((path) => path.includes('/') ? `${path.split('/')[0]}/` : path).filter((path) => !path.startsWith('.') && /\/$|^[a-z]+\.ts$/.test(path)))
  t.same([...top].filter((name) => !map.includes(`\`${name}`)), [])
  t.same(readdirSync('services').filter((name) => !map.includes(`\`services/${name}/`)), [])
  const areas = /`services\/areas\/<area>\/` \| ([^|]+) \|/.exec(map)?.[1]?.split(', ')
  t.same(areas?.map((name) => name.trim()), readdirSync('services/areas'))
})

t.test('files that the architecture names are there', (t) => {
  const text = readDocument('docs/architecture.md').text
  const tracked = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n').map((path) => `/${path}`)
  const named = [...text.matchAll(/`([\w./-]*)(?:\{([\w,-]+)\})?([\w./-]*\.(?:ts|js))`/g)]
    .flatMap(([, before = '', names = '', after = '']) => names.split(',').map((name) => `/${before}${name}${after}`))
  t.ok(named.length > 200, `${named.length} files`)
  t.same(named.filter((name) => !tracked.some((path) => path.endsWith(name))), [])
})

t.test('troubleshooting has every code that the service declares, and no other: add a row with its mend', (t) => {
  t.same(codesBelow('Error codes').toSorted(), Object.keys(errorCodes).toSorted())
  t.same(codesBelow('The service is degraded').toSorted(), [...(Reason.enum as string[])].toSorted())
  const types = /type: Type\.String\(\{ description: '(rate_limit, .*) or (error)'/.exec(readFileSync('schemas/chat.ts', 'utf8'))
  t.same(codesBelow('A turn ends with an error').toSorted(), [...(types?.[1] ?? '').split(', '), types?.[2]].toSorted())
  const problems = [.../'not_set_up',[^\]]*/.exec(readFileSync('schemas/models.ts', 'utf8'))?.[0].matchAll(/'(\w+)'/g) ?? []].map(([, name]) => name)
  t.same(codesBelow('A provider\'s test fails').toSorted(), problems.toSorted())
  const signIns = [...readFileSync('services/ground/languages/oidc-failures.ts', 'utf8').matchAll(/'(oidc_\w+)'/g)].map(([, name]) => name ?? '')
  t.same(codesBelow('A sign-in with OpenID Connect fails').toSorted(), [...new Set(signIns)].toSorted())
  t.same([...troubleshooting.matchAll(/^\| `\w+` \|\s*\|/gm)].map(([row]) => row), [], 'each says what it means')
})

t.test('commands of the documents are there: scripts of npm with their options, programs, files', (t) => {
  const sources: Record<string, string> = {
    doctor: 'cli', audit: 'cli', backup: 'cli', restore: 'cli', machine: 'machine', bench: 'bench/index.ts', fuzz: 'bench/fuzz/index.ts',
    torture: 'bench/torture', 'test:only': 'scripts/test.js', openapi: 'scripts/write-documents.ts'
  }
  const textOf = (path: string): string => path.endsWith('.ts') || path.endsWith('.js')
    ? readFileSync(path, 'utf8')
    : readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts')).map((name) => readFileSync(`${path}/${name}`, 'utf8')).join('\n')
  const wrong: string[] = []
  for (const { path, text } of all) {
    for (const [, script = '', rest = ''] of text.matchAll(/\bnpm run (?:--silent )?([\w:-]+)((?: [^\n`|&;]*)?)/g)) {
      if (!(script in scripts)) wrong.push(`${path}: npm run ${script}`)
      const source = sources[script]
      for (const [, option = ''] of rest.replace(/#.*/, '').matchAll(/--([a-z][\w-]+)/g)) {
        if (source !== undefined && !new RegExp(`\\b${option}\\b`).test(textOf(source))) wrong.push(`${path}: npm run ${script} -- --${option}`)
      }
    }
    for (const [, file = ''] of text.matchAll(/\bnode (?:--[\w=-]+ )*((?:dist|scripts|bench)\/[\w./-]+\.[jt]s)/g)) {
      const source = file.startsWith('dist/') ? file.slice('dist/'.length).replace(/\.js$/, '.ts') : file
      if (!existsSync(source) || !existsSync(file)) wrong.push(`${path}: node ${file}`)
    }
  }
  t.same(wrong, [])
})

t.test('command lines of the program in the documents are read as the program reads them', (t) => {
  const wrong: string[] = []
  let count = 0
  for (const { path, text } of all) {
    // In a block a line begins with it; in a sentence it is all that is within the backticks.
    const lines = text.matchAll(/(?:^|`|[^\S\n]|\()(?:npx |bin\/)?(?:agent-web-service|node scripts\/cli\.js|node dist\/cli\/main\.js) ((?!`)[a-z-][^`\n]*)/gm)
    for (const [, line = ''] of lines) {
      // Sentences about the program also begin with its name.
      const isProse = !/^[a-z-]+(?: [a-z-]+)?(?:$| (?:--|[<"/~.\d]|[\w-]*-\w+$))|^-/.test(line)
      if (isProse) continue
      count++
      try {
        readCommandLine(wordsOf(line))
      } catch (error) {
        // Without its second word, a command stands for all that begin with it.
        if (!/ is incomplete\. /.test(String(error))) wrong.push(`${path}: ${line}: ${String(error)}`)
      }
    }
  }
  t.same(wrong, [])
  t.ok(count > 40, `${count} command lines`)
})

t.test('variables of the documents are read by the service, and addresses are routes', async (t) => {
  const sources = ['services', 'plugins', 'machine', 'acp', 'cli'].flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts')).map((name) => readFileSync(`${folder}/${name}`, 'utf8'))).join('\n') +
    readdirSync('.').filter((name) => /^docker-compose.*\.yml$/.test(name)).map((name) => readFileSync(name, 'utf8')).join('\n')
  const { routes } = await start(t)
  const known = routes.map(({ method, url }) => `${method} ${url.replaceAll(/:\w+/g, '*')}`)
  const wrong: string[] = []
  for (const { path, text } of all) {
    for (const [name] of text.matchAll(/\bSVC_[A-Z_]*[A-Z]\b(?!…)/g)) if (!sources.includes(name.replace(/_FILE$/, ''))) wrong.push(`${path}: ${name}`)
    for (const [, method = '', address = ''] of text.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/(?:[\w./<>:-]|\{\w+\})*)(?=[`\s?])/g)) {
      const route = `${method} ${address.replaceAll(/\{\w+\}|<[\w ]+>|:\w+/g, '*').replace(/(.)\/$/, '$1')}`
      if (!known.some((one) => one === route)) wrong.push(`${path}: ${method} ${address}`)
    }
  }
  t.same(wrong, [])
})

t.test('defaults and limits of the configuration are those of the table', (t) => {
  const home = { HOME: '/home/someone' }
  const usual = readConfig(home)
  const takes = (name: string, value: string): boolean => {
    try {
      readConfig({ ...home, [name]: value })
      return true
    } catch (error) {
      if (error instanceof ConfigError) return false
      throw error
    }
  }
  const rows = [...readDocument('docs/configuration.md').text.matchAll(/^\| `([A-Z_]+)` \| (.*?) \| (.*) \|$/gm)]
  t.ok(rows.length > 30, 'the table is found')
  let compared = 0
  for (const [, name = '', written = '', meaning = ''] of rows) {
    const value = written === 'on' ? '1' : written === 'off' ? '0' : /^`([^`]*)`$/.exec(written)?.[1]?.replace('$SVC_HOME', '~/.svc')
    // Some have no effect without another one.
    if (value !== undefined && takes(name, value)) {
      const set = readConfig({ ...home, [name]: value })
      t.ok(isDeepStrictEqual({ ...set, env: {} }, { ...usual, env: {} }), `${name} is ${written}`)
      compared += 1
    }
    const [, from, to] = /\((\d+) to (\d+)[;)]/.exec(meaning) ?? []
    if (from === undefined || to === undefined) continue
    t.ok(takes(name, from) && takes(name, to), `${name} from ${from} to ${to}`)
    t.notOk(takes(name, String(Number(from) - 1)) || takes(name, String(Number(to) + 1)), `${name} and no further`)
    compared += 1
  }
  t.ok(compared > 20, `${compared} compared`)
})

t.test('examples of config.yaml in guides are in order', (t) => {
  const examples = all.flatMap(({ path, blocks }) => blocks.filter(({ language, mark }) => language === 'yaml' && mark === 'config').map((block) => ({ path, ...block })))
  t.ok(examples.length >= 4)
  for (const { path, line, code } of examples) {
    t.same(checkConfig(parse(code) as Record<string, unknown>, code).problems, [], `${path}:${line}`)
  }
})

/** Returns the value of a constant that a file does not export. */
function constantOf (file: string, name: string): number {
  const product = new RegExp(`const ${name} = ([\\d_ *.]+)\n`).exec(readFileSync(file, 'utf8'))?.[1]
  if (product === undefined) throw new Error(`${file} has no ${name}`)
  return product.replaceAll('_', '').split('*').reduce((value, factor) => value * Number(factor), 1)
}
const day = 24 * 3_600
const mebibyte = 1_048_576
const config = readConfig({ HOME: '/home/someone' })
const target = readFileSync('web/browsers.js', 'utf8')
const browser = (name: string): number => Number(new RegExp(`'${name}([\\d.]+)'`).exec(target)?.[1])
const idleMiB = [...readFileSync('docs/performance.md', 'utf8').matchAll(/^\| idle memory, \w[\w ]* \| ([\d.]+) MiB/gm)].reduce((sum, [, mib]) => sum + Number(mib), 0)
const words = (count: number): string => ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'][count] ?? String(count)

/** Statements of the documents with a number, and the number in the code. */
const figures: ReadonlyArray<readonly [path: string, says: RegExp, is: number | string]> = [
  ['README.md', /Node\.js ([\d.]+) or newer/, engines.node.replace(/^>=(\d+\.\d+).*/, '$1')],
  ['README.md', /`http:\/\/127\.0\.0\.1:(\d+)`/, config.port],
  ['docs/install.md', /Node\.js ([\d.]+) or newer/, engines.node.replace(/^>=(\d+\.\d+).*/, '$1')],
  ['docs/features.md', /Node\.js from ([\d.]+) on/, engines.node.replace(/^>=(\d+\.\d+).*/, '$1')],
  ['docs/phone.md', /works once, for (\w+) minutes/, words(pairingAgeS / 60)],
  ['docs/tokens.md', /works once, for (\w+) minutes/, words(pairingAgeS / 60)],
  ['docs/troubleshooting.md', /(\w+) wrong ones came from this address within a minute/, 'Five'],
  ['docs/connect.md', /Chrome and Edge from (\d+)/, browser('chrome')],
  ['docs/connect.md', /Safari from ([\d.]+)/, browser('safari')],
  ['docs/connect.md', /Firefox from (\d+)/, browser('firefox')],
  ['docs/nas.md', /about (\d+) MB of memory/, Math.ceil(idleMiB * 1.1 / 50) * 50],
  ['docs/nas.md', /kept for (\d+) days/, config.journal.days],
  ['docs/nas.md', /made every (\d+) hours/, config.backup.everyHours],
  ['docs/reverse-proxy.md', /client_max_body_size (\d+)m/, config.maxUploadBytes / mebibyte + 1],
  ['docs/reverse-proxy.md', /an upload of (\d+) MB/, config.maxUploadBytes / mebibyte],
  ['docs/operations.md', /makes a backup every (\d+) hours/, config.backup.everyHours],
  ['docs/operations.md', /every \d+ hours and keeps (\w+)/, words(config.backup.keep)],
  ['docs/operations.md', /Frames of ended turns are kept for replay for (\d+) days/, config.journal.days],
  ['docs/operations.md', /stay in its `\.agent-trash` for (\d+) days/, constantOf('services/workspace/files/trash-purge.ts', 'keptForS') / day],
  ['docs/operations.md', /At most (\d+) checkpoints per workspace/, usualLimits.checkpoints],
  ['docs/operations.md', /checkpoints per workspace and (\d+) GiB/, usualLimits.storedBytes / 1_024 / mebibyte],
  ['docs/operations.md', /`text_limit_reached`, `reasoning_limit_reached` \| ([\d,]+) characters/, answerLimits.textChars.toLocaleString('en')],
  ['docs/operations.md', /`arguments_limit_reached` \| ([\d,]+) characters/, answerLimits.argumentChars.toLocaleString('en')],
  ['docs/operations.md', /`tool_calls_limit_reached` \| (\d+) calls/, answerLimits.toolCalls],
  ['docs/operations.md', /`parts_limit_reached` \| ([\d,]+) parts/, answerLimits.parts.toLocaleString('en')],
  ['docs/operations.md', /`turn_limit_reached` \| ([\d,]+) characters/, answerLimits.turnChars.toLocaleString('en')],
  ['docs/operations.md', /`response_limit_reached` \| one event of (\d+) MiB/, responseLimits.eventBytes / mebibyte],
  ['docs/operations.md', /a streamed one of (\d+) MiB/, responseLimits.streamBytes / mebibyte],
  ['docs/operations.md', /At most (\d+) KiB of an error/, responseLimits.errorBytes / 1_024],
  ['docs/operations.md', /stop it within (\d+) s/, constantOf('server.ts', 'stopLimitMs') / 1_000],
  ['docs/operations.md', /at most half a million characters of a turn/, Math.round(flow.windowChars / 500_000) === 1 ? 'at most half a million characters of a turn' : flow.windowChars],
  ['docs/configuration.md', /keeps the last (\d+) versions of each/, constantOf('services/areas/memory/rows.ts', 'keptVersions')],
  ['docs/configuration.md', /stays in `profiles\/\.deleted\/` for (\d+) days/, constantOf('services/areas/profiles/homes.ts', 'deletedKeptMs') / 1_000 / day]
]

t.test('figures of the documents are those of the code', (t) => {
  for (const [path, says, is] of figures) {
    const found = says.exec(readFileSync(path, 'utf8').replaceAll(/\s+/g, ' '))
    t.equal(found?.[1] ?? found?.[0], String(is), `${path}: ${says.source}`)
  }
})
