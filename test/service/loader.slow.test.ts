import t, { type Test } from '#test'
import { execFileSync } from 'node:child_process'
import { copyFileSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtFolder } from '../support/built.js'

const builtLoader = join(builtFolder(), 'loader.js')

/** Creates a build of two files, which runs in its own process and prints what the first one makes of the second. */
function build (t: Test) {
  const root = t.testdir({
    chunks: {
      'one.js': 'const { word } = require("./two.js"); exports.text = () => "one " + word(); console.log(exports.text())',
      'two.js': 'exports.word = () => "two"'
    },
    'package.json': '{"type":"commonjs"}',
    'main.js': 'require("./loader.js").load("chunks/one.js")'
  })
  copyFileSync(builtLoader, join(root, 'loader.js'))
  const kept = (): string[] => readdirSync(join(root, '.compiled')).flatMap((folder) => readdirSync(join(root, '.compiled', folder)).map((name) => join(root, '.compiled', folder, name)))
  return {
    root,
    run: (...options: string[]): string => execFileSync(process.execPath, [...options, join(root, 'main.js')], { encoding: 'utf8', env: {}, stdio: ['ignore', 'pipe', 'inherit'] }).trim(),
    kept,
    keptOf: (name: string): string => kept().find((file) => file.includes(name))!
  }
}

t.test('what was compiled is kept once and used again', async (t) => {
  const { run, kept } = build(t)
  t.equal(run(), 'one two')
  const files = kept()
  t.match(files.map((file) => file.split('/').at(-1)).sort(), ['one.js.bin', 'probe.bin', 'two.js.bin'])
  const before = files.map((file) => statSync(file).mtimeMs)
  t.equal(run(), 'one two')
  t.same(kept().map((file) => statSync(file).mtimeMs), before, 'nothing was written again')
})

t.test('an imported file comes after what it requires, and other work goes on in between', async (t) => {
  const { root, run } = build(t)
  const write = (name: string, text: string): void => { writeFileSync(join(root, 'chunks', name), text) }
  write('one.js', `globalThis.said = []
    setImmediate(() => said.push("other work"))
    void importFile("./four.js").then(async (four) => console.log(...said, four === await importFile("./four.js") && four.word))`)
  write('two.js', 'const until = performance.now() + 30; while (performance.now() < until); said.push("two")')
  write('three.js', 'require("./two.js"); said.push("three")')
  write('four.js', 'require("./three.js"); require("./two.js"); said.push("four"); exports.word = "once"')
  write('required.json', JSON.stringify({ 'four.js': ['three.js', 'two.js'], 'three.js': ['two.js'] }))
  t.equal(run(), 'two other work three four once')
})

t.test('a start that takes long keeps nothing before it is over', { long: true }, async (t) => {
  const { root, run, keptOf } = build(t)
  writeFileSync(join(root, 'chunks/one.js'), `const { existsSync } = require("node:fs")
    require("./two.js")
    const until = performance.now() + 3_000
    const work = () => {
      const sliceEnds = performance.now() + 20
      while (performance.now() < sliceEnds);
      if (performance.now() < until) setImmediate(work)
      else console.log(existsSync(${JSON.stringify(join(root, '.compiled'))}))
    }
    setImmediate(work)`)
  t.equal(run(), 'false')
  t.ok(keptOf('two'), 'kept at the end')
})

t.test('a changed file is never run as what it was, even with the same length', async (t) => {
  const { root, run } = build(t)
  run()
  writeFileSync(join(root, 'chunks/two.js'), 'exports.word = () => "six"')
  t.equal(run(), 'one six')
  t.equal(run(), 'one six')
})

t.test('what is damaged, cut short, empty or of another file is compiled anew, and mended', async (t) => {
  const { run, keptOf } = build(t)
  run()
  const whole = readFileSync(keptOf('two'))
  const flipped = Buffer.from(whole)
  flipped[whole.length - 5]! ^= 0xff
  for (const [how, damage] of Object.entries({
    flipped: () => writeFileSync(keptOf('two'), flipped),
    'cut short': () => truncateSync(keptOf('two'), whole.length - 1),
    empty: () => writeFileSync(keptOf('two'), ''),
    'of another file': () => copyFileSync(keptOf('one'), keptOf('two')),
    'without a probe': () => rmSync(keptOf('probe'))
  })) {
    damage()
    t.equal(run(), 'one two', how)
    t.notSame(readFileSync(keptOf('two')), flipped)
    t.equal(readFileSync(keptOf('two')).readUInt32LE(0), whole.readUInt32LE(0), `${how}: kept again`)
  }
})

t.test('nothing that lies in the place of what was kept holds up a start, or is followed', { long: true }, async (t) => {
  const { root, run, keptOf } = build(t)
  run()
  const [two, probe] = [keptOf('two'), keptOf('probe')]
  for (const file of [two, probe]) {
    for (const [what, put] of Object.entries({
      'a pipe': () => execFileSync('mkfifo', [file]),
      'a folder': () => mkdirSync(join(file, 'with', 'more'), { recursive: true }),
      'a link to a device': () => symlinkSync('/dev/zero', file),
      'a link to nothing': () => symlinkSync('nowhere', file),
      'a link to itself': () => symlinkSync(file, file),
      'a file without end': () => { writeFileSync(file, ''); truncateSync(file, 50 * 1024 ** 3) }
    })) {
      rmSync(file, { recursive: true, force: true })
      put()
      t.equal(run(), 'one two', what)
      if (file === two) t.ok(lstatSync(file).isFile() && lstatSync(file).size < 1_000_000, `${what}: mended`)
    }
  }
  rmSync(join(root, '.compiled'), { recursive: true })
  execFileSync('mkfifo', [join(root, '.compiled')])
  t.equal(run(), 'one two', 'a pipe in the place of all')
})

t.test('a flipped bit is noticed, wherever it is', { long: true }, async (t) => {
  const { run, keptOf } = build(t)
  run()
  const file = keptOf('two')
  const whole = readFileSync(file)
  const bits = Array.from({ length: 16 }, (_, at) => at < 12 ? at * 8 : Math.floor((whole.length * 8 - 1) * (at - 11) / 4))
  for (const bit of bits) {
    const flipped = Buffer.from(whole)
    flipped[bit >> 3]! ^= 1 << (bit & 7)
    writeFileSync(file, flipped)
    t.equal(run(), 'one two', `bit ${bit}`)
    t.notSame(readFileSync(file), flipped, `bit ${bit}: compiled anew`)
  }
})

t.test('other options of the engine have what is their own, and only a few have', { long: true }, async (t) => {
  const { root, run } = build(t)
  for (const stackSize of Array.from({ length: 10 }, (_, index) => 800 + index)) t.equal(run(`--stack-size=${stackSize}`), 'one two')
  t.ok(readdirSync(join(root, '.compiled')).length <= 6)
})

t.test('it runs where nothing can be kept', async (t) => {
  const { root, run } = build(t)
  writeFileSync(join(root, '.compiled'), 'no folder')
  t.equal(run(), 'one two')
  t.equal(run(), 'one two')
})

t.test('several that start at once keep whole files', { long: true }, async (t) => {
  const { root, run } = build(t)
  mkdirSync(join(root, '.compiled'))
  const starts = "const { spawn } = require('node:child_process'); for (let i = 0; i < 4; i++) spawn(process.execPath, [process.argv[1]], { stdio: 'inherit' })"
  const out = execFileSync(process.execPath, ['-e', starts, join(root, 'main.js')], { encoding: 'utf8', env: {} })
  t.equal(out, 'one two\n'.repeat(4))
  t.equal(run(), 'one two')
})
