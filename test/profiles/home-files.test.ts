import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from '#test'
import { ConfigEdit, editConfigFile } from '../../services/ground/home/config-edit.js'
import { parseDotenv, withVariable } from '../../services/ground/home/dotenv.js'
import { setEnvVariable } from '../../services/ground/home/env-file.js'
import { longestHomeFile } from '../../services/ground/home/home-file.js'
import { homeFiles, readProfileSettings } from '../../services/ground/home/settings.js'
import { parseYaml } from '../../services/ground/home/yaml.js'
import { anyCharacter } from '../support/any-character.js'
import { tries } from '../support/tries.js'

const newHome = (): string => mkdtempSync(join(tmpdir(), 'home-files-'))

async function edited (text: string | null, change: (config: ConfigEdit) => void): Promise<string> {
  const path = homeFiles.config(newHome())
  if (text !== null) writeFileSync(path, text)
  await editConfigFile(path, change)
  return readFileSync(path, 'utf8')
}

t.test('what a kill has left of a write goes with the next one, and nothing else', async (t) => {
  const home = newHome()
  const path = homeFiles.env(home)
  const old = ['..env.0123456789ab.tmp', '..env.notes.tmp', '.config.yaml.0123456789ab.tmp', 'x..env.0123456789ab.tmp']
  for (const name of [...old, '..env.ba9876543210.tmp']) writeFileSync(join(home, name), 'OPENAI_API_KEY=gone\n')
  for (const name of old) utimesSync(join(home, name), 1e9, 1e9)
  await setEnvVariable(path, 'OPENAI_API_KEY', 'new')
  t.notOk(existsSync(join(home, old[0]!)), 'of an earlier process')
  for (const name of [...old.slice(1), '..env.ba9876543210.tmp']) t.ok(existsSync(join(home, name)), name)
})

t.test('a value of config.yaml is written as its owner would have done', async (t) => {
  const text = `# mine
model: {default: "old",  provider: openai}   # short form

agent:
    reasoning_effort: low # enough
    personalities:
        pirate: 'Arr'
list: [a,b]
`
  t.equal(await edited(text, (config) => {
    config.set(['agent', 'reasoning_effort'], 'high')
    config.set(['max_tokens'], 4000)
  }), text.replace('low # enough', 'high # enough') + 'max_tokens: 4000\n')
  t.equal(await edited('', (config) => config.set(['a', 'b', 'c'], [1, { d: 'x: y' }])), 'a:\n  b:\n    c:\n      - 1\n      - d: "x: y"\n')
  t.equal(await edited('model: # to be chosen\nx: 1\n', (config) => config.set(['model', 'default'], 'm')), 'model:\n  # to be chosen\n  default: m\nx: 1\n')
  t.equal(await edited('a:\n- x\nb: 1\n', (config) => config.addToList(['a'], ['y'])), 'a:\n- x\n- y\nb: 1\n')
})

t.test('what is taken away goes with the mappings that held nothing else', async (t) => {
  const text = '# head\nmodel:\n  default: m\n  aliases:\n    fast: m2\n# tail\nx: 1\n'
  t.equal(await edited(text, (config) => config.delete(['model', 'aliases', 'fast'])), '# head\nmodel:\n  default: m\n# tail\nx: 1\n')
  t.equal(await edited('a:\n  b: 1\n', (config) => config.delete(['a', 'b'])), '{}\n')
  t.equal(await edited(text, (config) => config.delete(['model', 'nothing', 'here'])), text)
  t.equal(await edited('custom_providers:\n  - name: x\n    api_key: k # secret\n  - name: y\n', (config) => config.delete(['custom_providers', 0, 'api_key'])), 'custom_providers:\n  - name: x\n  - name: y\n')
})

t.test('anchors, aliases and merges stay, and only the place that is meant changes', async (t) => {
  const text = 'base: &base\n  model: m\n  timeout: 5\nvision: *base\ncompression:\n  <<: *base\n  own: 1\n'
  const vision = await edited(text, (config) => config.set(['vision', 'model'], 'v'))
  t.same(new ConfigEdit(vision).get(['vision']), { model: 'v', timeout: 5 })
  t.same(new ConfigEdit(vision).get(['base']), { model: 'm', timeout: 5 })
  t.match(vision, 'base: &base\n')
  const merged = await edited(text, (config) => {
    config.set(['compression', 'model'], 'c')
    config.delete(['compression', 'timeout'])
  })
  t.same(new ConfigEdit(merged).get(['compression']), { model: 'c', timeout: null, own: 1 })
  t.match(merged, '  <<: *base\n')
  t.same(new ConfigEdit(merged).get(['base']), { model: 'm', timeout: 5 })
  const scalar = await edited('a: &k secret\nb: *k\n', (config) => config.set(['a'], 'other'))
  t.same(new ConfigEdit(await edited('a: &k one\nb: *k\n', (config) => config.set(['b'], 'two'))).get(['a']), 'one')
  t.match(scalar, 'b: ', 'an alias never loses its anchor silently')
})

