import fc from 'fast-check'
import t from '#test'
import { piecesOf, spokenText } from '../../services/areas/voice/spoken-text.js'
import { anyCharacter } from '../support/any-character.js'

const spoken: Array<[what: string, markdown: string, said: string]> = [
  ['plain text', 'Hello there.', 'Hello there.'],
  ['a sentence without an end', 'Hello there', 'Hello there.'],
  ['a heading', '# Results\n\nAll is **well**, _really_ ~~not~~.', 'Results.\nAll is well, really not.'],
  ['a list', '- one\n- two\n  1. three', 'one.\ntwo.\nthree.'],
  ['code', 'Run `npm test`:\n\n```bash\nrm -rf /\n```\n\nDone.', 'Run npm test:\nCode block.\nDone.'],
  ['code in Chinese', '运行：\n\n```\nx\n```', '运行：\n代码。'],
  ['a Chinese sentence', '你好', '你好。'],
  ['a block of code that does not end', '```\nx', 'Code block.'],
  ['a link', 'See [the manual](https://example.org/a/b?c=d).', 'See the manual.'],
  ['an address in angle brackets', 'See <https://example.org/a/b>.', 'See example.org.'],
  ['a bare address', 'See https://www.example.org:8080/a/b?c=d#e, then http://other.example.', 'See example.org, then other.example.'],
  ['an image', '![A cat](cat.png)', 'A cat.'],
  ['an image in a link', '[![A cat](cat.png)](https://example.org)', 'A cat.'],
  ['a table', '| Name | Size |\n|---|--:|\n| a | 1 |\n| b | |', 'Name: a; Size: 1.\nName: b.'],
  ['a quotation', '> Said\n> before.', 'Said before.'],
  ['markup', 'One<br>two <b>three</b>\n\n<script>alert(1)</script>\n\nfour', 'Onetwo three.\nfour.'],
  ['lines', 'one\ntwo  \nthree', 'one two.\nthree.'],
  ['rules and nothing else', '***\n\n---', ''],
  ['signs and nothing else', '…!', ''],
  ['escapes and entities', '1 \\* 2 &amp; 3', '1 * 2 & 3.'],
  ['a sum', '2 < 3 > 1', '2 < 3 > 1.'],
  ['control characters', 'a\u0007b\u001bc', 'a b c.']
]

t.test('Markdown is read as prose', async (t) => {
  for (const [what, markdown, said] of spoken) t.equal(await spokenText(markdown), said, what)
})

t.test('nothing that is written makes it fail or take long', async (t) => {
  for (const hostile of ['['.repeat(5_000), '> '.repeat(2_500), '`'.repeat(4_999), '|'.repeat(5_000), '*a '.repeat(1_600), 'http://'.repeat(700), 'https://' + 'a.'.repeat(2_400), '<'.repeat(5_000), '![['.repeat(1_600), `${'|a'.repeat(800)}\n${'|-'.repeat(800)}\n${'|\n'.repeat(900)}`]) {
    t.type(await spokenText(hostile), 'string', hostile.slice(0, 10))
  }
  await fc.assert(fc.asyncProperty(fc.string({ unit: anyCharacter }), async (text) => typeof await spokenText(text) === 'string'))
})

t.test('pieces hold the whole text, none of them too long', async (t) => {
  const bare = (text: string): string => text.replaceAll(/\s/g, '')
  fc.assert(fc.property(fc.array(fc.string({ unit: 'grapheme' })), fc.integer({ min: 2, max: 40 }), (words, most) => {
    const text = words.join('. ')
    const pieces = piecesOf(text, most)
    return bare(pieces.join('')) === bare(text) && pieces.every((piece) => piece.length <= most && !/^[\uDC00-\uDFFF]/.test(piece))
  }))
  t.same(piecesOf('One sentence. Another one. A third.', 20), ['One sentence.', 'Another one.', 'A third.'])
})
