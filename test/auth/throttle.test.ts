import t from '#test'
import { createAudit } from '../../services/areas/audit/index.js'
import { createThrottle } from '../../services/areas/auth/throttle.js'
import { openDatabase } from '../../services/ground/database/index.js'
import { aheadBy } from '../support/clock.js'

t.test('whoever tries from any number of addresses does not fill the audit log', async (t) => {
  let aheadMs = 0
  const clock = aheadBy(() => aheadMs)
  const db = openDatabase({ file: ':memory:' })
  t.teardown(() => db.close())
  const audit = createAudit({ db, clock })
  const throttle = createThrottle({ db, clock, audit })
  const fail = async (address: string) => await (await throttle.begin('password', address)).failed()
  await Promise.all(Array.from({ length: 150 }, async (_, index) => await fail(`10.0.0.${index}`)))
  const outcomes = audit.page(Number.MAX_SAFE_INTEGER, 500, {}).entries.map(({ outcome }) => outcome)
  t.equal(outcomes.length, 100)
  t.equal(outcomes[0], 'throttled', 'the last one says that there were more')
  t.same(new Set(outcomes.slice(1)), new Set(['failed']))
  aheadMs += 61_000
  await fail('10.0.1.1')
  t.match(audit.page(Number.MAX_SAFE_INTEGER, 1, {}).entries, [{ kind: 'auth.sign_in', outcome: 'failed' }], 'a minute later they are recorded again')
})
