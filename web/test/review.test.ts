import t from '../../test/support/harness.js'
import { anchorOf } from '../src/core/files/review-anchor.js'
import { isBelow, type ReviewComment } from '../src/core/files/review.js'
import { parseDiff, type DiffLine } from '../src/ui/diff.js'

const lines = parseDiff([
  '--- a/a.ts', '+++ b/a.ts', '@@ -10,7 +10,7 @@', ' one', ' two', '-three', '-four', '+THREE', '+FOUR', ' five', ' six', ' seven'
].join('\n'))[0]?.hunks[0]?.lines ?? []
function at (text: string): DiffLine {
  const found = lines.find((line) => line.text === text)
  if (found === undefined) throw new Error(`no line ${text}`)
  return found
}
const comment: ReviewComment = {
  id: 'r1', path: 'a.ts', side: 'new', line: 12, end_line: 13, text: 'x', state: 'draft', quote: ['THREE', 'FOUR'],
  place: { path: 'a.ts', line: 12, end_line: 13, found: 'here' }, turn_id: null, changed_in: null, answer: null, version: 1, created_at: 0
}

t.test('a comment quotes its lines, and of those around them what is in the file', async (t) => {
  t.same(anchorOf(lines, at('FOUR'), at('THREE')), {
    side: 'new', line: 12, end_line: 13, quote: ['THREE', 'FOUR'], before: ['one', 'two'], after: ['five', 'six', 'seven']
  }, 'in whatever order the ends were chosen')
  t.same(anchorOf(lines, at('three'), at('three')), {
    side: 'old', line: 12, end_line: 12, quote: ['three'], before: ['one', 'two'], after: ['five', 'six', 'seven']
  }, 'a line that is gone stands between those that are left')
  t.same(anchorOf(lines, at('two'), at('THREE')), {
    side: 'new', line: 11, end_line: 12, quote: ['two', 'THREE'], before: ['one'], after: ['FOUR', 'five', 'six']
  }, 'across a change, the lines as they are now')
  t.equal(anchorOf(lines, { ...at('two') }, at('two')), null, 'a line of another hunk')
})

t.test('a comment is shown below the last of its lines, wherever that is now', async (t) => {
  t.same(lines.filter((line) => isBelow(comment, 'a.ts', line)).map(({ text }) => text), ['FOUR'])
  const moved: ReviewComment = { ...comment, place: { path: 'b.ts', line: 14, end_line: 14, found: 'moved' } }
  t.same(lines.filter((line) => isBelow(moved, 'b.ts', line)).map(({ text }) => text), ['five'])
  t.same(lines.filter((line) => isBelow(moved, 'a.ts', line, true)).map(({ text }) => text), ['FOUR'], 'in a difference of the past, where it was made')
  t.same(lines.filter((line) => isBelow({ ...comment, quote: ['4'] }, 'a.ts', line, true)), [], 'and only in that one')
  t.same(lines.filter((line) => isBelow({ ...comment, place: null }, 'a.ts', line)), [])
  const old: ReviewComment = { ...comment, side: 'old', line: 13, end_line: 13, quote: ['four'] }
  t.same(lines.filter((line) => isBelow(old, 'a.ts', line)).map(({ text }) => text), ['four'])
  t.same(lines.filter((line) => isBelow({ ...old, quote: ['other'] }, 'a.ts', line)), [], 'the same number in another comparison')
})