t.test('a config.yaml that is broken, or holds something else there, is left alone', async (t) => {
  const path = homeFiles.config(newHome())
  for (const text of ['a: [1\n', '- list\n', 'a: *nothing\n', 'a: 1\na: 2\n']) {
    writeFileSync(path, text)
    await t.rejects(editConfigFile(path, (config) => config.set(['x'], 1)), { name: 'Conflict', code: 'config_broken' }, text)
    t.equal(readFileSync(path, 'utf8'), text)
  }
  writeFileSync(path, 'model: gpt\n')
  await t.rejects(editConfigFile(path, (config) => config.set(['model', 'default'], 'm')), { name: 'Conflict', message: /"model"/ })
  await t.rejects(editConfigFile(path, () => { throw new Error('changed its mind') }), { message: 'changed its mind' })
  t.equal(readFileSync(path, 'utf8'), 'model: gpt\n')
})

t.test('changes made at the same time are all kept', async (t) => {
  const path = homeFiles.config(newHome())
  await Promise.all(Array.from({ length: 20 }, async (_, index) => await editConfigFile(path, (config) => config.set(['keys', `k${index}`], index))))
  t.equal(Object.keys(new ConfigEdit(readFileSync(path, 'utf8')).get(['keys']) as object).length, 20)
})

t.test('a change of an editor between reading and writing is kept', async (t) => {
  const path = homeFiles.config(newHome())
  writeFileSync(path, 'a: 1\n')
  let times = 0
  await editConfigFile(path, (config) => {
    if (times++ === 0) writeFileSync(path, 'a: 1\nby_hand: true\n')
    config.set(['b'], 2)
  })
  t.equal(readFileSync(path, 'utf8'), 'a: 1\nby_hand: true\nb: 2\n')
})

t.test('settings: a broken file keeps what was well, also for who starts meanwhile', async (t) => {
  const home = newHome()
  const path = homeFiles.config(home)
  const env = {}
  writeFileSync(path, 'model:\n  default: good\n')
  t.same(readProfileSettings(home, env).config, { model: { default: 'good' } })
  writeFileSync(path, 'model: [broken\n')
  const broken = readProfileSettings(home, env)
  t.same(broken.config, { model: { default: 'good' } })
  t.match(broken.configError, /^config\.yaml does not parse at line 2, column 1: .*a bracket is not closed\.$/)
  t.same(readProfileSettings(home, {}).config, {}, 'another process has nothing to go by')
  execFileSync('mkdir', [join(home, 'webui_state')])
  writeFileSync(homeFiles.lastGoodConfig(home), 'model:\n  default: kept\n')
  t.same(readProfileSettings(home, {}).config, { model: { default: 'kept' } })
})

