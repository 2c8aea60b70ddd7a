import { mock } from 'node:test'
import t from '#test'
import { encodeAhead, jsonBytes } from '../../services/ground/text/json-ahead.js'

const long = (unit: string): string => unit.repeat(Math.ceil(100_000 / unit.length))

t.test('JSON with texts that were encoded ahead is the same', async (t) => {
  const texts = ['plain ', 'ä€', '😀', 'a😀', '"\\\n\u0000\u007f\u2028', '</script>'].map(long)
  await encodeAhead(texts)
  for (const [index, text] of texts.entries()) {
    const value = { role: 'user', content: text, parts: [{ text }, text, null, 1], [text]: 'a key', undone: undefined, short: 'ä' }
    const json = jsonBytes(value)
    t.ok(Buffer.isBuffer(json), `text ${index} was encoded ahead`)
    t.equal(json.toString(), JSON.stringify(value))
  }
})

t.test('a text that was not encoded ahead, or holds half a character, is encoded now', async (t) => {
  const [half, other] = [long('half \ud83d'), long('other ')]
  await encodeAhead([half, long('whole ')])
  for (const value of [{ half }, { other }, [long('whole '), '\udc00']]) t.equal(jsonBytes(value), JSON.stringify(value))
})

t.test('what was encoded ahead is bounded', async (t) => {
  const texts = Array.from({ length: 5 }, (_, index) => String(index).repeat(9_000_000))
  await encodeAhead(texts)
  const isKept = texts.map((text) => Buffer.isBuffer(jsonBytes([text])))
  t.strictSame(isKept, [false, false, false, false, true].map((_, index) => index >= 4))
})

t.test('the texts that lead to what was encoded are counted, too', async (t) => {
  const texts = Array.from({ length: 8 }, (_, index) => String(index).repeat(3_000_000))
  await encodeAhead(texts)
  const isKept = texts.map((text) => Buffer.isBuffer(jsonBytes([text])))
  t.equal(isKept.at(-1), true)
  t.ok(isKept.filter(Boolean).length <= 5)
})

t.test('each text is forgotten soon, even if others follow', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const [first, second] = [long('first '), long('second ')]
  await encodeAhead([first])
  mock.timers.tick(3_000)
  await encodeAhead([second])
  mock.timers.tick(3_000)
  t.strictSame([first, second].map((text) => Buffer.isBuffer(jsonBytes([text]))), [false, true])
})
