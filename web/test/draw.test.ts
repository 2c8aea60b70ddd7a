import { type ComponentChildren, type VNode } from 'preact'
import fc from 'fast-check'
import t from '../../test/support/harness.js'
import { Blocks } from '../src/markdown/blocks.js'
import { DrawnLast, type DrawContext } from '../src/markdown/draw.js'
import { drawColoured } from '../src/markdown/colours.js'
import { endingOf } from '../src/markdown/Code.js'
import { highlight } from '../src/markdown/highlight.js'
import { drawBlock, loadMending } from '../src/markdown/Markdown.js'
import { setFormula } from '../src/markdown/math.js'
import { tries } from '../../test/support/tries.js'

type Element = VNode<Record<string, unknown>>

const context = (more: Partial<DrawContext> = {}): DrawContext => ({ idPrefix: 'm1-', notes: new Map(), origin: 'https://me.example', headingLevel: 3, onNote: () => {}, ...more })

function drawn (text: string, more: Partial<DrawContext> = {}, live = false): ComponentChildren[] {
  const blocks = new Blocks()
  return blocks.update(text, !live).filter(({ kind }) => kind !== 'footnote').map((block) => drawBlock(block, blocks.definitions, context({ live, ...more }), live))
}

/** All elements of a drawing, from the outside in. */
function elementsOf (children: unknown): Element[] {
  if (Array.isArray(children)) return children.flatMap(elementsOf)
  if (typeof children !== 'object' || children === null || !('props' in children)) return []
  const element = children as Element
  return [element, ...elementsOf(element.props.children)]
}

function textOf (children: unknown): string {
  if (Array.isArray(children)) return children.map(textOf).join('')
  if (typeof children === 'object' && children !== null && 'props' in children) return textOf((children as Element).props.children)
  return typeof children === 'string' || typeof children === 'number' ? String(children) : ''
}

const find = (children: unknown, type: string): Element[] => elementsOf(children).filter((element) => element.type === type)

t.test('a definition that holds more than an address is shown', (t) => {
  for (const words of ['[//]: # (do this)', '[a]: <do this>', '[a]: https://example.org "do this"']) t.match(textOf(drawn(`Text\n\n${words}\n\nEnd`)), 'do this', words)
  t.equal(textOf(drawn('Text [a]\n\n[a]: https://example.org\n\nEnd')).includes(']:'), false)
})

t.test('HTML is text, and nothing is ever put in as HTML', async (t) => {
  const text = '<script>alert(1)</script> <img src=x onerror=alert(1)> **<b onclick=x>hi</b>** &lt;i&gt; a<br>b\n\n<iframe src="javascript:x"></iframe>'
  const children = drawn(text)
  t.equal(textOf(children), '<script>alert(1)</script> <img src=x onerror=alert(1)> <b onclick=x>hi</b> <i> ab<iframe src="javascript:x"></iframe>')
  t.strictSame([...new Set(elementsOf(children).map(({ type }) => type))].toSorted(), ['br', 'p', 'strong'])
  t.notOk(elementsOf(children).some(({ props }) => 'dangerouslySetInnerHTML' in props))
})

t.test('links lead out safely, to files when they can be opened, and else nowhere', async (t) => {
  const opened: unknown[] = []
  const text = '[a](https://example.org) [b](javascript:alert(1)) [c](src/x.ts#L3) `src/y.ts:7` [d](citation) <https://auto.example> ![e](https://evil.example/e.png) ![f](/api/file/raw?session_id=s&path=f.png) ![g](/api/chat/cancel?stream_id=s)'
  const children = drawn(text, { onFile: (...file) => opened.push(file) })
  t.match(find(children, 'a').map(({ props }) => props), [{ href: 'https://example.org/', rel: 'noopener noreferrer', target: '_blank' }, { href: 'https://auto.example/' }, { href: 'https://evil.example/e.png' }])
  t.strictSame(find(children, 'img').map(({ props }) => props.src), ['/api/file/raw?session_id=s&path=f.png'], 'only what is a file')
  for (const { props } of find(children, 'button')) (props.onClick as () => void)()
  t.strictSame(opened, [['src/x.ts', 3], ['src/y.ts', 7]])
  t.equal(find(drawn(text), 'button').length, 0, 'without a place to open files')
})

t.test('tables are aligned, tasks ticked, headings in order, footnotes of the message', async (t) => {
  const children = drawn('# A\n\n### B\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n- [x] done\n- [ ] open\n\n3. three\n\nText[^n] and[^gone].\n\n[^n]: Note', { notes: new Map([['n', 1]]) })
  t.strictSame(elementsOf(children).map(({ type }) => type).filter((type) => /^h\d/.test(String(type))), ['h3', 'h4'])
  t.strictSame(find(children, 'td').map(({ props }) => props.class), [undefined, 'markdown-right'])
  t.strictSame(find(children, 'input').map(({ props }) => props.checked), [true, false])
  t.equal(find(children, 'ol')[0]!.props.start, 3)
  t.strictSame(find(children, 'sup').map(({ props }) => elementsOf(props.children)[0]!.props.id), ['m1-ref-1'])
  t.match(textOf(children), /Text1 and\[\^gone\]\./)
})

