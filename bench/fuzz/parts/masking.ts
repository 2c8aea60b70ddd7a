import fc from 'fast-check'
import {
  cardPage, cardText, knownSecrets, mask, redact, redactDeepGently, redactPieces, StreamMask, type CardMask
} from '../../../services/ground/redaction/index.js'
import { visible } from '../../../services/ground/text/visible.js'
import { type Part } from './part.js'

/**
 * The service's own secrets, recognised by their value alone. One has characters that shells, addresses and markup escape;
 * one is a key of several lines.
 */
const own: readonly string[] = [
  'wooden-lantern-Qz71', 'p@ss w0rd"of/mine<&>\'é', 'correct horse battery', ['-----BEGIN X-----', 'Kx7aB3cD4eF9gH2jK5mN8pQ1rS6tU0vW', 'Lw2xY5zA8bC1dE4fG7hJ0kM3nP6qR9sT', '-----END X-----'].join('\n')
]
/** Texts that look like a key, wherever they are. */
const looks: readonly string[] = [
  'sk-proj-Ab3dEf6hIj9lMn2pQr5tUv8xYz', 'ghp_Ab3dEf6hIj9lMn2pQr5tUv8xYz012345', 'AKIAIOSFODNN7EXAMPLQ', 'xoxb-123456789012-AbCdEfGhIjKl', 'glpat-Ab3dEf6hIj9lMn2pQr5t', 'svct_Ab3dEf6hIj9l_Ab3dEf6hIj9lMn2pQr5tUv8xYz0123456789AbCd',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N'
]
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const percent = (text: string): string => [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
const units = (text: string, as: (code: number) => string): string => Array.from({ length: text.length }, (_, index) => as(text.charCodeAt(index))).join('')
const json = (text: string): string => JSON.stringify(text).slice(1, -1)

/** Ways in which a tool, a log or a protocol may write any text. */
const writings: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  JSON: json,
  'JSON in JSON': (text) => json(json(text)),
  'an address': encodeURIComponent,
  form: (text) => encodeURIComponent(text).replaceAll('%20', '+'),
  'small letters': (text) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
  'every byte': percent,
  'code units': (text) => units(text, (code) => `\\u${code.toString(16).padStart(4, '0')}`),
  HTML: (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  hex: (text) => Buffer.from(text).toString('hex'),
  base64,
  'base64 for addresses': (text) => Buffer.from(text).toString('base64url'),
  'base64 with a name': (text) => base64(`ada:${text}`),
  'base64 in JSON': (text) => base64(JSON.stringify({ user: 'ada', password: text })),
  'base64 of base64': (text) => base64(base64(text)),
  'an address in an address': (text) => encodeURIComponent(encodeURIComponent(text)),
  'single quotation marks': (text) => text.replaceAll("'", "'\\''")
}
/** Ways that do not write one character after the other. */
const whole: ReadonlySet<string> = new Set(['hex', 'base64', 'base64 for addresses', 'base64 with a name', 'base64 in JSON', 'base64 of base64'])
/** What may be between two characters of a secret: something invisible, or a line end. */
const between = fc.constantFrom('', '', '', '\u200b', '\u00ad', '\u001b[1m', '\u2060', '\n', '\r\n  ', '\\n', '" + "')
const around = fc.constantFrom('', ' ', '\n', '"', '=', ': ', '\0', '{"a":"', '](', '<b>', 'value ', '\t', '> ', '…', '你', '😀', '`', '$(', '- ', '#')
const secret = fc.constantFrom(...own)
const written = fc.constantFrom(...Object.keys(writings))

/** Whether a text contains eight consecutive characters of a secret, read in any of these ways: then it has leaked. */
function tellsOf (shown: string, value: string): boolean {
  const lines = value.split('\n').filter((line) => !line.startsWith('-----'))
  const parts = lines.flatMap((line) => Array.from({ length: line.length - 7 }, (_, at) => line.slice(at, at + 8)))
  return readings(shown).some((reading) => parts.some((part) => reading.includes(part)))
}

/** Returns all readings of a text by a reader who knows these ways, including nested ones. */
function readings (text: string, depth = 0): string[] {
  const seen = text.replace(/[\u200b\u00ad\u2060]/g, '').replaceAll('\u001b[1m', '')
  const decoded = [
    seen, seen.replace(/\\+u([\da-f]{4})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16))).replace(/\\+(["'/\\])/g, '$1'),
    seen.replace(/(?:%[\da-f]{2})+/gi, (codes) => Buffer.from(codes.replaceAll('%', ''), 'hex').toString()).replaceAll('+', ' '),
    seen.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&'),
    seen.replace(/(?:[\da-f]{2}){6,}/gi, (bytes) => Buffer.from(bytes, 'hex').toString()),
    seen.replace(/[\w+/-]{12,}={0,2}/g, (bytes) => Buffer.from(bytes, 'base64').toString())
  ]
  const others = [...new Set(decoded)].filter((reading) => reading !== text)
  return depth === 2 ? [text, ...others] : [text, ...others, ...others.flatMap((reading) => readings(reading, depth + 1))]
}

const inPieces = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 })

