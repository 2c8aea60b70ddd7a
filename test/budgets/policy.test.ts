import t from '#test'
import { dayOf } from '../../services/ground/time/day.js'
import { readBudgets, type Limits } from '../../services/areas/budgets/limits.js'
import { exhausted, notices, type Use } from '../../services/areas/budgets/policy.js'
import { amount, permits, usedUp } from '../../services/areas/budgets/wording.js'

const standing = (limits: Limits, use: Partial<Use>, more: { usdUpTo?: number, tokensUpTo?: number, told?: string[], lifted?: string[] } = {}) => ({
  scope: 'turn' as const, limits, use: { tokens: 0, usd: 0, unpriced: null, ...use }, told: more.told ?? [],
  upTo: { usd: more.usdUpTo ?? null, tokens: more.tokensUpTo ?? null }, isLifted: (measure: string) => more.lifted?.includes(measure) === true
})

t.test('which hard limits are used up, and what a yes allows', async (t) => {
  for (const [name, given, expected] of [
    ['no limit', standing({}, { usd: 9, tokens: 9 }), []],
    ['below', standing({ hard_usd: 1 }, { usd: 0.99 }), []],
    ['reached', standing({ hard_usd: 1 }, { usd: 1 }), [{ measure: 'usd', used: 1, limit: 1, upTo: 2 }]],
    ['far beyond: counted from there', standing({ hard_usd: 1 }, { usd: 7 }), [{ limit: 1, upTo: 8 }]],
    ['allowed more', standing({ hard_usd: 1 }, { usd: 7 }, { usdUpTo: 8 }), []],
    ['that too is used up', standing({ hard_usd: 1 }, { usd: 8 }, { usdUpTo: 8 }), [{ limit: 8, upTo: 9 }]],
    ['the limit was raised since', standing({ hard_usd: 9 }, { usd: 8 }, { usdUpTo: 2 }), []],
    ['lifted in dollars alone', standing({ hard_usd: 1, hard_tokens: 5 }, { usd: 2, tokens: 6 }, { lifted: ['usd'] }), [{ measure: 'tokens', used: 6, upTo: 11 }]],
    ['both', standing({ hard_usd: 1, hard_tokens: 5 }, { usd: 2, tokens: 6 }), [{ measure: 'usd' }, { measure: 'tokens' }]],
    ['an unknown price', standing({ hard_usd: 1, hard_tokens: 5 }, { tokens: 6, unpriced: 'm' }), [{ measure: 'tokens', unpriced: null }]],
    ['soft limits stop nobody', standing({ soft_usd: 1 }, { usd: 2 }), []]
  ] as const) {
    const found = exhausted([given])
    t.equal(found.length, expected.length, name)
    t.match(found, expected, name)
  }
})

t.test('which soft limits are told of', async (t) => {
  t.same(notices(standing({ soft_usd: 1, soft_tokens: 5 }, { usd: 1, tokens: 4 })).map(({ name }) => name), ['soft_usd'])
  t.same(notices(standing({ soft_usd: 1, soft_tokens: 5 }, { usd: 1, tokens: 5 }, { told: ['soft_usd'] })).map(({ name }) => name), ['soft_tokens'])
})

t.test('amounts and sentences', async (t) => {
  t.same([amount('usd', 0.5), amount('usd', 12), amount('usd', 0.0034), amount('usd', 0.0000001), amount('usd', 0), amount('tokens', 12_345)], ['$0.50', '$12.00', '$0.0034', '$0.0000001', '$0.00', '12,345 tokens'])
  const excess = exhausted([standing({ hard_usd: 0.5 }, { usd: 0.52, unpriced: 'new-model' })])
  t.equal(usedUp(excess), 'The budget of this turn is used up: $0.52 of $0.50 (the price of new-model is unknown, and what it has used is not counted).')
  t.match(permits(excess), /Allow once: another \$0\.50 for this turn, up to \$1\.02\./)
})

t.test('any configuration is read', async (t) => {
  for (const budgets of [undefined, null, 5, 'x', [], {}, { turn: null }, { turn: { hard_usd: null } }]) t.same(readBudgets({ budgets }).limits, { turn: {}, session: {}, attempts: {}, job: {}, day: {} })
  t.same(readBudgets({ budgets: { turn: { hard_usd: Infinity, soft_usd: 1e10, hard_tokens: NaN, soft_tokens: 7 } } }).limits.turn, { soft_tokens: 7 })
})

t.test('days are those of the clock on the wall', async (t) => {
  const { date, startS, endS } = dayOf(new Date(2026, 11, 31, 23, 59, 59).getTime())
  t.same([date, startS, endS], ['2026-12-31', new Date(2026, 11, 31).getTime() / 1000, new Date(2027, 0, 1).getTime() / 1000])
})
