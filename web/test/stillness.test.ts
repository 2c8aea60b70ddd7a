import t from '../../test/support/harness.js'
import { createStillness } from '../src/core/screen/stillness.js'

t.test('what would interrupt a growing answer waits until it has not grown for a second', async (t) => {
  let nowMs = 5_000
  const waits: Array<{ untilMs: number, act: () => void }> = []
  const stillness = createStillness({ nowMs: () => nowMs, wait: (ms, act) => waits.push({ untilMs: nowMs + ms, act }) })
  const goOn = (): void => {
    const { untilMs, act } = waits.shift() ?? { untilMs: nowMs, act: () => {} }
    nowMs = untilMs
    act()
  }
  await stillness.reached()
  t.equal(waits.length, 0, 'nothing has grown yet')

  stillness.grew()
  let isReached = false
  const reached = stillness.reached().then(() => { isReached = true })
  nowMs += 600
  stillness.grew()
  goOn()
  await new Promise((resolve) => setImmediate(resolve))
  t.equal(isReached, false, 'it has grown again meanwhile')
  goOn()
  await reached
  t.equal(nowMs, 6_600)
})
