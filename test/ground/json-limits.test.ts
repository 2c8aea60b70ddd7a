import t from '#test'
import { beyondLimits, beyondLimitsGently } from '../../services/ground/text/json.js'

t.test('limits are found with pauses as without, wherever the pauses are', async (t) => {
  const atOnce = 256 * 1024
  let pauses = 0
  const pace = async (): Promise<void> => { pauses++ }
  for (const tail of ['\\",[', '\\\\",[1,2', '",[[', '","', '\\u005c",[[[']) {
    for (let shift = -8; shift <= 8; shift++) {
      const text = Buffer.from(`["${'x'.repeat(atOnce + shift)}${tail}${'y'.repeat(atOnce)}"]`)
      for (const limits of [{ levels: 1, values: 99 }, { levels: 2, values: 99 }, { levels: 9, values: 2 }, { levels: 9, values: 9 }]) {
        t.equal(await beyondLimitsGently(text, limits, pace), beyondLimits(text, limits), `${tail} ${shift}`)
      }
    }
  }
  t.ok(pauses > 0)
  t.equal(beyondLimits(Buffer.from('["\\",[[["]'), { levels: 1, values: 9 }), null, 'what stands in a text does not count')
  t.equal(beyondLimits(Buffer.from('["\\\\",[[]]]'), { levels: 2, values: 9 }), 'levels')
})
