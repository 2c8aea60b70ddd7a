import t from '#test'
import fc from 'fast-check'
import { eventsBetween, unseen, type PullSnapshot } from '../../services/areas/pulls/news.js'

const seen: PullSnapshot = { ...unseen, sha: 'a', checks: 'pending', updatedAtS: 5 }

t.test('what is told of a pull request is what changed', async (t) => {
  const cases: Array<[what: string, before: Partial<PullSnapshot>, now: Partial<PullSnapshot>, events: string[]]> = [
    ['nothing', {}, {}, []],
    ['checks began', { checks: 'none' }, {}, []],
    ['checks failed', {}, { checks: 'failed' }, ['checks_failed']],
    ['they are failed still', { checks: 'failed' }, { checks: 'failed' }, []],
    ['the next commit fails as well', { checks: 'failed' }, { checks: 'failed', sha: 'b' }, ['checks_failed']],
    ['they run again', { checks: 'failed' }, { checks: 'pending' }, []],
    ['and pass', { checks: 'failed' }, { checks: 'passed' }, ['checks_passed']],
    ['none are left', { checks: 'failed' }, { checks: 'none' }, []],
    ['two approve', { approvals: ['bob'] }, { approvals: ['bob', 'eve'] }, ['approved']],
    ['one takes it back', { approvals: ['bob'] }, { approvals: [] }, []],
    ['a comment', { comments: 1, commentedAtS: 7 }, { comments: 2, commentedAtS: 7 }, ['commented']],
    ['one is deleted', { comments: 2, commentedAtS: 7 }, { comments: 1, commentedAtS: 6 }, []],
    ['one is deleted and another written', { comments: 2, commentedAtS: 7 }, { comments: 2, commentedAtS: 9 }, ['commented']],
    ['all at once', {}, { checks: 'failed', approvals: ['bob'], comments: 1, commentedAtS: 9 }, ['checks_failed', 'approved', 'commented']],
    ['it is merged, and nothing else counts', {}, { state: 'merged', checks: 'failed', comments: 3 }, ['merged']],
    ['it is closed', {}, { state: 'closed' }, ['closed']],
    ['it was closed already', { state: 'closed' }, { state: 'closed' }, []]
  ]
  for (const [what, before, now, events] of cases) t.same(eventsBetween({ ...seen, ...before }, { ...seen, ...now }), events, what)
})

t.test('what was told once is not told again', async (t) => {
  const anySeen = fc.record({
    state: fc.constantFrom('open', 'merged', 'closed'), sha: fc.constantFrom('a', 'b'), checks: fc.constantFrom('none', 'pending', 'passed', 'failed'),
    approvals: fc.uniqueArray(fc.constantFrom('bob', 'eve', '__proto__', 'constructor')), comments: fc.nat(3), commentedAtS: fc.nat(3), updatedAtS: fc.nat(3),
    isSettled: fc.boolean()
  })
  fc.assert(fc.property(anySeen, (now) => { t.same(eventsBetween(now as PullSnapshot, now as PullSnapshot), []) }))
})
