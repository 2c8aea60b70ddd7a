import t from '#test'
import { follow, hunksOf, linesOf, locate, type Anchor, type Range } from '../../services/areas/reviews/following.js'
import { commentOutcome } from '../../services/areas/reviews/outcomes.js'
import { Places } from '../../services/areas/reviews/comment-places.js'

const file = ['import a', 'import b', '', 'function one () {', '  const x = first(a)', '  return x + 1', '}', '', 'function two () {', '  return one()', '}']
const edited = (change: (lines: string[]) => void): string[] => {
  const lines = [...file]
  change(lines)
  return lines
}
const numbered = (count: number, prefix = 'line'): string[] => Array.from({ length: count }, (_, at) => `${prefix} number ${at + 1} says ${at * 7}`)

type Fate = 'changed' | 'answered' | 'open'
/** Lines from `at` to the last one; what they become; their place then ('' if they are gone); the result without and with an answer. */
type Case = [what: string, before: string[], at: [line: number, endLine: number], now: string[], place: [line: number, endLine: number], found: 'same' | 'changed' | 'deleted', fate: Fate]

const cases: Case[] = [
  ['nothing changes', file, [5, 5], file, [5, 5], 'same', 'open'],
  ['a range, nothing changes', file, [4, 7], file, [4, 7], 'same', 'open'],
  ['a line is added far above', file, [5, 5], edited((l) => l.unshift('// head')), [6, 6], 'same', 'open'],
  ['ten lines are added far above', file, [5, 6], edited((l) => l.unshift(...numbered(10))), [15, 16], 'same', 'open'],
  ['a line is removed far above', file, [6, 6], edited((l) => l.splice(0, 1)), [5, 5], 'same', 'open'],
  ['a line is added far below', file, [5, 5], edited((l) => l.push('// end')), [5, 5], 'same', 'open'],
  ['a line far below is changed', file, [5, 5], edited((l) => { l[9] = '  return one() + 2' }), [5, 5], 'same', 'open'],
  ['lines above and below change', file, [6, 6], edited((l) => { l.unshift('x'); l.push('y') }), [7, 7], 'same', 'open'],
  ['the line is changed', file, [5, 5], edited((l) => { l[4] = '  const x = last(a)' }), [5, 5], 'changed', 'changed'],
  ['the line is indented', file, [6, 6], edited((l) => { l[5] = '    return x + 1' }), [6, 6], 'changed', 'changed'],
  ['the line is changed, and moved by lines above', file, [5, 5], edited((l) => { l[4] = '  const x = last(a)'; l.unshift('//', '//') }), [7, 7], 'changed', 'changed'],
  ['one of three lines is changed', file, [4, 6], edited((l) => { l[4] = '  const y = 2' }), [4, 6], 'changed', 'changed'],
  ['the first of three is removed', file, [4, 6], edited((l) => l.splice(3, 1)), [4, 5], 'changed', 'changed'],
  ['the last of three is removed', file, [4, 6], edited((l) => l.splice(5, 1)), [4, 5], 'changed', 'changed'],
  ['a line is added inside of the range', file, [4, 6], edited((l) => l.splice(5, 0, '  check(x)')), [4, 7], 'changed', 'changed'],
  ['a line is added right above', file, [5, 5], edited((l) => l.splice(4, 0, '  assert(a)')), [6, 6], 'same', 'changed'],
  ['a line is added right below', file, [5, 5], edited((l) => l.splice(5, 0, '  assert(x)')), [5, 5], 'same', 'changed'],
  ['the neighbour above is changed', file, [6, 6], edited((l) => { l[4] = '  const x = 1' }), [6, 6], 'same', 'changed'],
  ['a line two above is changed', file, [6, 6], edited((l) => { l[3] = 'function uno () {' }), [6, 6], 'same', 'open'],
  ['the line is removed', file, [5, 5], edited((l) => l.splice(4, 1)), [5, 4], 'deleted', 'changed'],
  ['the range is removed', file, [4, 7], edited((l) => l.splice(3, 4)), [4, 3], 'deleted', 'changed'],
  ['more than the range is removed', file, [5, 5], edited((l) => l.splice(2, 6)), [3, 2], 'deleted', 'changed'],
  ['the file becomes empty', file, [5, 5], [], [1, 0], 'deleted', 'changed'],
  ['the first line is removed', file, [1, 1], edited((l) => l.splice(0, 1)), [1, 0], 'deleted', 'changed'],
  ['the last line is removed', file, [11, 11], edited((l) => l.splice(10, 1)), [11, 10], 'deleted', 'changed'],
  ['the line becomes two, one like it', file, [5, 5], edited((l) => l.splice(4, 1, '  check(z)', '  const x = first(b)')), [6, 6], 'changed', 'changed'],
  ['the line becomes three, none like it', file, [5, 5], edited((l) => l.splice(4, 1, 'foo', 'bar', 'baz')), [5, 7], 'changed', 'changed'],
  ['two lines become one', file, [5, 6], edited((l) => l.splice(4, 2, '  return first(a) + 1')), [5, 5], 'changed', 'changed'],
  ['the function is moved to the end', file, [4, 7], edited((l) => { const one = l.splice(3, 5); l.push('', ...one.slice(0, 4)) }), [8, 11], 'same', 'changed'],
  ['a brace alone is not taken for a moved one', ['a b c', '}', 'd e f', 'x y z'], [2, 2], ['a b c', 'd e f', 'x y z', '}'], [2, 1], 'deleted', 'changed'],
  ['the same line stands twice, the other one is removed', ['dup()', 'mid one', 'mid two', 'dup()'], [4, 4], ['mid one', 'mid two', 'dup()'], [3, 3], 'same', 'open'],
  ['the file is replaced', file, [5, 5], numbered(3, 'other'), [1, 3], 'changed', 'changed'],
  ['a large file, a line far above', numbered(3_000), [2_000, 2_010], ['new', ...numbered(3_000)], [2_001, 2_011], 'same', 'open'],
  ['a large file, every hundredth line is changed but this', numbered(2_000), [1_050, 1_050], numbered(2_000).map((line, at) => at % 100 === 0 ? `${line}!` : line), [1_050, 1_050], 'same', 'open'],
  ['blanks are added at the end of the line', file, [5, 5], edited((l) => { l[4] += '  ' }), [5, 5], 'changed', 'changed'],
  ['a tab takes the place of blanks', file, [5, 5], edited((l) => { l[4] = '\tconst x = first(a)' }), [5, 5], 'changed', 'changed'],
  ['the whole function is indented', file, [4, 7], edited((l) => { for (let at = 3; at < 7; at++) l[at] = `  ${l[at]}` }), [4, 7], 'changed', 'changed'],
  ['the neighbour below is removed', file, [5, 5], edited((l) => l.splice(5, 1)), [5, 5], 'same', 'changed'],
  ['the neighbour above is removed', file, [6, 6], edited((l) => l.splice(4, 1)), [5, 5], 'same', 'changed'],
  ['blank lines are added above', file, [9, 10], edited((l) => l.splice(2, 0, '', '')), [11, 12], 'same', 'open']
]

