import t from '#test'
import { type ApprovalAsk, type RunEvent } from '../../services/agent/protocol.js'
import { vetAsk } from '../../services/areas/prompts/index.js'

const ask: ApprovalAsk = { command: 'touch x', description: 'Run a command', patternKey: 'cmd:touch', patternKeys: ['cmd:touch'], maxScope: 'always', timeoutS: 0 }
const offers = () => [{ scope: 'turn', unit: 'dollars', to: 2 }] as never
const bodyOf = (isElsewhere: boolean, more: Partial<ApprovalAsk> = {}) => {
  const event = { runId: 'r', t: 'ask', kind: 'approval', askId: 'a', callId: 'c', body: { ...ask, ...more } } as unknown as RunEvent
  return (vetAsk(event, { isElsewhere, offers }) as unknown as { body: ApprovalAsk }).body
}

t.test('what a run says of its card counts as far as the service can answer for it', async (t) => {
  t.same(bodyOf(false), ask, 'of a run of this machine, all of it')
  t.same(bodyOf(true), { ...ask, maxScope: 'session' }, 'nothing is granted for good on the word of another machine')
  for (const maxScope of ['once', 'session'] as const) t.equal(bodyOf(true, { maxScope }).maxScope, maxScope)
  for (const isElsewhere of [false, true]) t.same(bodyOf(isElsewhere, { maxScope: 'session', budget: [] }).budget, offers(), 'a limit is lifted as far as the service offers it')
  const token = { runId: 'r', t: 'token', text: 'x' } as unknown as RunEvent
  t.equal(vetAsk(token, { isElsewhere: true, offers }), token)
})
