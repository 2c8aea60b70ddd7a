import fc from 'fast-check'
import { skillFacts } from '../../../services/areas/skills/skill-text.js'
import { frontMatter, line, words } from '../../../services/ground/text/front-matter.js'
import { type Part } from './part.js'
import { anyCharacter } from '../../../test/support/any-character.js'

const key = fc.constantFrom('name', 'description', 'tags', 'platforms', 'metadata', 'related_skills', '__proto__', 'constructor', '<<', '? a', '"a"', 'a b', '', '!!map', '0', '~')
const scalar = fc.oneof(fc.constantFrom(
  'tidy', '"a"', "'b'", '[a, b]', '{a: 1}', '|', '>-', '&a x', '*a', '!!js/function f', '!!binary aGk=', '!!timestamp 2020-01-01', '0x10', '1e999', '.nan', '2020-01-01', 'yes', 'null', '---', '...', '- a', '"\\ud800"', '"\\u0000"', '\u202e', '\ufeff', '{a: {b: {c: [*a]}}}', '[*a, *a, *a]', '{__proto__: {polluted: 1}}'
), fc.string({ unit: anyCharacter, maxLength: 20 }))
const entry = fc.tuple(fc.constantFrom('', '  ', '\t', '- ', '# '), key, fc.constantFrom(': ', ':', ' : ', ':\n  '), scalar).map((parts) => parts.join(''))
const matter = fc.tuple(fc.constantFrom('---\n', '--- \r\n', '\ufeff---\n', '---', '----\n', ''), fc.array(entry, { maxLength: 8 }), fc.constantFrom('\n', '\r\n'), fc.constantFrom('\n---\n', '\n--- \n', '\n---', '\n...\n', ''), fc.string({ maxLength: 20 }))
  .map(([open, entries, end, close, body]) => `${open}${entries.join(end)}${close}${body}`)

// eslint-disable-next-line no-control-regex -- what cannot be seen is what this is about
const unseen = /[\u0000-\u001f\u007f\u202a-\u202e\u2066-\u2069]|\p{Cs}/u
const isClean = (text: string, most: number): boolean => text.length <= most && !unseen.test(text)

export const frontMatters: Part = {
  name: 'front-matter',
  says: 'front matter is read or reported as invalid, and runs nothing',
  properties: () => [
    ['it is read, or a sentence says why not', fc.property(matter, (text) => {
      const { fields, body, problem } = frontMatter(text)
      return typeof body === 'string' && Object.getPrototypeOf(fields) !== null && (problem === undefined || problem.endsWith('.')) && !('polluted' in {})
    })],
    ['what is shown of it is short and can be seen', fc.property(matter, (text) => {
      const { fields } = frontMatter(text)
      return Object.values(fields).every((value) => isClean(line(value, 60), 60) && words(value).every((word) => isClean(word, 100)))
    })],
    ['a skill has a name that can be typed', fc.property(matter, fc.constantFrom('tidy', 'Work', 'über', 'a b'), (text, folder) => {
      const { name, description, tags } = skillFacts(text, folder)
      return name !== '' && /^[\p{L}\p{N} ._-]{1,64}$/u.test(name) && isClean(description, 1_024) && tags.length <= 50
    })]
  ]
}
