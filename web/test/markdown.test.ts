import fc from 'fast-check'
import t from '../../test/support/harness.js'
import { formulaAt } from '../../formulas/read.js'
import { Blocks, codeOf, type Block } from '../src/markdown/blocks.js'
import { lex } from '../src/markdown/lex.js'
import { withoutOpenEnd } from '../src/markdown/open-ends.js'
import { plainText } from '../src/markdown/plain-text.js'
import { filePath, ownImage, targetOf } from '../src/markdown/targets.js'
import { tries } from '../../test/support/tries.js'

const none = { links: new Map<string, string>(), footnotes: new Map<string, string>() }
const message = [
  '# Title\nText directly below, with a [link][later].', '', '- one', '', '  more of one', '- two', '  ```js', '  let a', '', 'b()', '  ```', '', '10. ten', '', 'A paragraph:', '```ts', 'const a = 1', '',
  '# no heading', '```', '> quoted', '> more', '', '| a | b |', '|---|--:|', '| 1 | 2 |', '', '    indented', '', '    code', '', '<details>', '', '*inside*', '', '</details>', '', 'Note[^n] and $$x$$.', '',
  '[^n]: The note,', '    with more.', '', '    And a second paragraph.', '', '[later]: https://example.org "There"', '', 'The end'
].join('\n')

t.test('a text that grows letter by letter ends up cut as if it had come whole, and finished blocks are never touched again', async (t) => {
  const growing = new Blocks()
  let before: readonly Block[] = []
  for (let length = 1; length <= message.length; length++) {
    const blocks = growing.update(message.slice(0, length), false)
    for (const block of before) if (block.closed && block.refs === blocks[block.key]?.refs) t.equal(blocks[block.key], block)
    t.strictSame(blocks.map(({ key }) => key), blocks.map((_, at) => at))
    t.equal(blocks.map(({ text }) => text).join(''), message.slice(0, length))
    t.ok(blocks.slice(0, -1).every(({ closed }) => closed))
    before = blocks
  }
  const whole = new Blocks().update(message, true)
  t.strictSame(growing.update(message, true).map(({ kind, text }) => [kind, text]), whole.map(({ kind, text }) => [kind, text]))
  t.ok(whole.length >= 10, `${whole.length} blocks`)
})

t.test('blocks mean together what the whole text means', async (t) => {
  const piece = fc.constantFrom('para', '- item', '  more', '* star', '1. one', '2) two', '> quote', '```', '```js', '~~~', '# head', 'under', '---', '===', '| a | b |', '|---|---|', '    code', '\tcode', '   three', '<div>', '[a]: /x', '[a]', '**b**', '', '', '')
  const shape = (text: string) => (lex(text, { links: new Map([['a', '[a]: /x']]), footnotes: new Map() }) ?? []).filter(({ type }) => type !== 'space' && type !== 'def').map(({ type, raw }) => [type, raw.trim()])
  fc.assert(fc.property(fc.array(piece, { maxLength: 12 }), (lines) => {
    const text = lines.join('\n')
    const blocks = new Blocks().update(text, true)
    t.strictSame(blocks.flatMap((block) => shape(block.text)), shape(text), JSON.stringify(text))
  }), { numRuns: tries(1500), seed: 7 })
})

t.test('a link or footnote that is defined later makes another block of what refers to it', async (t) => {
  const blocks = new Blocks()
  const [first, second] = blocks.update('See [the docs][Docs] and[^1].\n\nOther.\n\nEnd', false)
  const after = blocks.update('See [the docs][Docs] and[^1].\n\nOther.\n\nEnd\n\n[docs]: https://example.org\n\n[^1]: Note\n\nx', false)
  t.not(after[0], first)
  t.equal(after[1], second)
  t.match(lex(after[0]!.text, blocks.definitions), [{ tokens: [{ text: 'See ' }, { type: 'link', href: 'https://example.org' }, { text: ' and' }, { type: 'note', label: '1' }] }])
  t.equal(blocks.definitions.footnotes.get('1'), 'Note')
})

t.test('a text that becomes another one is cut anew', async (t) => {
  const blocks = new Blocks()
  blocks.update('one\n\ntwo\n\n[a]: /x\n\n', false)
  t.strictSame(blocks.update('three', true).map(({ text, key }) => [text, key]), [['three', 0]])
  t.equal(blocks.definitions.links.size, 0)
})

t.test('the code of a fence, as it is being written and afterwards', async (t) => {
  t.strictSame(codeOf('```ts title="x"\na\n\nb\n```\n\n'), { language: 'ts', code: 'a\n\nb', over: true })
  t.strictSame(codeOf('```'), { language: '', code: '', over: false })
  t.strictSame(codeOf('~~~~py\na\n~~~'), { language: 'py', code: 'a\n~~~', over: false })
  t.strictSame(codeOf('  ```\n    a\n  b\n  ```'), { language: '', code: '  a\nb', over: true })
})

t.test('formulas are told from money', async (t) => {
  for (const [text, tex] of Object.entries({ '$x^2$': 'x^2', '$E = mc^2$, so': 'E = mc^2', '\\(a\\)': 'a', '$$\\frac12$$': '\\frac12', '\\[a = b\\]': 'a = b', $n$: 'n', '$5x + 3 = 0$': '5x + 3 = 0' })) t.equal(formulaAt(text)?.tex, tex, text)
  for (const text of ['$5 and $10', '$5, $10', '$100k to US$', '$ x$', '$x $', '$5-$10', '$20/month and $30', '$', '$$', '\\[note\\]', '$HOME/bin:$PATH', '$5 or 6 in cash$']) t.equal(formulaAt(text), null, text)
})