t.test('lines of a file are found again, and it is known whether something was done about them', async (t) => {
  for (const [what, before, [line, endLine], now, [toLine, toEnd], found, fate] of cases) {
    const hunks = hunksOf(before, now)
    if (hunks === null) return t.fail(`${what}: not compared`)
    const followed = follow(before, now, { line, endLine }, hunks)
    const is = followed.isDeleted ? 'deleted' : followed.isChanged ? 'changed' : 'same'
    t.same({ line: followed.line, endLine: followed.endLine, is }, { line: toLine, endLine: toEnd, is: found }, what)
    t.equal(commentOutcome(followed, 'a.ts', undefined).state, fate, `${what}: its fate`)
    t.match(commentOutcome(followed, 'a.ts', 'Because.'), { state: fate === 'open' ? 'answered' : fate, answer: 'Because.', changedIn: fate === 'changed' ? 'a.ts' : null })
  }
})

const anchored = (line: number, endLine: number, around = 2): Anchor => ({
  before: file.slice(Math.max(0, line - 1 - around), line - 1), lines: file.slice(line - 1, endLine), after: file.slice(endLine, endLine + around)
})
const located: Array<[what: string, anchor: Anchor, text: string[], expected: number, side: 'old' | 'new', place: Range | null]> = [
  ['where they were', anchored(5, 6), file, 5, 'new', { line: 5, endLine: 6 }],
  ['further down', anchored(5, 6), ['x', 'y', ...file], 5, 'new', { line: 7, endLine: 8 }],
  ['with other blanks', anchored(5, 5), edited((l) => { l[4] = '\tconst x = first(a)' }), 5, 'new', { line: 5, endLine: 5 }],
  ['of two that look the same, the one with the right lines around', { before: ['two'], lines: ['same'], after: ['end'] }, ['one', 'same', 'no', 'two', 'same', 'end'], 1, 'new', { line: 5, endLine: 5 }],
  ['of two that look quite the same, the nearest', { before: [], lines: ['same'], after: [] }, ['same', 'a', 'b', 'same'], 4, 'new', { line: 4, endLine: 4 }],
  ['not at all', { before: ['a'], lines: ['gone'], after: ['b'] }, file, 5, 'new', null],
  ['deleted lines, between those around', { before: ['import b'], lines: ['import c'], after: ['', 'function one () {'] }, file, 3, 'old', { line: 3, endLine: 2 }],
  ['deleted lines that others stand for', { before: ['function one () {'], lines: ['  old()'], after: ['}', ''] }, file, 5, 'old', { line: 5, endLine: 6 }],
  ['deleted lines at the beginning', { before: [], lines: ['head'], after: ['import a'] }, file, 1, 'old', { line: 1, endLine: 0 }],
  ['deleted lines with nothing around', { before: [], lines: ['all'], after: [] }, file, 1, 'old', null],
  ['deleted lines of a file that is empty now', { before: [], lines: ['all'], after: [] }, [], 1, 'old', { line: 1, endLine: 0 }]
]