t.test('settings: hostile files are told of, and tell nothing', async (t) => {
  const problemOf = (text: string): string => {
    const home = newHome()
    writeFileSync(homeFiles.config(home), text)
    return readProfileSettings(home, {}).configError ?? ''
  }
  const bomb = ['a: &a [l,l,l,l,l,l,l,l]', ...'bcdefgh'.split('').map((name, index) => `${name}: &${name} [${Array(8).fill(`*${'abcdefg'[index]}`).join(',')}]`)].join('\n')
  t.match(problemOf(bomb), /too many aliases/)
  t.match(problemOf('['.repeat(100_000)), /does not parse/)
  t.match(problemOf('x: 1\n' + '#'.repeat(longestHomeFile)), /longer than/)
  t.match(problemOf('api_key: *sk-secret-1234567890\n'), /alias/)
  for (const [text, said] of [
    ['model:\n\tdefault: x\n', ' at line 2, column 1: a tab indents the line; use spaces.'],
    ['a: 1\nb: 2\na: 3\n', ' at line 3, column 1: this key is already there; remove one of the two.'],
    ['timezone:UTC\nmodel: {}\n', ' at line 1, column 1: a key has no ": " after it, which is a colon and a space.'],
    ['a: "x\n', ' at line 2, column 1: something is missing before this place, such as a colon, a quote or a closing bracket.'],
    ['a: @x\n', ' at line 1, column 4: a value that begins with this character needs quotes.'],
    ['<<: 5\n', ': "<<" merges something that is not a mapping.']
  ] as const) t.equal(problemOf(text), `config.yaml does not parse${said}`)
  t.equal(problemOf('a\0: 1\0\n'), 'config.yaml is not text in UTF-8.', 'what some editors save as Unicode has two bytes for each character')
  t.notMatch(problemOf('api_key: sk-secret-1234567890: x: y\n'), /secret/)
  t.equal(problemOf('a: !!js/function "x"\n'), '')
  const pipe = newHome()
  execFileSync('mkfifo', [homeFiles.config(pipe)])
  execFileSync('mkfifo', [homeFiles.env(pipe)])
  t.match(readProfileSettings(pipe, {}).configError, /is not a file/, 'a pipe holds nobody up')
  await t.rejects(setEnvVariable(homeFiles.env(pipe), 'A', 'b'), { name: 'Conflict' })
  const circle = newHome()
  symlinkSync('config.yaml', homeFiles.config(circle))
  symlinkSync('.env', homeFiles.env(circle))
  t.match(readProfileSettings(circle, {}).configError, /cannot be read/, 'a link to itself')
})

t.test('long files take no longer than they have to', async (t) => {
  const keys = Array.from({ length: 30_000 }, (_, index) => `k${index}: 1`)
  t.equal(Object.keys(parseYaml(keys.join('\n')) as object).length, keys.length)
  t.same(parseDotenv(`A=x${' '.repeat(500_000)}y # z\nB=#1\nC=a#b #c`), { A: `x${' '.repeat(500_000)}y`, B: '', C: 'a#b' })
  t.throws(() => parseYaml('a: 1\nb:\n  c: 1\n  c: 2\n'), { code: 'DUPLICATE_KEY', linePos: [{ line: 4, col: 3 }] })
  t.same(parseYaml('a: &a {x: 1}\nb: &b {y: 2}\nc:\n  <<: *a\n  <<: *b\n'), { a: { x: 1 }, b: { y: 2 }, c: { x: 1, y: 2 } })
})

t.test('.env: one variable changes, every other line stays', async (t) => {
  const text = '# keys\nexport A_KEY="old" # mine\n\nB=\'two\nlines\'\nA_KEY=older\nnot a line\nC=x'
  t.equal(withVariable(text, 'A_KEY', 'sk-new'), '# keys\n\nB=\'two\nlines\'\nA_KEY=sk-new\nnot a line\nC=x')
  t.equal(withVariable(text, 'C', null), '# keys\nexport A_KEY="old" # mine\n\nB=\'two\nlines\'\nA_KEY=older\nnot a line\n')
  t.equal(withVariable(text, 'D', 'has space'), `${text}\nD='has space'\n`)
  t.equal(withVariable(text, 'D', null), text)
  t.equal(withVariable('', 'D', 'x'), 'D=x\n')

  fc.assert(fc.property(fc.string({ unit: anyCharacter }).filter((value) => !value.includes('\0')), fc.array(fc.constantFrom('A=1', 'export B="x', 'y"', '# c', 'KEY=old', '', 'C=\'q\'', 'KEY="o\nld"')), (value, lines) => {
    const before = lines.join('\n')
    let after: string
    try {
      after = withVariable(before, 'KEY', value)
    } catch (error) {
      return (error as Error).name === 'Conflict' && before.includes('"x')
    }
    const expected = { ...parseDotenv(before), KEY: value }
    return isDeepStrictEqual(new Map(Object.entries(parseDotenv(after)).sort()), new Map(Object.entries(expected).sort()))
  }), { numRuns: tries(300) })
})

t.test('.env: for its owner alone, through links, and kept whole', async (t) => {
  const home = newHome()
  const path = homeFiles.env(home)
  writeFileSync(join(home, 'real'), 'A=1\n', { mode: 0o644 })
  symlinkSync(join(home, 'real'), path)
  await Promise.all([setEnvVariable(path, 'B', '2'), setEnvVariable(path, 'C', '3')])
  t.same(parseDotenv(readFileSync(join(home, 'real'), 'utf8')), { A: '1', B: '2', C: '3' })
  t.equal(statSync(path).mode & 0o777, 0o600)
  await setEnvVariable(path, 'A', null)
  t.equal(readFileSync(path, 'utf8'), 'B=2\nC=3\n')
})