t.test('only harmless addresses are links, and only the service\'s own images are images', async (t) => {
  t.match(targetOf('https://example.org/a b'), { kind: 'web', href: 'https://example.org/a%20b' })
  t.match(targetOf('MAILTO:a@b.c'), { kind: 'web' })
  for (const href of ['javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'data:text/html,x', 'vbscript:x', ' javascript:x', '//evil.example', 'http://', 'file:///etc/passwd', 'citation', '/login', '']) t.equal(targetOf(href).kind, 'none', href)
  t.strictSame(targetOf('routes/list.ts#L12'), { kind: 'file', path: 'routes/list.ts', line: 12 })
  t.strictSame(filePath('./src/a.tsx:7:3'), { path: './src/a.tsx', line: 7 })
  for (const text of ['app.get', 'a b.ts', 'https://a.b/c.ts', 'npm', '1.5', 'a.ts)', '../']) t.equal(filePath(text), null, text)
  const origin = 'https://me.example'
  for (const own of ['/api/file/raw?session_id=s&path=a.png', '/api/media?path=%2Fa.png']) t.equal(ownImage(own, origin), own)
  for (const href of ['/api/chat/cancel?stream_id=s', '/api/mcp/prompts', '/api/folder/download?session_id=s&path=.', '/api/media/../chat/cancel', '/api/file/raw/x', '/API/MEDIA', '/api/%6dedia',
    'https://evil.example/a.png', '//evil.example/api/a.png', '/logout', 'data:image/png;base64,x', '/api/../logout']) t.equal(ownImage(href, origin), null, href)
})

t.test('what is said aloud or copied has no signs', async (t) => {
  const text = '# Hi\n\n**Bold** `code` [link](https://a.b) ![cat](c.png)\n\n- a\n- [x] b & c < d\n\n```js\nlet x\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nEnd[^1] \\* $x$.\n\n[^1]: Note'
  t.equal(plainText(text), 'Hi\n\nBold code link cat\n\n- a\n- b & c < d\n\nlet x\n\na\tb\n1\t2\n\nEnd * x.')
  t.equal(plainText(text, { spoken: true }), 'Hi\n\nBold code link cat\n\na\nb & c < d\n\na, b\n1, 2\n\nEnd * x.')
})

t.test('hostile text is shown as it is, or laid out in a moment', async (t) => {
  const deep = ['['.repeat(10_000), '!['.repeat(10_000), '>'.repeat(10_000), '- '.repeat(10_000), '$'.repeat(10_000), 'x'.repeat(1_000_000), Array.from({ length: 500 }, (_, at) => `${'  '.repeat(at)}- a`).join('\n'), '|a|b|\n|-|-|\n' + '|1|2|\n'.repeat(50_000)]
  for (const text of deep) t.equal(lex(text, none), null, text.slice(0, 10))
  // With quadratic work, each of these would run for minutes, into the time that a test has.
  for (const piece of ['[a](', '*a ', '**a *b ', '_a ', '~~a ', '<a ', '<!--', 'a@', '$a ', '$$\n', '\\[', '&', '`a', 'https://a.b/c ', '[a]: ', '> a\n', '1. a\n', '| ', 'a**b']) {
    const text = piece.repeat(Math.floor(49_000 / piece.length))
    lex(text, none)
    t.equal(new Blocks().update(text, true).map((block) => block.text).join(''), text)
  }
})

t.test('emphasis that never ends is searched for a while and no longer, and what people write is emphasised to its end', async (t) => {
  const strong = (text: string): number => (lex(text, none) ?? []).flatMap((token) => 'tokens' in token ? token.tokens ?? [] : [])
    .filter(({ type }) => type === 'strong' || type === 'em' || type === 'del').length
  const prose = Array.from({ length: 600 }, (_, index) => `**word ${index}** and *another*, some_snake_case, 2 * 3, ~~gone~~`).join(' ')
  t.ok(prose.length > 30_000)
  t.equal(strong(prose), 1_800)
  t.equal(strong(`${'**<a '.repeat(3_000)}**<a and **this**`), 0, 'signs beyond the limit are text')
  t.equal(strong(`${'**<a '.repeat(20)}and **this**`), 1)
})

t.test('signs whose meaning is open are left out at the end of a text, and cost nothing before it', (t) => {
  const signs = '!['.repeat(5_000)
  t.equal(withoutOpenEnd(`${signs}x`), `${signs}x`)
  t.equal(withoutOpenEnd('so **'), 'so ')
  t.equal(withoutOpenEnd(`so ${signs}`), 'so ')
})

t.test('a table without borders does not appear as text first', async (t) => {
  const table = 'Way | Time\n--- | :--:\nFoot | 5 min\n'
  const shown = Array.from({ length: table.length }, (_, at) => withoutOpenEnd(table.slice(0, at + 1)))
  for (const one of shown.filter((text) => /[|\n]/.test(text))) t.match(one, /^Way \| Time\n--- \| :--:\n/)
  t.equal(shown.at(-1), table)
  t.equal(withoutOpenEnd(`Ways:\n\n${table.slice(0, 13)}`).trim(), 'Ways:')
  for (const text of ['a || b', 'P(A|B) is', 'Run `ls | wc', 'Run `ls | wc` here', '- one | two', `${'a long sentence '.repeat(9)} | here`, 'x | y\nand more', '- a\n  ```\n  ls | wc']) t.equal(withoutOpenEnd(text), text)
})
