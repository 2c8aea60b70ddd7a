import fc from 'fast-check'
import t from '#test'
import { isLongJson, jsonPieces } from '../../services/ground/text/json-pieces.js'
import { anyCharacter } from '../support/any-character.js'

const long = fc.tuple(fc.string({ unit: anyCharacter, minLength: 1, maxLength: 8 }), fc.integer({ min: 1, max: 40_000 })).map(([unit, times]) => unit.repeat(times))
const value = fc.letrec((tie) => ({
  any: fc.oneof({ depthSize: 'small' }, fc.jsonValue(), long, fc.constant(undefined), fc.string({ unit: anyCharacter }), tie('list'), tie('object')),
  list: fc.array(tie('any'), { maxLength: 6 }),
  object: fc.dictionary(fc.string(), tie('any'), { maxKeys: 6 })
}))

t.test('pieces of JSON, joined, are what JSON.stringify makes', async (t) => {
  fc.assert(fc.property(fc.oneof(value.list, value.object, long), (any) => {
    if ([...jsonPieces(any)].join('') !== JSON.stringify(any)) throw new Error('different')
  }), { numRuns: 200 })
  const many = Array.from({ length: 50_000 }, (_, index) => ({ index, text: 'a\u0000"' }))
  const pieces = [...jsonPieces({ many, half: `${'x'.repeat(70_000)}\ud83d` })]
  t.equal(pieces.join(''), JSON.stringify({ many, half: `${'x'.repeat(70_000)}\ud83d` }))
  t.ok(Math.max(...pieces.map(({ length }) => length)) < 200_000, 'no piece is long')
})

t.test('whether a value is long is told by a part of it', async (t) => {
  for (const any of ['x'.repeat(70_000), Array(20_000).fill(1), { a: { b: ['y'.repeat(66_000)] } }]) t.ok(isLongJson(any))
  for (const any of [null, undefined, 1, 'x', [], {}, { a: ['x'.repeat(60_000)] }]) t.notOk(isLongJson(any))
})
