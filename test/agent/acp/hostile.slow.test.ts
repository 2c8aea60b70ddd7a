import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startAgent } from '../../support/acp/agents.js'
import { tokenText } from '../../support/events.js'

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

t.test('a yes holds after it was said, for what was shown, and once', async (t) => {
  const service = await startAgent(t)
  const session = await service.newSession()
  const path = join(service.workspace, 'planted.txt')
  const given = `const path = ${JSON.stringify(path)}; const call = { toolCallId: 'e1', title: 'Edit', kind: 'edit', content: [{ type: 'diff', path, oldText: null, newText: 'shown' }] }; const write = async (content) => (await ask('fs/write_text_file', { sessionId: id, path, content })).error === undefined ? 'written' : 'refused'`
  const run = async (script: string, answers: string[]): Promise<string> => {
    const reader = await service.watch(await service.send(session, `script ${given}; ${script}`))
    for (const choice of answers) await service.approve(session, choice)
    await reader.ended
    return tokenText(reader.frames).trim()
  }
  // Asked about, and written by us while nobody has answered, and after a no.
  t.equal(await run("const asked = permission(id, call); const early = write('shown'); chunk([outcomeOf(await asked), await early, await write('shown')].join())", ['deny', 'deny', 'deny']), 'no,refused,refused')
  t.notOk(existsSync(path))
  // The id of a call that is over begins another one, which is asked about as what it is.
  t.equal(await run("update(id, { sessionUpdate: 'tool_call', toolCallId: 'e1', title: 'Look', kind: 'read', status: 'completed' }); const outcome = outcomeOf(await permission(id, call)); chunk([outcome, await write('another'), await write('shown'), await write('shown')].join())", ['once', 'deny', 'deny']), 'yes,refused,written,refused')
  t.equal(readFileSync(path, 'utf8'), 'shown')
  const terminal = (env: string): string => `const ran = async () => (await ask('terminal/create', { sessionId: id, command: 'mkdir -p made && rm -r made'${env} })).error === undefined ? 'ran' : 'refused'; chunk([outcomeOf(await permission(id, { toolCallId: 'r1', title: 'Run', kind: 'execute', rawInput: { command: 'mkdir -p made && rm -r made' } })), await ran()].join())`
  t.equal(await run(terminal(", env: [{ name: 'LD_PRELOAD', value: '/tmp/x.so' }]"), ['once', 'deny']), 'yes,refused', 'variables were not shown')
  t.equal(await run(terminal(''), ['once']), 'yes,ran')
})
