import t from '../../test/support/harness.js'
import { addOutput, type CallOutput } from '../src/core/turn/call-output.js'
import { type TurnFrame } from '../src/core/service/link.js'
import { withKnown } from '../src/core/turn/exchange.js'
import { hasControls } from '../src/core/screen/terminal-signs.js'
import { TerminalText, type Line } from '../src/core/screen/terminal-text.js'
import { beginTurn, endTurn, foldFrame, type LiveTurn } from '../src/core/turn/turn-live.js'
import { createLook } from '../src/conversation/sgr.js'

const esc = '\u001b'
const plain = (lines: readonly Line[]): string => lines.map(({ runs }) => runs.map(({ text }) => text).join('')).join('\n')
const shown = (text: string): string => {
  const terminal = new TerminalText()
  terminal.write(text)
  return plain(terminal.lines)
}
const marked = (text: string): string => {
  const terminal = new TerminalText(createLook())
  terminal.write(text)
  return terminal.lines.map(({ runs }) => runs.map(({ text, look }) => look === '' ? text : `<${look}>${text}</>`).join('')).join('\n')
}

t.test('text stands as a terminal shows it', async (t) => {
  const cases: Array<[what: string, written: string, seen: string]> = [
    ['lines', 'one\ntwo\r\nthree', 'one\ntwo\nthree'],
    ['an empty line in between', 'one\n\ntwo\n', 'one\n\ntwo'],
    ['a progress bar', 'load 10 %\rload 20 %\rload 100 %\ndone\n', 'load 100 %\ndone'],
    ['what is shorter leaves the rest', 'abcdef\rXY', 'XYcdef'],
    ['the rest is erased', `abcdef\rXY${esc}[K`, 'XY'],
    ['the whole line is erased', `abcdef${esc}[2K\rXY`, 'XY'],
    ['the beginning is erased', `abcdef\rXY${esc}[1K`, '  cdef'],
    ['a step back', 'abc\b\bX', 'aXc'],
    ['columns', `abc${esc}[6Gd${esc}[2De`, 'abc ed'],
    ['several bars, one above the other', `a: 1\nb: 1\n${esc}[2Aa: 2\nb: 2\n`, 'a: 2\nb: 2'],
    ['what stands below is erased', `a\nb\nc\n${esc}[2A${esc}[J!`, 'a\n!'],
    ['titles, links and questions to the terminal', `${esc}]0;title\u0007x${esc}]8;;http://a.example${esc}\\link${esc}]8;;${esc}\\${esc}[6n${esc}Pq${esc}\\${esc}(B${esc}=y`, 'xlinky'],
    ['bells and bytes without a meaning', 'a\u0007\u0001b\u007f\u0085c', 'abc'],
    ['colours without their package', `${esc}[31mred${esc}[0m`, 'red']
  ]
  for (const [what, written, seen] of cases) t.equal(shown(written), seen, what)
})

t.test('however it is cut, it is the same', async (t) => {
  const text = `\u001b[1;32mok\u001b[0m 10 %\r20 %\r\n${esc}]0;title\u0007über 🚀${esc}[2K\rnew ${esc}[38;5;200mpink\n${esc}[1A!\n`.repeat(5)
  const whole = marked(text)
  const wrong: number[] = []
  for (let size = 1; size < text.length; size += 1 + Math.floor(size / 10)) {
    const terminal = new TerminalText(createLook())
    const drawn: number[] = []
    for (let at = 0; at < text.length; at += size) {
      terminal.write(text.slice(at, at + size))
      drawn.push(terminal.lines.length)
    }
    const seen = terminal.lines.map(({ runs }) => runs.map(({ text, look }) => look === '' ? text : `<${look}>${text}</>`).join('')).join('\n')
    if (seen !== whole || drawn.at(-1) !== terminal.lines.length) wrong.push(size)
  }
  t.same(wrong, [])
})