function streamed (text: string, sizes: readonly number[]): string {
  const stream = new StreamMask({ isComplete: true })
  const shown: string[] = []
  for (let at = 0, index = 0; at < text.length; index++) {
    const size = sizes[index % sizes.length] ?? 1
    shown.push(stream.push(text.slice(at, at + size)))
    at += size
  }
  return [...shown, stream.end()].join('')
}

/** A key that is recognised by its form alone, in a text. */
const lookalike = fc.record({
  key: fc.constantFrom(...looks), before: fc.array(around, { maxLength: 3 }), as: fc.constantFrom('plain', 'JSON', 'JSON in JSON', 'HTML')
}).map(({ key, before, as }) => ({ key, as, text: `${before.join('')} ${writings[as]?.(key) ?? key} end` }))
/** A secret in a text, written and split in some way. */
const told = fc.record({
  value: secret, as: written, split: between, at: fc.integer({ min: 4, max: 20 }),
  before: fc.array(around, { maxLength: 3 }), behind: fc.array(around, { maxLength: 3 })
}).map(({ value, as, split, at, before, behind }) => {
  const write = writings[as] ?? ((text: string) => text)
  // Splits between two characters, however many symbols each takes.
  const halves = whole.has(as) ? [write(value).slice(0, at), write(value).slice(at)] : [write(value.slice(0, at)), write(value.slice(at))]
  return { value, as, text: `${before.join('')}${halves.join(split)}${behind.join('')}` }
})

function refuse (what: string, shown: string, value: string): void {
  if (tellsOf(shown, value)) throw new Error(`${what}: ${JSON.stringify(shown)}`)
}

/** JSON strings are nested twice at most: each level doubles the backslashes in front of a character. */
const nesting = fc.tuple(
  fc.array(fc.nat({ max: 4 }), { maxLength: 4 }), fc.array(fc.constant(5), { maxLength: 2 })
).map((levels) => levels.flat())
/** Returns JSON of any depth that contains the text. */
const nest = (text: string, levels: readonly number[]): unknown => levels.reduce<unknown>((inner, level) =>
  [[inner], { content: inner }, { args: { path: inner } }, { a: 1, list: ['x', inner] }, { name: 'terminal', value: inner }, { function: { arguments: JSON.stringify(inner) } }][level] ?? inner, text)

const commandPiece = fc.oneof(
  fc.constantFrom('rm -rf ', 'curl ', '-H ', '"', "'", '$(', ')', '`', ';', '\n', ' && ', '| sh', 'Authorization: Bearer ', 'TOKEN=', 'password=', '--password ', 'https://a:', '@h/', 'echo ', '#', '[redacted]', '\\', '$x', ' ', 'api_key: ', 'mysql -p', '-----BEGIN PRIVATE KEY-----\n', '{', '}', '\u200b', '\u202e', '~', '*', '>', 'eyJ'),
  secret, fc.constantFrom(...looks), told.map(({ text }) => text), fc.string({ maxLength: 8 })
)
const command = fc.array(commandPiece, { minLength: 1, maxLength: 10 }).map((pieces) => pieces.join(''))

