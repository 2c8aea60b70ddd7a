import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from '../../test/support/harness.js'
import { en } from '../src/words/en/index.js'
import { formatter } from '../src/words/formatter.js'
import * as screens from '../src/words/en/screens.js'
import { loadScreenWords, screenWords, speak } from '../src/words/index.js'
import { languageCodes, languageOf, languages } from '../src/words/languages.js'
import { textNamed } from '../src/words/text-named.js'

/** A text, what makes one, or a group of them. */
type Leaf = readonly [path: string, english: unknown, other: unknown]

/** Every text of English with that of another language. */
function leaves (english: unknown, other: unknown, path = ''): Leaf[] {
  if (typeof english !== 'object' || english === null) return [[path, english, other]]
  return Object.entries(english).flatMap(([key, value]) =>
    leaves(value, typeof other === 'object' && other !== null ? Reflect.get(other, key) : undefined, `${path}.${key}`))
}

/** Reasons have a test of their own. Codes of errors have a text only where the service's own sentence is not shown, and commands where its own description is not. */
const ownSet = /^\.(?:errors|reasons|commands\.about)\./
/** What a program reads, what is put together from parts that are drawn, and what says in words what it is given as a code or a number. */
const notRead = /\.(?:locale|exampleMessage|say|inFolder|deletes|openPage|summary|badge)$/

const samples: ReadonlyArray<readonly unknown[]> = [
  ['Alpha', 'Beta', 'Gamma'], ['Alpha', 3, 7], [3, 'Alpha', 'Beta'], [1, 2, 'Alpha'], [['Alpha', 'Beta', 'Gamma', 'Delta'], 2]
]

/** What functions say of the samples that they take, in both languages. */
function said (english: unknown, other: unknown): Array<[string, string]> {
  if (typeof english !== 'function' || typeof other !== 'function') return []
  return samples.flatMap((sample): Array<[string, string]> => {
    try {
      const [one, two]: unknown[] = [Reflect.apply(english, null, sample), Reflect.apply(other, null, sample)]
      return typeof one === 'string' && typeof two === 'string' && !/undefined|NaN/.test(one) ? [[one, two]] : []
    } catch {
      return []
    }
  })
}

for (const code of languageCodes.filter((code) => code !== 'en')) {
  t.test(`nothing is missing in ${languages[code].name}, and what a text names is named`, async (t) => {
    const [starting, later] = await Promise.all([languages[code].start(), languages[code].screens()])
    const all = leaves({ ...en, ...screens }, { ...starting, ...later }).filter(([path]) => !ownSet.test(path) && !notRead.test(path))
    for (const [path, english, other] of all) {
      t.equal(typeof other, typeof english, path)
      if (typeof english === 'string') t.equal(String(other).trim() === '', english.trim() === '', path)
      for (const [one, two] of said(english, other)) {
        for (const name of ['Alpha', 'Beta', 'Gamma']) if (one.includes(name)) t.ok(two.includes(name), `${path} names ${name}: ${two}`)
        t.notMatch(two, /undefined|NaN|\[object/, path)
      }
    }
    const texts = all.filter(([, english]) => typeof english === 'string' && /[a-z]{3,} [a-z]{3,}/i.test(english) && english !== 'OpenID Connect')
    const untranslated = texts.filter(([, english, other]) => english === other).map(([path]) => path)
    t.same(untranslated, [], 'sentences that are still English')
  })
}

t.test('money is written alike everywhere, as each language writes it', async (t) => {
  for (const [code, amount, small, price] of [['en', '$1.50', '< $0.01', '$0.075'], ['de', '1,50 $', '< 0,01 $', '0,075 $'], ['zh', '$1.50', '< $0.01', '$0.075']] as const) {
    const [{ bar, composer }, { prompts, tasks, attempts, settings, models }] = await Promise.all([languages[code].start(), languages[code].screens()])
    const plain = (text: string): string => text.replaceAll(/[\u00a0\u202f]/g, ' ')
    for (const said of [bar.usd(1.5), composer.cost(1.5), prompts.budget.usd(1.5), tasks.used(1, 1.5), attempts.cost(1.5)]) t.equal(plain(said), amount)
    for (const said of [composer.used(12, 1.5), tasks.cost(1.5, 1.5), settings.usedToday(1, 1.5)]) t.ok(plain(said).includes(amount), said)
    t.equal(plain(composer.cost(0.001)), small)
    t.same([plain(models.facts.amount(0.075)), plain(models.facts.amount(10))], [price, amount.replace(/1[.,]50/, '10')])
  }
})

t.test('the skills that come with the service are described in each language', async (t) => {
  const files = readdirSync('skills', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('SKILL.md'))
  const first = files.map((name) => /^description: (.*?) Use when /m.exec(readFileSync(join('skills', name), 'utf8'))?.[1])
  for (const code of languageCodes.filter((code) => code !== 'en')) {
    t.same(Object.keys((await languages[code].screens()).skills.shipped).toSorted(), first.toSorted(), languages[code].name)
  }
})

t.test('a name that a person chose is no text of the app, whatever it is', (t) => {
  t.same(['Info', 'mine', 'constructor', '__proto__'].map((name) => textNamed({ Info: 'Auskunft' }, name)), ['Auskunft', 'mine', 'constructor', '__proto__'])
})

t.test('a language is found by its tag', async (t) => {
  const table: ReadonlyArray<readonly [string | null, string | null]> = [
    ['de-AT', 'de'], ['DE', 'de'], ['zh-Hant-TW', 'zh'], ['en', 'en'], ['xx', null], ['', null], [null, null], ['constructor', null]
  ]
  for (const [tag, code] of table) t.equal(languageOf(tag), code, String(tag))
})

t.test('words of screens that are loaded while the language changes are those of the new one', async (t) => {
  const { document, localStorage } = globalThis
  Object.assign(globalThis, { document: { documentElement: {} }, localStorage: { getItem: () => null, setItem: () => {}, removeItem: () => {} } })
  t.teardown(() => Object.assign(globalThis, { document, localStorage }))
  const loading = loadScreenWords()
  await speak('zh')
  t.teardown(async () => await speak('en'))
  await loading
  t.equal(screenWords.value.memory.tidy, (await languages.zh.screens()).memory.tidy)
})

t.test('a part that is loaded without the texts of screens uses none of them', async (t) => {
  const source = 'web/src'
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name))
  let brief = 0
  for (const name of files) {
    const lazies = readFileSync(join(source, name), 'utf8').matchAll(/ = lazy\(async \(\) => \(await import\('([./\w-]+)\.js'\)\)\.\w+, \{([^]*?)\}\)\n/g)
    for (const [, path = '', options = ''] of lazies) {
      if (!options.includes('isBrief: true')) continue
      brief++
      const text = readFileSync(`${join(source, dirname(name), path)}.tsx`, 'utf8')
      t.notOk(/\bscreenWords\b/.test(text), `${path} in ${name}`)
    }
  }
  t.ok(brief > 10, 'they were found')
})

t.test('a formatter of numbers or dates is made at its first use, not while the texts are loaded', async (t) => {
  let made = 0
  const number = formatter(() => {
    made++
    return new Intl.NumberFormat('en')
  })
  t.equal(made, 0)
  t.same([number.format(1_234), number.format(5)], ['1,234', '5'])
  t.equal(made, 1)
  const folder = 'web/src/words'
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))) {
    t.notMatch(readFileSync(join(folder, name), 'utf8'), /^(?:export )?const \w+ = new Intl\./m, name)
  }
})
