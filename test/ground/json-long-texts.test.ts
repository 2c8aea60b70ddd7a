import fc from 'fast-check'
import t from '#test'
import { withoutLongTexts } from '../../services/ground/text/json-long-texts.js'
import { anyCharacter } from '../support/any-character.js'

const pace = async (): Promise<void> => {}

/** Parses a document by way of its long texts; null if it has none. */
async function parsed (json: string | Buffer): Promise<unknown> {
  const short = await withoutLongTexts(Buffer.from(json), pace)
  return short === null ? null : short.whole(JSON.parse(short.json))
}

const escaped = (text: string): string => JSON.stringify(text).replaceAll(/[^\x20-\x7e]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)

t.test('a document whose long texts are parsed in pieces gives the same value', async (t) => {
  const long = fc.tuple(fc.string({ unit: anyCharacter, minLength: 1, maxLength: 9 }), fc.integer({ min: 66_000, max: 150_000 }))
    .map(([unit, chars]) => unit.repeat(Math.ceil(chars / unit.length)))
  const units = ['"', '\\', '\\"', '😀', 'a😀', 'ä', 'aä€', '\n', '\ud83d', 'u0041\\'].map((unit) => unit.repeat(70_000))
  const check = async (text: string): Promise<void> => {
    const value = { before: [1, 'x'], text, list: [text, { deep: `${text}!` }], short: 'ä😀', [text]: 'a name' }
    for (const json of [JSON.stringify(value), JSON.stringify(value, null, 1), escaped(text)]) t.strictSame(await parsed(json), JSON.parse(Buffer.from(json).toString()))
  }
  for (const text of units) await check(text)
  await fc.assert(fc.asyncProperty(long, check), { numRuns: 30 })
})

t.test('a document without long texts, or with a long name only, is left alone', async (t) => {
  for (const value of ['x', { a: 'b' }, { ['n'.repeat(100_000)]: 1 }, Array.from({ length: 100_000 }, () => 'x')]) {
    t.equal(await parsed(JSON.stringify(value)), null)
  }
})

t.test('what is no JSON stays none', async (t) => {
  const long = 'x'.repeat(100_000)
  for (const json of [`"${long}\n"`, `"${long}\\x"`, `"${long}`, `["${long}" "${long}"]`, `"${long}\\u12"`]) {
    await t.rejects(async () => (await parsed(json)) ?? JSON.parse(json), SyntaxError)
  }
})

t.test('the search for long texts pauses everywhere', async (t) => {
  const medium = 'x'.repeat(60_000)
  for (const json of [JSON.stringify(Array.from({ length: 50 }, () => medium)), `[${' '.repeat(3_000_000)}]`, '"",'.repeat(1_000_000), `["${'x'.repeat(70_000)}"${' '.repeat(3_000_000)}]`]) {
    let pauses = 0
    await withoutLongTexts(Buffer.from(json), async () => { pauses++ })
    t.ok(pauses >= 10, `${pauses} pauses`)
  }
})
