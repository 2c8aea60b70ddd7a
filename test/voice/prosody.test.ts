import t from '#test'
import { readProsody } from '../../services/areas/voice/prosody.js'

t.test('rate and pitch as clients write them', async (t) => {
  const table: Array<[unknown, unknown, rate: number, pitch: number]> = [
    [undefined, undefined, 1, 1], [null, null, 1, 1], ['', '', 1, 1], [0, 0, 1, 1], [1, 1, 1, 1],
    ['+10%', '-5Hz', 1.1, 0.975], ['25%', '+100Hz', 1.25, 1.5], ['-20%', '-50%', 0.8, 0.5], ['+0%', '+0Hz', 1, 1],
    [0.5, 0.1, 0.5, 0.1], [2, 2, 2, 2], ['-100%', '-100%', 0.5, 0], ['+100%', '+100%', 2, 2]
  ]
  for (const [rate, pitch, wantedRate, wantedPitch] of table) {
    const prosody = readProsody({ rate, pitch })
    t.same([prosody.rate, prosody.pitch].map((factor) => factor.toFixed(4)), [wantedRate, wantedPitch].map((factor) => factor.toFixed(4)), `${String(rate)} ${String(pitch)}`)
  }
  for (const rate of ['fast', '+10', '10 %', '+101%', '-101%', '+10Hz', '1.5', '+1000%', 0.4, 2.1, -1, NaN, Infinity, true, false, {}, [], '٣%']) {
    t.throws(() => readProsody({ rate, pitch: 'high' }), { message: /^Invalid rate: .*0\.5 to 2/ }, String(rate))
  }
  for (const pitch of ['high', '5hz', '+101Hz', '-5 Hz', 2.1, -0.1, true, {}]) t.throws(() => readProsody({ pitch }), { message: /^Invalid pitch: .*-5Hz/ }, String(pitch))
})
