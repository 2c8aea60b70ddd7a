import { type ComponentChildren, type VNode } from 'preact'
import t from '../../test/support/harness.js'
import { Blocks } from '../src/markdown/blocks.js'
import { drawBlock, loadMending } from '../src/markdown/Markdown.js'

type Element = VNode<Record<string, unknown>>

function textOf (children: unknown): string {
  if (Array.isArray(children)) return children.map(textOf).join('')
  if (typeof children === 'object' && children !== null && 'props' in children) return textOf((children as Element).props.children)
  return typeof children === 'string' || typeof children === 'number' ? String(children) : ''
}

/** What is on the screen after each piece of an answer; notes are drawn apart. */
function frames (text: string, pieceChars: number): string[] {
  const blocks = new Blocks()
  const seen: string[] = []
  for (let length = pieceChars; length < text.length + pieceChars; length += pieceChars) {
    const isWhole = length >= text.length
    const drawn = blocks.update(text.slice(0, length), isWhole).filter(({ kind }) => kind !== 'footnote').map((block): ComponentChildren =>
      drawBlock(block, blocks.definitions, {
        idPrefix: 'm-', notes: new Map([['1', 1]]), origin: 'https://me.example', headingLevel: 2, onNote: () => {}, onFile: undefined, live: !isWhole
      }, !isWhole))
    seen.push(drawn.map(textOf).join('\n'))
  }
  return seen
}

/** Answers, each with what must never be on the screen while it is written. */
const answers: Record<string, [text: string, raw: RegExp]> = {
  emphasis: ['Some **bold words** and *italic* and ***both*** and ~~gone~~ and __strong__ text.', /[*~_]/],
  code: ['Run `npm test` or ``a ` b`` and see.', /`(?! b)/],
  links: ['See [the page](https://example.org/a_b "title") and [another **one**](https://example.org) here.', /[[\]()"]|https|title|\*/],
  image: ['Look: ![a dot](dot.png) there.', /[[\]!()]|png/],
  references: ['See [the page][later] now.\n\n[later]: https://example.org\n\nEnd', /[[\]]|https/],
  formulas: ['The sum $\\frac{a}{b}$ and \\(x^2\\), then\n\n$$\n\\int_0^1 x\n$$\n\nand \\[ y = \\sqrt{2} \\] at the end.', /[$\\{}^]|frac|int_|sqrt/],
  money: ['It costs $5 or $10 a month.', /\\|\*/],
  footnote: ['A fact[^1] and more.\n\n[^1]: The source of it.\n\nEnd', /\[|\^|\]|source/],
  table: ['Before:\n\n| Way | Time |\n|:---|--:|\n| **one** | 17 ms |\n| `two` | 0.2 ms |\n\nEnd', /[|*`]|--|:-/],
  fence: ['Code:\n\n```ts\nconst a = 1\n```\n\nThen\n\n~~~\nplain\n~~~\nEnd', /[`~]|\bts\b/],
  headings: ['# Title\n\nText\n\n## The **second** part\n\nMore', /[#*]/],
  lists: ['Steps:\n\n- one\n- two **bold**\n  - within\n\n1. first\n2. second\n\n- [ ] open\n- [x] done', /(?:^|\n)(?:[-+]|\d+[.)])|[*[\]]/],
  quote: ['He said:\n\n> quoted *words*\n> go on\n\nEnd', />|\*/],
  rule: ['Above\n\n---\n\nBelow\n\n***\n\nEnd', /[-*]/]
}

t.test('while an answer is written, no frame shows marks as they are typed', async (t) => {
  await loadMending()
  for (const [name, [text, raw]] of Object.entries(answers)) {
    // A token is a few letters; one letter at a time is the hardest.
    for (const pieceChars of [1, 3, 4]) {
      const shown = frames(text, pieceChars)
      const wrong = shown.find((frame) => raw.test(frame))
      t.equal(wrong, undefined, `${name}, ${pieceChars} at a time`)
    }
  }
})

t.test('what is held back comes: the last frame is the whole answer, and every letter shows in the end', async (t) => {
  await loadMending()
  const plain: Record<string, string> = {
    'A number: 10': 'A number: 10', 10: '10', '-': '', 'a | b': 'a | b', '| no table': '| no table', 'Costs $5': 'Costs $5', '#hashtag': '#hashtag'
  }
  for (const [text, whole] of Object.entries(plain)) t.equal(frames(text, 1).at(-1)?.trim(), whole, text)
  // A line that begins like a table and goes on without one is held for two lines at most.
  const prose = '| is the pipe.\nThe next line\nand a third'
  t.match(frames(prose, 1).at(-3), /The next line/)
})
