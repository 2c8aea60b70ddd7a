import fc from 'fast-check'
import assert from 'node:assert/strict'
import t from '#test'
import { mask, redact, redactGently, StreamMask } from '../../../services/ground/redaction/index.js'
import { longestHeld } from '../../../services/ground/redaction/stream.js'
import { secrets, whole } from '../../support/credentials.js'
import { hostile } from '../../support/hostile-texts.js'
import { tries } from '../../support/tries.js'

/** Returns the output for a text in pieces of these lengths, repeated. */
function told (text: string, lengths: readonly number[]): string {
  const stream = new StreamMask()
  const shown: string[] = []
  for (let at = 0, index = 0; at < text.length; index++) {
    const length = lengths[index % lengths.length] ?? 1
    shown.push(stream.push(text.slice(at, at + length)))
    at += length
  }
  return [...shown, stream.end()].join('')
}

/** Whether a masked text shows nothing that another hides: what is between its masks stands in the other, in the same order. */
function showsNoMore (shown: string, other: string): boolean {
  let at = 0
  return shown.split(mask).every((part) => {
    const found = other.indexOf(part, at)
    at = found + part.length
    return found !== -1
  })
}

const keyLines = (count: number): string => Array.from({ length: count }, (_, index) => `${`Pk${index}xQ7`.padEnd(64, 'aB3cD4eF9gH2jK5mN8pR')}\n`).join('')
const many = (unit: string): string => unit.repeat(Math.ceil(1.2 * longestHeld / unit.length))
/** Texts with a value that is too long to hold back, and what must not be shown of them. */
const long: Record<string, [text: string, secret: RegExp]> = {
  'cookies, and one more': [`Cookie: ${many('a=b; ')}sid=abcdef0123456789; more=x\nDone.`, /abcdef/],
  'a cookie, and one more': [`Cookie: a=${many('Ab3dEf6h')}; sid=abcdef0123456789\nDone.`, /Ab3dEf6h|abcdef/],
  'lines that follow names': [`${many('  password: |\n')}  hunter2 abc9x\n  second-line-9 xyzzy7\nDone: yes\n`, /hunter2|xyzzy7/],
  'lines of a key for PuTTY': [`Private-Lines: 60\n${many(`${'aB3cD4eF9g'.repeat(50)}\n`)}Done. `, /aB3cD/],
  'a key behind headers': [`-----BEGIN RSA PRIVATE KEY-----\n${many('Comment: one, two\n')}\n${keyLines(40)}-----END RSA PRIVATE KEY-----\nDone.`, /Pk\d/],
  'a key': [`-----BEGIN PRIVATE KEY-----\n${keyLines(600)}-----END PRIVATE KEY-----\nDone.`, /Pk\d/],
  'a word, and another name': [`token=${many('a1')}\npassword=hunter2abc9\nDone.`, /a1a1|hunter2/],
  'a word with marks without a width': [`token=${many('a1\u200b')}\nDone.`, /a1/]
}

t.test('a value that is too long to hold back is masked to its end, in pieces of any length', async (t) => {
  for (const [name, [text, secret]] of Object.entries(long)) {
    const stored = redact(text)
    t.notMatch(stored, secret, name)
    for (const shown of [await redactGently(text), told(text, [997]), told(text, [4_096]), told(text, [1_500, 40])]) {
      t.notMatch(shown, secret, `${name}: ${shown.slice(0, 80)}`)
      t.ok(showsNoMore(shown, stored), `${name}: ${shown.slice(0, 80)}`)
    }
  }
})

t.test('cookies and names in endless repetition are masked in pieces as the whole is', async (t) => {
  const [text] = long['cookies, and one more'] ?? ['']
  t.equal(await redactGently(text), redact(text))
  t.equal(told(text, [997]), redact(text))
  for (const made of [20_000, 100_000].flatMap((chars) => [hostile.cookies?.(chars) ?? '', hostile['text of lines']?.(chars) ?? ''])) {
    t.equal(await redactGently(made), redact(made))
  }
})

const planted = fc.constantFrom(...secrets.map(([, text]) => whole(text)))
const kinds = fc.tuple(fc.constantFrom(...Object.values(hostile)), fc.constantFrom(40, 600, 1.1 * longestHeld)).map(([make, chars]) => make(Math.ceil(chars)))
const beginnings = fc.constantFrom(...Object.values(long).map(([text]) => text.slice(0, 1.1 * longestHeld)), 'Cookie: ', '  password: |\n  ', 'token=')
const glue = fc.constantFrom(' ', '\n', '\n\n', '; ', ', ', '"', '', '\u200b', '\n  ', 'password: ')
const texts = fc.array(fc.oneof(planted, kinds, beginnings, glue), { minLength: 1, maxLength: 7 }).map((parts) => parts.join(''))
const lengths = fc.array(fc.integer({ min: 300, max: 5_000 }), { minLength: 1, maxLength: 4 })

t.test('in pieces no text shows what it hides as a whole, also behind values that are too long to hold back', async () => {
  fc.assert(fc.property(texts, lengths, (text, sizes) => {
    const [shown, stored] = [told(text, sizes), redact(text)]
    assert.ok(showsNoMore(shown, stored), `${shown.length} and ${stored.length} characters`)
  }), { numRuns: tries(600), seed: 2026 })
})
