import t from '#test'
import { createStreamMask, knownSecrets, mask, redact } from '../../../services/ground/redaction/index.js'

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

t.test('a key that begins right behind a secret, or ends right in front of one, is masked while it is told as well', (t) => {
  const key = 'AKIAIOSFODNN7EXAMPLQ'
  for (const text of [`${own}sk-proj-Ab3dEf6hIj9lMn2pQr5tUv8xYz`, `${key}${own}`]) {
    const stream = createStreamMask()
    const shown = [...[...text].map((character) => stream.push(character)), stream.end()].join('')
    t.equal(shown, `${mask}${mask}`)
    t.equal(shown, redact(text))
  }
})
