import fc from 'fast-check'

const surrogates = { first: 0xd800, count: 0x800 }
const last = 0x10ffff

/**
 * Any character, as a `unit` of texts. It produces what fast-check's unit `binary` does, without the list of all characters, which takes a
 * second and a hundred megabytes in every process.
 */
export const anyCharacter = fc.nat({ max: last - surrogates.count }).map(
  (index) => String.fromCodePoint(index < surrogates.first ? index : index + surrogates.count),
  (character) => {
    const point = typeof character === 'string' ? character.codePointAt(0) : undefined
    if (point === undefined || String.fromCodePoint(point) !== character || /\p{Surrogate}/u.test(character)) throw new Error('It is not one character.')
    return point < surrogates.first ? point : point - surrogates.count
  }
)