/** Whether a card's text can be reconstructed from its masks: each known secret is one of these values, in one of the ways to write it. */
function isWhole (shown: string, masks: readonly CardMask[], text: string): boolean {
  let [rest, at] = [visible(text), 0]
  for (const { start, end, hidden } of masks.filter((each) => each.hidden !== undefined)) {
    const plain = shown.slice(at, start)
    if (!rest.startsWith(plain) || shown.slice(start, end) !== mask) return false
    const word = rest.slice(plain.length, plain.length + (hidden ?? 0))
    // A hidden part is one word to a shell: nothing in it runs.
    if (!/^[\w.+/=:@%~,#^!-]+$/.test(word) || !knownSecrets.isOne(word)) return false
    rest = rest.slice(plain.length + word.length)
    at = end
  }
  return rest === shown.slice(at)
}

export const masking: Part = {
  name: 'masking',
  says: 'a secret is masked however it is written, split or nested; no mask hides what runs',
  properties: () => {
    knownSecrets.keep(own)
    return [
      ['a secret of the service is told by no text, whole or in pieces', fc.property(told, inPieces, ({ value, text }, sizes) => {
        const shown = redact(text)
        refuse('whole', shown, value)
        refuse('in pieces', streamed(text, sizes), value)
        return redact(shown) === shown
      })],
      ['and by no value, however deep it stands', fc.asyncProperty(told, nesting, async ({ value, text }, levels) => {
        refuse('in a value', JSON.stringify(await redactDeepGently(nest(text, levels))), value)
        return true
      })],
      ['what has the looks of a key is told neither', fc.asyncProperty(lookalike, inPieces, nesting, async ({ key, as, text }, sizes, levels) => {
        const deep = JSON.stringify(await redactDeepGently(nest(text, levels)))
        for (const shown of [redact(text), streamed(text, sizes), deep]) refuse(as, shown, key)
        return true
      })],
      ['in pieces nothing is told that the whole hides, whatever stands beside it', fc.property(fc.array(command, { maxLength: 6 }), inPieces, (lines, sizes) => {
        const text = lines.join('\n')
        const [whole, pieces, apart] = [redact(text), streamed(text, sizes), redactPieces(lines, '\n').join('\n')]
        const hidden = [...own, ...looks].filter((value) => !tellsOf(whole, value))
        for (const value of hidden) for (const shown of [pieces, apart]) refuse('in pieces', shown, value)
        return true
      })],
      ['a card shows all that runs: only a word that is a secret of the service is hidden', fc.property(command, (text) => {
        const { text: shown, masks } = cardText(text)
        return isWhole(shown, masks, text) && masks.every(({ hidden, start, end }) =>
          hidden !== undefined || !/[\s"'`$;&|<>(){}\\]/.test(shown.slice(start, end)))
      })],
      ['two commands look alike only where they differ in such a word', fc.property(command, command, fc.nat({ max: 12 }), (one, other, at) => {
        const changed = `${one.slice(0, at)}${other}${one.slice(at)}`
        const [first, second] = [cardText(one), cardText(changed)]
        if (first.text !== second.text || JSON.stringify(first.masks) !== JSON.stringify(second.masks)) return true
        const without = (text: string): string => own.reduce((rest, value) => rest.replaceAll(value, '\0'), visible(text))
        return without(one) === without(changed)
      })],
      ['page by page it is the same, and no page parts a secret', fc.property(command, fc.integer({ min: 20, max: 200 }), (text, mostChars) => {
        const pages: string[] = []
        for (let from = 0; from < text.length;) {
          const page = cardPage(text, { from, mostChars })
          if (page.end <= from) return false
          pages.push(page.text)
          from = page.end
        }
        return pages.join('') === cardText(text).text
      })]
    ]
  }
}
