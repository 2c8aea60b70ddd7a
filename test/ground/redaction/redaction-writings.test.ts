import t from '#test'
import { knownSecrets, mask, redact, redactGently, StreamMask } from '../../../services/ground/redaction/index.js'

const own = 'plum "tree" >over9hills'
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const each = (as: (code: number) => string): string => [...own].map((character) => as(character.charCodeAt(0))).join('')
const hex = (code: number, digits = 2): string => code.toString(16).padStart(digits, '0')
knownSecrets.keep([own])

t.test('a secret of the service is known in a writing within another, and where every character is a number', (t) => {
  const written = {
    'base64 in base64': base64(base64(`ada:${own}`)), 'JSON in base64': base64(JSON.stringify({ password: own })), 'an address in an address': encodeURIComponent(encodeURIComponent(own)),
    bytes: each((code) => `%${hex(code)}`), 'code units': each((code) => `\\u${hex(code, 4)}`), Python: each((code) => `\\x${hex(code)}`), octal: each((code) => `\\${code.toString(8).padStart(3, '0')}`),
    HTML: each((code) => `&#${code};`), 'wrapped at a blank': own.replace(' ', '\n  '), 'wrapped in front of a sign of quotes': own.replace('>', '\r\n  >'),
    'two texts of JSON': JSON.stringify(`"${own.slice(0, 6)}" + "${own.slice(6)}"`)
  }
  for (const [what, text] of Object.entries(written)) {
    t.match(redact(`It is ${text}.`), mask, what)
    t.notMatch(redact(`It is ${text}.`), /over9|%6f%76|6f76|\\157|&#111;/, what)
  }
})

t.test('a secret of several lines is known in JSON of any depth, and parted within a line', (t) => {
  const value = '-----BEGIN X-----\nKx7aB3cD4eF9gH2jK5mN8pQ1rS6tU0vW\nLw2xY5zA8bC1dE4fG7hJ0kM3nP6qR9sT\n-----END X-----'
  knownSecrets.keep([value])
  const deep = JSON.stringify(JSON.stringify(JSON.stringify(value)))
  t.notMatch(redact(deep), /Kx7a|Lw2x/)
  t.notMatch(redact(deep.replace('Kx7a', 'K\\" + \\"x7a')), /x7aB|Lw2x/)
})

t.test('a key that begins right behind a secret, or ends right in front of one, is masked while it is told as well', (t) => {
  const key = 'AKIAIOSFODNN7EXAMPLQ'
  for (const text of [`${own}sk-proj-Ab3dEf6hIj9lMn2pQr5tUv8xYz`, `${key}${own}`, `${own}${key}${own}`]) {
    const stream = new StreamMask()
    const shown = [...[...text].map((character) => stream.push(character)), stream.end()].join('')
    t.match(shown, /^(?:\[redacted\]){2,3}$/)
    t.equal(shown, redact(text))
  }
})

t.test('a key between two secrets is masked while it is told, however much of what stands before is forgotten', (t) => {
  const [value, other] = [`-----${'plum jam and toast '.repeat(4)}-----`, 'wooden-lantern-Qz71']
  knownSecrets.keep([value, other])
  const units = [...value].map((character) => `\\u${hex(character.charCodeAt(0), 4)}`).join('')
  for (let chars = 0; chars < 600; chars += 25) {
    const text = `${'a '.repeat(chars)}${units}sk-proj-Ab3dEf6hIj9lMn2pQr5tUv8xYz${other}`
    const stream = new StreamMask({ isComplete: true })
    const shown = [...[...text].map((character) => stream.push(character)), stream.end()].join('')
    t.equal(shown, redact(text))
  }
})

t.test('marks among the first characters are found as programs write them', (t) => {
  const value = `it's<b&"q"-lantern-${'Qz71'}`
  knownSecrets.keep([value])
  const html = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  for (const written of [
    JSON.stringify(value).slice(1, -1).replace(/[&<>]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`), html.replaceAll("'", '&#39;'), html.replaceAll("'", '&#x27;'), html.replaceAll('"', '&#34;')
  ]) t.equal(redact(`a ${written} b`), 'a [redacted] b', written)
})

t.test('a long text is masked in pieces as it is as a whole, wherever a piece ends and however a secret is written', async (t) => {
  const value = 'wooden-lantern-Qz72-long-enough'
  knownSecrets.keep([value])
  for (const written of [value, base64(value), base64(base64(value)), encodeURIComponent(encodeURIComponent(`${value}/x`)), base64(JSON.stringify({ a: value }))]) {
    for (let before = 4_096 - written.length; before <= 4_096; before += 3) {
      const text = `${'x '.repeat(2_048).slice(0, before - 1)} ${written} ${'x '.repeat(3_000)}`
      const whole = redact(text)
      t.match(whole, /\[redacted\]/)
      if (await redactGently(text) !== whole) return t.fail(`${written} at ${before}`)
    }
  }
})

t.test('a blank that is written as a number is no blank that a wrapped line has lost', (t) => {
  const value = 'p@ss w0rd"of/mine<&>\'é'
  knownSecrets.keep([value])
  const bytes = (text: string): string => [...Buffer.from(text)].map((byte) => `%${hex(byte)}`).join('')
  for (const between of ['" + "', '\r\n  ', '\\r\\n  ']) t.equal(redact(`a ${bytes('p@ss')}${between}${bytes(value.slice(4))} b`), 'a [redacted] b', between)
  t.equal(redact(`a ${value.slice(0, 9)}" + "${value.slice(9)} b`), 'a [redacted] b', 'parted in front of a quotation mark of its own')
})