t.test('lines of a difference are found in a file by what they say', async (t) => {
  for (const [what, anchor, text, expected, side, place] of located) t.same(locate(anchor, text, expected, side), place, what)
})

t.test('texts that differ too much are not compared, and line ends of any kind count', async (t) => {
  t.equal(hunksOf(numbered(9_000), numbered(9_000, 'other')), null)
  t.same(linesOf('a\r\nb\r\n'), ['a', 'b'])
  t.same(linesOf(''), [])
})

t.test('what looks alike over and over is gone through once', (t) => {
  const same = Array<string>(200_000).fill('x')
  t.same(locate({ before: ['x'], lines: [], after: ['x'] }, same, 5, 'old'), { line: 5, endLine: 4 })
  t.equal(locate({ before: [], lines: [...same.slice(0, 199), 'y'], after: [] }, same, 5, 'new'), null)
  t.same(locate({ before: [], lines: ['x', 'y', 'x', 'y', 'z'], after: [] }, ['x', 'y', 'x', 'y', 'x', 'y', 'z', 'x'], 1, 'new'), { line: 3, endLine: 7 })
  t.same(locate({ before: [], lines: ['x', 'x'], after: [] }, ['x', 'x', 'x', 'y'], 2, 'new'), { line: 2, endLine: 3 }, 'also where it overlaps itself')
  const wide = (word: string): string => `${word} `.repeat(20_000)
  const lines = Array.from({ length: 200 }, () => wide('a'))
  t.match(follow(lines, Array.from({ length: 300 }, () => wide('b')), { line: 1, endLine: 200 }, [{ from: 0, to: 200, nowFrom: 0, nowTo: 300 }]), { line: 1, endLine: 300 })
})

t.test('a file that is gone counts as changed, one that has become unreadable says nothing, and other line ends change nothing', async (t) => {
  const places = new Places({ textOf: () => `${file.join('\n')}\n` })
  const comment: Parameters<Places['standings']>[0][number] = {
    sessionId: 's', id: 'r1', path: 'a.ts', side: 'new', line: 5, endLine: 5, text: 'x', state: 'sent', anchor: anchored(5, 5), placePath: 'a.ts', placeText: 'kept', placeLine: 5, placeEnd: 5,
    sentAt: 1, streamId: null, changedIn: null, answer: null, version: 1, createdAt: 0
  }
  const told = async (text: string | null | undefined, answer?: string) => {
    const [found] = await places.standings([comment], () => text === undefined ? null : { version: '1', text })
    return { ...found!.standing, fate: commentOutcome(found!.standing, 'a.ts', answer).state }
  }
  t.match(await told(undefined), { place: null, isDeleted: true, fate: 'changed' })
  t.match(await told(null, 'Converted.'), { place: null, isDeleted: false, fate: 'answered' })
  t.match(await told(file.join('\r\n')), { place: { line: 5, endLine: 5 }, isChanged: false, fate: 'open' })
})
