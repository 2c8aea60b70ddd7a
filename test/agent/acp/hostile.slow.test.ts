import t from 'tap'
import { startAgent } from '../../support/acp/agents.js'

t.test('odd values of an agent are left out and end nothing', async (t) => {
  const service = await startAgent(t)
  const [one, other] = [await service.newSession(), await service.newSession()]
  const waiting = await service.watch(await service.send(other, 'say I wait\nwait'))
  await waiting.until('token')
  const odd = "const deep = '['.repeat(50000) + ']'.repeat(50000); const raw = (body) => process.stdout.write('{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"' + id + '\",\"update\":' + body + '}}\\n');"
  const bodies = [
    '\'{"sessionUpdate":"tool_call","toolCallId":"d1","kind":"execute","rawInput":{"command":[{"toString":1,"valueOf":1}]}}\'',
    '\'{"sessionUpdate":"tool_call","toolCallId":"d2","rawInput":{"x":\' + deep + \'}}\'',
    '\'{"sessionUpdate":"tool_call","toolCallId":"d3","status":"completed","rawOutput":\' + deep + \'}\'',
    '\'{"sessionUpdate":"config_option_update","configOptions":[{"type":"select","id":"model","options":\' + \'[{"options":\'.repeat(20000) + \'[]\' + \'}]\'.repeat(20000) + \'}]}\''
  ]
  for (const body of bodies) {
    const { text, last } = await service.turn(one, `script ${odd} raw(${body}); chunk('still there')`)
    t.match(text, /still there/, JSON.stringify(last.data).slice(0, 300))
  }
  t.notOk(waiting.frames.some(({ event }) => event === 'apperror'))
})
