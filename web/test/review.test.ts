import t from '../../test/support/harness.js'
import { start } from '../../test/support/app.js'
import { anchorOf } from '../src/core/files/review-anchor.js'
import { Plan } from '../src/core/files/plan.js'
import { isBelow, Review, type ReviewComment } from '../src/core/files/review.js'
import { Api } from '../src/core/service/api.js'
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

t.test('an edit replaces no comment that another device has changed since, and what is stored without an answer is stored once', async (t) => {
  const s = await start(t, { hosts: 'inproc' })
  const session = await s.newSession()
  let lost = 0
  const { fetch: own } = globalThis
  t.teardown(() => { globalThis.fetch = own })
  globalThis.fetch = async (...asked) => {
    const answer = await own(...asked)
    if (lost === 0) return answer
    lost--
    throw new TypeError('the answer was lost')
  }
  const api = new Api({ origin: s.url })
  const [mine, theirs, plan] = [new Review(api, session), new Review(api, session), new Plan(api, session)]
  const begun = { path: 'a.ts', side: 'new', line: 1, end_line: 1, quote: ['one'], before: [], after: [] } as const
  const first = (review: Review): ReviewComment | undefined => review.comments.peek()[0]
  lost = 1
  mine.writing.value = { ...begun, quote: ['one'], before: [], after: [], id: null, text: 'First' }
  await mine.keep()
  await theirs.read()
  t.match(theirs.comments.peek().map(({ text }) => text), ['First'])
  const edit = (review: Review, text: string): void => {
    const { id, version } = first(review)!
    review.writing.value = { ...begun, quote: ['one'], before: [], after: [], id, version, text }
  }
  edit(mine, 'Mine')
  edit(theirs, 'Theirs')
  await theirs.keep()
  await t.rejects(mine.keep(), { code: 'review_changed' })
  t.match([first(mine)?.text, mine.writing.peek()?.text], ['Theirs', 'Mine'])
  await mine.keep()
  await theirs.read()
  t.equal(first(theirs)?.text, 'Mine')
  edit(mine, 'Again')
  await theirs.remove(first(theirs)!)
  await t.rejects(mine.keep(), { code: 'review_changed' })
  await mine.keep()
  t.match(mine.comments.peek().map(({ text }) => text), ['Again'], 'one that was removed is a new one')

  await plan.read()
  plan.begin()
  plan.edit.value = { text: '- [ ] One', version: 0 }
  lost = 1
  await plan.save()
  t.match(plan.document.peek(), { version: 1, text: '- [ ] One' })
})