t.test('colours become names of classes, and nothing is hidden', async (t) => {
  const cases: Array<[string, string]> = [
    [`${esc}[31mred ${esc}[1mbold${esc}[22m${esc}[39m plain`, '<term-red>red </><term-red term-bold>bold</> plain'],
    [`${esc}[92mgood${esc}[m`, '<term-green>good</>'],
    [`${esc}[38;5;196ma${esc}[38;5;21mb${esc}[38;5;244mc${esc}[38;2;250;240;20md${esc}[0m`, '<term-red>a</><term-blue>b</><term-grey>c</><term-yellow>d</>'],
    [`${esc}[38:2:20:200:30mcolons`, '<term-green>colons</>'],
    [`${esc}[41;37mFAIL${esc}[0m`, '<term-on-red>FAIL</>'],
    [`${esc}[7minverse${esc}[27m`, '<term-on-plain>inverse</>'],
    [`${esc}[40;33mon black`, '<term-yellow>on black</>'],
    [`${esc}[8mhidden${esc}[5mblinking`, 'hiddenblinking'],
    [`${esc}[90mgrey${esc}[97mwhite${esc}[30mblack`, '<term-grey>grey</>whiteblack'],
    [`${esc}[999;;abc`, 'bc'],
    [`red ${esc}[31mwords\r${esc}[32mblue`, '<term-green>blue</><term-red>words</>']
  ]
  for (const [written, seen] of cases) t.equal(marked(written), seen, JSON.stringify(written))
  t.equal(marked(`${esc}[1m`.repeat(5_000) + 'x'), '<term-bold>x</>')
})

t.test('what never ends stays bounded', async (t) => {
  const terminal = new TerminalText(createLook())
  for (let index = 0; index < 200; index++) terminal.write(Array.from({ length: 100 }, (_, line) => `line ${index * 100 + line}\n`).join(''))
  const { lines, dropped } = terminal
  t.ok(lines.length <= 5_500 && dropped + lines.length === 20_000, `${lines.length}`)
  t.equal(plain(lines.slice(-1)), 'line 19999')
  t.equal(lines.at(-1)!.key, 19_999)
  terminal.write(`${esc}[999999999C|${esc}[9999Gx${esc}[99999A`)
  t.ok(plain(terminal.lines).length < 200_000)
  t.ok(shown(`${esc}]no end ${'x'.repeat(10_000)}`).length > 5_000)
})

t.test('a line that does not change is the same object', async (t) => {
  const terminal = new TerminalText()
  terminal.write('one\ntwo\nthr')
  const before = terminal.lines
  terminal.write('ee\nfour')
  const after = terminal.lines
  t.equal(after[0], before[0])
  t.not(after[2], before[2])
  t.equal(plain(before), 'one\ntwo\nthr', 'what was drawn stays what it was')
  t.ok(hasControls('10 %\r20 %') && hasControls(`${esc}[0m`) && !hasControls('one\r\ntwo\r\n\tthree'))
})

t.test('frames of output belong to a running call, until its result tells', async (t) => {
  const frames = (all: Array<[string, object]>, live: LiveTurn = beginTurn(null)): LiveTurn => all.reduce((state, [event, data]) => foldFrame(state, { event, data } as TurnFrame, 5), live)
  const output = (id: string, text: string, left: number): [string, object] => ['tool_output', { id, tool_call_id: id, tid: id, text, left_out_bytes: left }]
  const call: [string, object] = ['tool', { id: 'a', name: 'terminal', preview: 'x', args: {} }]
  const outputOf = ({ turn }: LiveTurn): CallOutput | null => turn.parts[0]?.kind === 'call' ? turn.parts[0].output : null
  const live = frames([call, output('a', 'one ', 0), output('b', 'of nobody', 0), output('a', 'two', 0), output('a', 'later', 70), output('a', ' on', 70), output('a', 'newest', 90)])
  t.same(outputOf(live), { head: 'one two', leftOutBytes: 90, tail: 'newest' })
  t.equal(live.turn.parts.length, 1)
  const done = frames([['tool_complete', { id: 'a', name: 'terminal', preview: 'the result', args: {}, is_error: false, duration: 1 }], output('a', 'too late', 90)], live)
  t.equal(outputOf(done), null)
  const stopped = endTurn(live, { state: 'cancelled' }).turn
  const stored = { ...stopped, parts: stopped.parts.map((part) => part.kind === 'call' ? { ...part, output: null, state: 'failed' as const, result: 'This call was interrupted' } : part) }
  t.match(withKnown(stored, stopped).parts[0], { output: { head: 'one two' }, result: 'This call was interrupted' }, 'what was seen of a call that was broken off is still there')
  t.equal(addOutput({ head: 'h', leftOutBytes: 5, tail: 'x'.repeat(2_200_000) }, { text: 'y', left_out_bytes: 5 }).tail.length, 1_048_576)
})