t.test('the end of a text that is still written is shown as if it ended there', async (t) => {
  await loadMending()
  t.equal(find(drawn('This is **bold', {}, true), 'strong').length, 1)
  t.equal(textOf(drawn('See [the do', {}, true)), 'See the do')
  t.equal(textOf(drawn('This is **bold')), 'This is **bold')
  for (const open of ['$O(n', '$x', '$$\\sum_{i', '\\(a + b', '\\[ x^2', '[^', '[^1', '[^note']) t.equal(textOf(drawn(`It takes ${open}`, {}, true)).trim(), 'It takes', open)
  for (const whole of ['It costs $5 and', 'Set $HOME to it', 'a $small price to pay', 'see `$O(n`', 'see `$O(n']) t.equal(textOf(drawn(whole, {}, true)).replaceAll('`', ''), whole.replaceAll('`', ''), whole)
  for (const open of ['[^1]:', '[^1]: Knuth, vol', '[docs]:', '[docs]: https://exam', '[docs]: https://example.org "The do', '   [^note]: a `b']) {
    t.equal(textOf(drawn(`It takes\n\n${open}`, {}, true)).trim(), 'It takes', open)
  }
  for (const plain of ['[Note]: this is no link', 'see [^1]: here']) t.match(textOf(drawn(plain, {}, true)), plain.startsWith('see') ? 'here' : 'this is no link', plain)
  t.equal(textOf(drawn('As said[^1] before', {}, true)), 'As said1 before', 'a footnote whose text is yet to come')
  t.equal(textOf(drawn('As said[^1] before')), 'As said[^1] before', 'and one that has none')
})

t.test('a block of which only the end is drawn anew looks like one that is drawn as a whole, however it comes in', async (t) => {
  await loadMending()
  const piece = fc.constantFrom('- item', '- **bo', 'ld** and [a](', '/x)', '- [x] done', '  - below', '\n', '\n\n', '  more', '1. one', '| a | b |\n|---|--:|\n', '| 1 | `2', '` |', '| | |\n', '> quote', 'word', '```\n')
  const shape = (children: unknown): unknown => Array.isArray(children) ? children.map(shape) : typeof children === 'object' && children !== null && 'props' in children ? [String((children as Element).type), (children as Element).key, Object.entries((children as Element).props).filter(([, value]) => typeof value !== 'function').map(([name, value]) => [name, shape(value)])] : children
  fc.assert(fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
    const blocks = new Blocks()
    let drawnLast = new DrawnLast()
    let key: string | undefined
    let text = ''
    for (const added of pieces) {
      const block = blocks.update(text += added, false).at(-1)
      if (block === undefined || block.kind === 'footnote') continue
      if (key !== `${block.key} ${block.refs}`) drawnLast = new DrawnLast()
      key = `${block.key} ${block.refs}`
      const grown = drawBlock(block, blocks.definitions, context({ drawnLast }), true)
      drawnLast.turn()
      t.strictSame(shape(grown), shape(drawBlock(block, blocks.definitions, context(), true)), JSON.stringify(text))
    }
  }), { numRuns: tries(300), seed: 11 })
})

t.test('what is too deep is shown as it is', async (t) => {
  t.equal(textOf(drawn('>'.repeat(5000))), '>'.repeat(5000))
  const emphasis = '*_'.repeat(90) + 'x' + '_*'.repeat(90)
  t.match(textOf(drawn(emphasis)), /x/)
})

t.test('code in colours says the same, and only in elements', async (t) => {
  const code = 'const a: string = "<b>" // done\n'
  const coloured = drawColoured(await highlight(code, 'TS') ?? [])
  t.equal(textOf(coloured), code)
  t.ok(elementsOf(coloured).every(({ type, props }) => type === 'span' && (props.class === undefined || /^code-[\w-]+$/.test(String(props.class)))))
  t.ok(elementsOf(coloured).some(({ props }) => props.class === 'code-keyword'))
  t.equal(await highlight(code, 'constructor'), null)
  t.same(['typescript', 'constructor', 'tostring'].map(endingOf), ['ts', 'constructor', 'tostring'], 'a name that a client has made up is the ending itself')
  t.equal(await highlight('x'.repeat(100_000), 'ts'), null)
})

t.test('formulas are MathML; what is none, or wants more than a formula, is not set', async (t) => {
  const formula = setFormula('\\frac{a}{b} \\text{ if } x', true)
  t.equal(formula?.type, 'math')
  t.ok(find(formula, 'mfrac').length === 1)
  for (const tex of ['\\frac{', '\\unknowncommand', '\\def\\a{\\a\\a}\\a', '{'.repeat(5000)]) t.equal(setFormula(tex, false), null, tex.slice(0, 20))
  for (const tex of ['\\href{javascript:alert(1)}{x}', '\\includegraphics{x.png}', '\\class{a}{x}', '\\style{color:red}{x}', '\\url{https://a.b}']) {
    for (const { type, props } of elementsOf(setFormula(tex, false))) t.notOk(type === 'a' || type === 'img' || 'href' in props || 'src' in props || typeof props.style === 'string', tex)
  }
})
