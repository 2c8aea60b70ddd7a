import t from '#test'
import { createKnownMachines, describeMachine, type Machine } from '../../services/areas/machines/index.js'
import { systemClock } from '../../services/ground/time/clock.js'
import { createValues, openDatabase } from '../../services/ground/database/index.js'
import { fresh } from '../support/database.js'

t.test('machines of before are known again; what another version kept of them is not taken for what this one understands', async (t) => {
  const db = openDatabase({ file: ':memory:', from: fresh() })
  t.teardown(() => db.close())
  const told = { instance: 'one', ...await describeMachine({
    version: '1.2.3', profiles: () => ['default'], providers: async () => [], sandbox: async () => ({ available: false, reason: 'none' }), runs: () => 0, workspaces: () => ['/work'], startedAtS: 1_700_000_000
  }) }
  const machine: Machine = { name: 'big', state: 'ready', sinceS: 1_700_000_000, note: null, hasLeft: false, told, generation: 3 }
  const known = createKnownMachines({ db, clock: systemClock })
  t.same(known.read(), [])
  known.keep([machine])
  await db.durably(() => {})
  t.strictSame(known.read(), JSON.parse(JSON.stringify([machine])))

  for (const [stored, read] of [
    [[{ ...machine, told: { ...told, load: { one: 1 } } }, { ...machine, name: 'other', told: null }], [{ ...machine, told: null }, { ...machine, name: 'other', told: null }]],
    [['big', null, { name: 'big' }, { ...machine, state: 'lost' }], []],
    [{ big: machine }, []]
  ]) {
    await db.durably(() => createValues(db.sqlite).set('hosts', stored, 1))
    t.strictSame(known.read(), read)
  }
})
