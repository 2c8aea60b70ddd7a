import t from '#test'
import { OpenAsks } from '../../services/agent/host/open-asks.js'
import { type RunEventBody } from '../../services/agent/protocol.js'

const ask = {
  command: 'rm -r build', description: 'Removes a folder', patternKey: 'rm', patternKeys: ['rm'], maxScope: 'once' as const
}

t.test('only an answer that allows a call allows it', async (t) => {
  for (const [answer, choice] of [['once', 'once'], ['deny', 'deny'], ['yes', 'deny'], ['', 'deny']] as const) {
    const told: RunEventBody[] = []
    const asks = new OpenAsks({
      spec: { attended: true, approvalTimeoutS: 0, clarifyTimeoutS: 0, yolo: false, grants: [] }, emit: (event) => { told.push(event) },
      isCancelled: () => false
    })
    const approval = asks.approval(ask, { callId: 'call', beside: false })
    for (const event of told) if (event.t === 'ask') asks.answer(event.askId, answer)
    t.equal((await approval)?.choice, choice, `"${answer}"`)
  }
})
