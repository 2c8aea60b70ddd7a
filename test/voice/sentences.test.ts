import fc from 'fast-check'
import t from '#test'
import { SentenceSplitter, type Sentence } from '../../services/areas/voice/sentences.js'
import { tries } from '../support/tries.js'

function split (text: string, pieces: string[] = [text]): Sentence[] {
  const splitter = new SentenceSplitter()
  return [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()]
}

const texts = (text: string): string[] => split(text).map(({ start, end }) => text.slice(start, end))

t.test('sentences end where a person would take a breath', async (t) => {
  const table: Array<[text: string, sentences: string[]]> = [
    ['', []],
    [' \n\n', []],
    ['One. Two! Three? Four', ['One.', 'Two!', 'Three?', 'Four']],
    ['Dr. Smith and Mr. J. R. Jones met at 3.30 p.m. on No. 5, e.g. here. They left.', ['Dr. Smith and Mr. J. R. Jones met at 3.30 p.m. on No. 5, e.g. here.', 'They left.']],
    ['In 2020. Version 1.2.3 is out... Or not', ['In 2020.', 'Version 1.2.3 is out...', 'Or not']],
    ['"Really?" he said. (Yes.) *Sure.* Good.', ['"Really?" he said.', '(Yes.)', '*Sure.*', 'Good.']],
    ['Das ist z. B. gut, bzw. besser. Ja.', ['Das ist z. B. gut, bzw. besser.', 'Ja.']],
    ['你好。今天好吗？很好！“真的。”他说', ['你好。', '今天好吗？', '很好！', '“真的。”', '他说']],
    ['中文 mixed with English. 然后呢?好的', ['中文 mixed with English.', '然后呢?', '好的']],
    ['First line\ngoes on here. Then\n\nnext paragraph', ['First line\ngoes on here.', 'Then', 'next paragraph']],
    ['A line  \nanother\\\nthird', ['A line', 'another\\', 'third']],
    ['# Title\nText here', ['# Title', 'Text here']],
    ['- one\n- two. Three\n\n1. first\n2. second', ['- one', '- two.', 'Three', '1. first', '2. second']],
    ['> Quoted one.\n> Quoted two.\n\nOut', ['> Quoted one.', '> Quoted two.', 'Out']],
    ['Run `a. B` now. See [the page. Here](https://a.example/b.c?d=e. f) too. Bye', ['Run `a. B` now.', 'See [the page. Here](https://a.example/b.c?d=e. f) too.', 'Bye']],
    ['At https://a.example/x.y. Next', ['At https://a.example/x.y.', 'Next']],
    ['Title\n=====\n\n---\n***\nText', ['Title', 'Text']],
    ['[1]: https://a.example\nText [1] here', ['Text [1] here']],
    ['See chapter 2. Then - well - 3. x', ['See chapter 2.', 'Then - well - 3. x']]
  ]
  for (const [text, wanted] of table) t.same(texts(text), wanted, JSON.stringify(text))
})

t.test('marks of lines are not read; blocks of code are mentioned, rows of tables come with their head', async (t) => {
  t.same(split('## A title\n- [ ] to do\n\n> quoted\n> more').map(({ markdown }) => markdown), ['A title', 'to do', 'quoted\nmore'])
  const code = 'Look:\n```js\nconst a = 1. B\n``\n```\nDone.\n\n    indented code. Here\n\n    more\nEnd'
  t.same(split(code).map(({ start, end, kind }) => [kind, code.slice(start, end)]), [['text', 'Look:'], ['code', '```js'], ['text', 'Done.'], ['code', '    indented code. Here'], ['text', 'End']])
  t.same(split('~~~~\n~~~\n`````\nnever closed').map(({ kind }) => kind), ['code'])
  const rows = split('| a | b |\n|---|:-:|\n| 1. x | 2 |\n| 3 | 4 |\nText')
  t.same(rows.map(({ kind, markdown }) => [kind, markdown]), [['row', '| a | b |\n|---|:-:|\n| 1. x | 2 |'], ['row', '| a | b |\n|---|:-:|\n| 3 | 4 |'], ['text', 'Text']])
  t.same(split('| no table\nText').map(({ kind, markdown }) => [kind, markdown]), [['text', 'no table'], ['text', 'Text']])
})

t.test('a sentence without end is cut behind a pause, and never in the middle of a character', async (t) => {
  for (const text of ['word '.repeat(400), '好'.repeat(500), '😀'.repeat(400), 'x'.repeat(3_000), `${'好'.repeat(70)}，`.repeat(5), `x${'`'.repeat(2_000)}`, '[a'.repeat(500)]) {
    const found = split(text)
    t.ok(found.length > 1, text.slice(0, 10))
    t.equal(found.map(({ start, end }) => text.slice(start, end)).join('').replaceAll(/\s/g, ''), text.replaceAll(/\s/g, ''))
    t.ok(found.every(({ start, end }) => end - start <= 241 && !/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/.test(text.slice(start, end))))
  }
})

t.test('what comes out does not depend on how the text came in', async (t) => {
  const morsel = fc.constantFrom('One. ', 'two', '. ', '.', '! ', '?', '。', '，', '好', ' ', '\n', '\n\n', '- ', '1. ', '# ', '> ', '`', '```', '```js\n', '~~~\n', '|', '| a | b |\n', '|---|---|\n', '[x](', '[', ']', '(', ')',
    'https://', 'a.example/', '"', '*', '**', '_', '    ', '\t', 'e.g. ', 'Dr. ', 'Upper ', 'lower ', '😀', '---\n', '===', '\\\n', '  \n', 'word '.repeat(45), '[1]: ', '…')
  fc.assert(fc.property(fc.array(morsel, { maxLength: 40 }), fc.infiniteStream(fc.integer({ min: 1, max: 12 })), (morsels, sizes) => {
    const text = morsels.join('')
    const pieces: string[] = []
    for (let at = 0; at < text.length;) {
      const size = sizes.next().value as number
      pieces.push(text.slice(at, at + size))
      at += size
    }
    const found = split(text)
    t.same(split(text, pieces), found, JSON.stringify(text))
    let last = 0
    for (const { start, end } of found) {
      if (start < last || end <= start || end > text.length) throw new Error(`ranges of ${JSON.stringify(text)}`)
      last = end
    }
  }), { numRuns: tries(1000) })
})

t.test('what takes long is bounded', async (t) => {
  const splitter = new SentenceSplitter()
  let count = 0
  for (const start of ['```\n', '\n```\n|', '\n\n-', '\n[', '\n    ', '\n1.']) {
    count += splitter.push(start).length
    for (let index = 0; index < 3_000; index++) count += splitter.push('-'.repeat(50)).length
  }
  t.ok(count + splitter.end().length > 0)

  const blanks = '\t'.repeat(20_000)
  for (const line of [`${blanks}-:${blanks}-`, `${blanks}x`, `>${blanks}1x`, `-${blanks}|${blanks}-${blanks}x`]) {
    const table = new SentenceSplitter()
    t.ok([...table.push(`| a | b |\n${line}\nwords.\n\n`), ...table.end()].length > 0)
  }
})
