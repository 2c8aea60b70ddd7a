import { isDeepStrictEqual } from 'node:util'
import t from '#test'
import fc from 'fast-check'
import { anyCharacter } from '../support/any-character.js'
import { difference, likened } from '../support/comparing.js'
import { Test } from '../support/harness.js'

class Thing { constructor (readonly x: number) {} }

t.test('what is compared', async (t) => {
  const itself: Record<string, unknown> = {}
  itself.self = itself
  const cases: Array<[found: unknown, wanted: unknown, manners: Array<'same' | 'strict' | 'match'>]> = [
    [1, 1, ['same', 'strict', 'match']],
    [1, '1', ['same', 'match']],
    [NaN, NaN, ['same', 'strict', 'match']],
    [null, undefined, ['same', 'match']],
    [{ a: 1, b: [2, { c: 3 }] }, { b: [2, { c: 3 }], a: 1 }, ['same', 'strict', 'match']],
    [{ a: 1 }, { a: 2 }, []],
    [{ a: 1, b: 2 }, { a: 1 }, ['match']],
    [{ a: 1 }, { a: 1, b: 2 }, []],
    [{ a: undefined }, {}, ['same', 'match']],
    [{}, { a: undefined }, ['same', 'match']],
    [null, 0, []],
    [new Date(5), {}, []],
    [Buffer.from('a'), new Uint8Array([97]), ['same', 'match']],
    [[1, 2], [1], ['match']],
    [[1], [1, 2], []],
    [[1, 2], [2, 1], []],
    ['a text', 'text', ['match']],
    ['a text', /^a/, ['match']],
    ['a text', '', []],
    [5, Number, ['match']],
    [Infinity, Number, []],
    ['', String, ['match']],
    [[], Array, ['match']],
    [new Thing(1), Thing, ['match']],
    [new Thing(1), { x: 1 }, ['same', 'match']],
    [new Thing(1), new Thing(1), ['same', 'strict', 'match']],
    [new Date(5), new Date(5), ['same', 'strict', 'match']],
    [new Date(5), new Date(6), []],
    [Buffer.from('a'), Buffer.from('a'), ['same', 'strict', 'match']],
    [Buffer.from('a'), Buffer.from('b'), []],
    [Buffer.from('ab'), { length: 2 }, ['match']],
    [Buffer.from('ab'), { length: 3 }, []],
    [new Set([1, { a: 2 }]), new Set([{ a: 2 }, 1]), ['same', 'strict', 'match']],
    [new Set([1, 2]), new Set([1]), []],
    [new Set([1]), {}, []],
    [new Map([['a', { b: 1 }]]), new Map([['a', { b: 1 }]]), ['same', 'strict', 'match']],
    [new Map([['a', 1]]), new Map([['a', 2]]), []],
    [Object.assign(new Error('It broke'), { code: 'broken' }), { message: /broke/, code: 'broken' }, ['match']],
    [new Error('It broke'), new Error('It held'), []],
    [itself, itself, ['same', 'strict', 'match']]
  ]
  for (const [index, [found, wanted, manners]] of cases.entries()) {
    const held = (['same', 'strict', 'match'] as const).filter((manner) => manner === 'strict' ? isDeepStrictEqual(found, wanted) : Object.is(likened(found, wanted, manner), wanted))
    t.equal(held.join(), manners.join(), `case ${index + 1}`)
  }
  t.same(likened({ a: [{ b: 1, c: 'a text' }], d: 1 }, { a: [{ b: 2, c: /text/ }] }, 'match'), { a: [{ b: 1, c: /text/ }] }, 'what does not fit is left')
  const [list, longer] = [[...'abcdefghij'], [...'abcdefghi', 'k', 'l']]
  t.same(difference(list, longer).split('\n').filter((line) => /^ {2}[+-]/.test(line)), ["  -  'k',", "  -  'l'", "  +  'j'"], 'and shown as lines that differ')
})

/** Runs a test without showing anything; returns whether it passed. */
async function outcome (body: (t: Test) => unknown): Promise<boolean> {
  const { log } = console
  console.log = () => {}
  try {
    return await new Test('inner').run(body)
  } finally {
    console.log = log
  }
}

t.test('what fails a test', async (t) => {
  const failing: Record<string, (t: Test) => unknown> = {
    'an assertion': async (t) => { t.equal(1, 2) },
    'a pattern that fits': async (t) => { t.notMatch('abc', /b/) },
    'an error': async () => { throw new Error('It broke') },
    'a test inside': async (t) => await t.test('inside', async (t) => { t.ok(false) }),
    'a test inside that nobody waits for': (t) => { void t.test('inside', async (t) => { t.ok(false) }) },
    'what does not throw': async (t) => { t.throws(() => {}) },
    'another error': async (t) => { t.throws(() => { throw new Error('It broke') }, /held/) },
    'what does not reject': async (t) => { await t.rejects(Promise.resolve()) },
    'a rejection that nobody waits for': async (t) => { void t.rejects(Promise.resolve()) },
    'an end that fails': async (t) => { t.teardown(() => { throw new Error('It broke') }) },
    'a beginning that fails': async (t) => { t.before(() => { throw new Error('It broke') }) }
  }
  for (const [what, body] of Object.entries(failing)) t.equal(await outcome(body), false, what)
})

t.test('tests run one after the other, and what they have made goes in the opposite order', async (t) => {
  const order: string[] = []
  const isGood = await outcome(async (t) => {
    t.beforeEach(() => { order.push('before') })
    t.teardown(() => order.push('first made'))
    t.teardown(() => order.push('last made'))
    void t.test('one', async (t) => {
      t.teardown(() => order.push('end of one'))
      await new Promise((resolve) => setTimeout(resolve, 5))
      order.push('one')
    })
    void t.test('left out', { skip: 'not here' }, () => { order.push('left out') })
    void t.test('two', () => { order.push('two') })
  })
  t.ok(isGood)
  t.same(order, ['before', 'one', 'end of one', 'before', 'two', 'last made', 'first made'])
})

t.test('any character of a property is one of fast-check, in the same order', { long: true }, (t) => {
  const samples = (unit: fc.StringConstraints['unit']): string[] => fc.sample(fc.string({ unit }), { numRuns: 20_000, seed: 7 })
  t.strictSame(samples(anyCharacter), samples('binary'))
})
