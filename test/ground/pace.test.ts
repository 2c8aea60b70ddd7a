import { setImmediate as nextPass } from 'node:timers/promises'
import t from '#test'
import { createIntake } from '../../services/ground/concurrency/intake.js'
import { createPace } from '../../services/ground/concurrency/pace.js'

t.test('of many who let others in between, one goes on in each pass of the event loop', async (t) => {
  let steps = 0
  let most = 0
  const work = async (): Promise<void> => {
    const pace = createPace(0)
    for (let step = 0; step < 5; step++) {
      await pace()
      steps++
    }
  }
  const all = Promise.all(Array.from({ length: 20 }, work))
  for (let pass = 0; pass < 100; pass++) {
    const before = steps
    await nextPass()
    most = Math.max(most, steps - before)
  }
  await all
  t.ok(most <= 2, `${most} in one pass`)
})

t.test('of many who arrive together, a few continue in each pass of the event loop, in order', async (t) => {
  const intake = createIntake(3)
  const entered: number[] = []
  const all = Promise.all(Array.from({ length: 20 }, async (_, index) => {
    await intake()
    entered.push(index)
  }))
  let most = 0
  for (let pass = 0; pass < 20; pass++) {
    const before = entered.length
    await nextPass()
    most = Math.max(most, entered.length - before)
  }
  await all
  t.ok(most <= 3, `${most} in one pass`)
  t.strictSame(entered, Array.from({ length: 20 }, (_, index) => index))
  await intake()
  t.pass('and whoever comes later continues too')
})

t.test('whoever is patient continues when no other waits', async (t) => {
  const intake = createIntake(2)
  const entered: string[] = []
  const enter = async (name: string, isPatient: boolean): Promise<void> => {
    await intake({ isPatient })
    entered.push(name)
  }
  await Promise.all([enter('a', true), enter('b', false), enter('c', true), enter('d', false), enter('e', false)])
  t.strictSame(entered, ['b', 'd', 'e', 'a', 'c'])
  await intake({ isPatient: true })
  t.pass('and continues alone too')
})
