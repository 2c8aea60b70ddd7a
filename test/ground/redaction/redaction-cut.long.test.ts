import fc from 'fast-check'
import assert from 'node:assert/strict'
import t from '#test'
import { HeadAndTail } from '../../../services/agent/tools/terminal.js'
import { knownSecrets, mask, redact, StreamMask } from '../../../services/ground/redaction/index.js'

/** Secrets that only their values identify; no part of one is a part of another. */
const values = ['Zq81LmPw0aVtXy7cQeRk', 'correct-horse-battery', 'with "quotes" & strokes/ ü']
knownSecrets.keep(values)

/** Returns the output for a text in these pieces. */
function told (pieces: string[]): string {
  const stream = new StreamMask()
  return [...pieces.map((piece) => stream.push(piece)), stream.end()].join('')
}

const piecesOf = (text: string, chars: number): string[] => text.match(new RegExp(`[^]{1,${chars}}`, 'g')) ?? []

const ways: Record<string, (value: string) => string> = {
  plain: (value) => value,
  JSON: (value) => JSON.stringify(value).slice(1, -1),
  address: (value) => encodeURIComponent(value),
  HTML: (value) => value.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
  base64: (value) => Buffer.from(value).toString('base64').slice(0, Math.floor(Buffer.byteLength(value) * 8 / 6)),
  hex: (value) => Buffer.from(value).toString('hex')
}
const folds = ['\n', '\r\n', '\r', '\t', '\\\n', '\\n', '\\r\\n', '\n> ', '\r\n> ', '\n    ', '\n  | ', '\n+', "''", '""', "'+'", '" + "', '" "', "' +'", '"\n"', '" +\n    "', "' + \r\n  '"]

t.test('told in pieces it is masked as the whole is: every way to write it, every fold, every split', async (t) => {
  for (const value of values) {
    for (const [way, write] of Object.entries(ways)) {
      const form = write(value)
      for (const fold of folds) {
        for (const at of [7, 9, 11, form.length - 1]) {
          const text = `It is ${form.slice(0, at)}${fold}${form.slice(at)}, and so on.`
          const shown = redact(text)
          if (!shown.startsWith(`It is ${mask}`)) t.fail(`${way} ${JSON.stringify(text)}: ${shown}`)
          for (let split = 0; split < text.length; split++) {
            const live = told([text.slice(0, split), text.slice(split)])
            if (live !== shown) t.fail(`${way} split at ${split} ${JSON.stringify(text)}: ${live}`)
          }
          for (const chars of [1, 2, 3, 5]) if (told(piecesOf(text, chars)) !== shown) t.fail(`${way} in pieces of ${chars} ${JSON.stringify(text)}: ${told(piecesOf(text, chars))}`)
        }
      }
    }
  }
})

/** Whether a text shows six consecutive characters of a form. */
const shows = (text: string, form: string): boolean => Array.from({ length: form.length - 5 }, (_, at) => form.slice(at, at + 6)).some((part) => text.includes(part))

const gap = '\n[… 76,128 bytes left out …]\n'
const gaps: Record<string, [string, string]> = {
  'the end of a text': ['It is ', ''], 'its start': ['', ' it was'], 'in front of a gap': ['It is ', `${gap}more`], 'behind one': [`more${gap}`, ' it was'],
  'in front of a gap in a text of a text': ['It is ', `${JSON.stringify(gap).slice(1, -1)}more`], 'behind one in it': [`more${JSON.stringify(gap).slice(1, -1)}`, ' it was'],
  'in a quoted part': ['> It is ', '\n> [… 20 characters left out …]\n> more'], 'dots in front': ['It is …', ' there'], 'dots behind it': ['It is ', '… there'], 'both ends': ['', '']
}

t.test('where a text is cut, a part of one counts, stored and told', async (t) => {
  for (const value of values) {
    for (const [way, write] of Object.entries(ways)) {
      const form = write(value)
      for (const [where, [before, after]] of Object.entries(gaps)) {
        for (let length = 6; length < form.length; length++) {
          const parts = [...(/start|behind one|dots in front|both/.test(where) ? [form.slice(-length)] : [form.slice(0, length)]), ...(where === 'both ends' ? [form.slice(1, length + 1)] : [])]
          for (const part of parts) {
            const text = before + part + after
            const shown = redact(text)
            if (shows(shown, form)) t.fail(`${way} ${where} ${JSON.stringify(text)}: ${shown}`)
            for (const chars of [1, 2, 7]) if (told(piecesOf(text, chars)) !== shown) t.fail(`${way} ${where} in pieces of ${chars} ${JSON.stringify(text)}: ${told(piecesOf(text, chars))}`)
          }
        }
      }
    }
  }
  t.equal(redact('Zq81L'), 'Zq81L', 'less is none')
  t.equal(redact('It is Zq81LmPw0 there'), 'It is Zq81LmPw0 there', 'nor is one where nothing was cut')
})

t.test('the output of a command, cut anywhere', async (t) => {
  for (const value of values.slice(0, 2)) {
    for (let shift = 0; shift <= value.length + 1; shift++) {
      for (const text of [`${'x'.repeat(200 - shift)} ${value}\n${'y'.repeat(1_000)}`, `${'x'.repeat(1_000)} ${value} ${'y'.repeat(200 - shift)}`]) {
        const output = new HeadAndTail(400)
        output.add(Buffer.from(text))
        if (shows(redact(output.text()), value)) t.fail(redact(output.text()))
      }
    }
  }
})

const part = fc.constantFrom(...values, ...folds, ...values.flatMap((value) => [value.slice(0, 7), value.slice(7)]), '…', gap, ' ', 'c', '\\', '"', 'Z', '%', ' and ')

t.test('any mixture of them', async () => {
  fc.assert(fc.property(fc.array(part, { maxLength: 9 }), fc.integer({ min: 1, max: 9 }), (parts, chars) => {
    const text = parts.join('')
    assert.equal(told(piecesOf(text, chars)), redact(text))
  }), { numRuns: 4_000 })
})

t.test('a key that is too long to wait for does not come out either', async (t) => {
  const line = (_: unknown, index: number): string => `Pk${index}xQ7`.padEnd(64, 'aB3cD4eF9gH2jK5mN8pR')
  const pem = ['-----BEGIN PRIVATE KEY-----', ...Array.from({ length: 600 }, line), '-----END PRIVATE KEY-----'].join('\n')
  for (const chars of [7, 64, 1_000]) t.equal(told(piecesOf(`It is\n${pem}\nand no more.`, chars)), `It is\n${mask}\nand no more.`)
})
