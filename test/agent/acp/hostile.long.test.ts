import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { startAgent } from '../../support/acp/agents.js'
import { eventually } from '../../support/chat.js'
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
  // The service asks for approval, and the test tries to write before the answer, and after a denial.
  t.equal(await run("const asked = permission(id, call); const early = write('shown'); chunk([outcomeOf(await asked), await early, await write('shown')].join())", ['deny', 'deny', 'deny']), 'no,refused,refused')
  t.notOk(existsSync(path))
  // The id of a finished call begins another one, which needs approval for what it really is.
  t.equal(await run("update(id, { sessionUpdate: 'tool_call', toolCallId: 'e1', title: 'Look', kind: 'read', status: 'completed' }); const outcome = outcomeOf(await permission(id, call)); chunk([outcome, await write('another'), await write('shown'), await write('shown')].join())", ['once', 'deny', 'deny']), 'yes,refused,written,refused')
  t.equal(readFileSync(path, 'utf8'), 'shown')
  const terminal = (env: string): string => `const ran = async () => (await ask('terminal/create', { sessionId: id, command: 'mkdir -p made && rm -r made'${env} })).error === undefined ? 'ran' : 'refused'; chunk([outcomeOf(await permission(id, { toolCallId: 'r1', title: 'Run', kind: 'execute', rawInput: { command: 'mkdir -p made && rm -r made' } })), await ran()].join())`
  t.equal(await run(terminal(", env: [{ name: 'LD_PRELOAD', value: '/tmp/x.so' }]"), ['once', 'deny']), 'yes,refused', 'variables were not shown')
  t.equal(await run(terminal(''), ['once']), 'yes,ran')
})

t.test('what the agent asks for no more leaves no card', async (t) => {
  const service = await startAgent(t)
  const session = await service.newSession()
  const go = join(service.folder, 'go')
  const pending = async (kind: string): Promise<unknown> => (await service.get(`/api/${kind}/pending?session_id=${session}`)).body.pending
  const tells = `const { existsSync } = require('node:fs'); const told = async (name) => { while (!existsSync(${JSON.stringify(go)} + name)) await pause(10) }; const call = { toolCallId: 'w1', title: 'Run', kind: 'execute', rawInput: { command: 'touch it' } }`
  const ways: Array<[name: string, kind: string, script: string]> = [
    ['taken back', 'approval', "const asked = permission(id, call); await told('taken back'); say({ method: '$/cancel_request', params: { requestId: 'a1' } }); chunk(outcomeOf(await asked))"],
    ['over', 'approval', "const asked = permission(id, call); await told('over'); update(id, { sessionUpdate: 'tool_call_update', toolCallId: 'w1', status: 'completed' }); chunk(outcomeOf(await asked))"],
    ['a question', 'clarify', "const asked = ask('elicitation/create', { sessionId: id, mode: 'form', message: 'Well?', requestedSchema: {} }); await told('a question'); say({ method: '$/cancel_request', params: { requestId: 'a3' } }); chunk((await asked).result.action)"]
  ]
  for (const [name, kind, script] of ways) {
    const reader = await service.watch(await service.send(session, `script ${tells}; ${script}`))
    await eventually('a card', async () => await pending(kind))
    writeFileSync(go + name, '')
    await reader.ended
    t.equal(reader.frames.at(-1)!.event, 'stream_end', name)
    t.match(tokenText(reader.frames), kind === 'approval' ? /cancelled/ : /cancel/, name)
    t.equal(await pending(kind), null, name)
    t.notOk(reader.frames.some(({ event }) => event === 'warning'), 'nobody has refused anything')
  }
})

t.test('a flood is refused in words, and the turn ends honestly', async (t) => {
  const service = await startAgent(t)
  const session = await service.newSession()
  const path = join(service.workspace, 'long.txt')
  writeFileSync(path, 'x'.repeat(100_000))
  const count = "const how = {}; for (const { error } of answers) { const word = error?.message ?? 'done'; how[word] = (how[word] ?? 0) + 1 } chunk(JSON.stringify(how))"
  const read = await service.turn(session, `script const answers = await Promise.all(Array.from({ length: 1000 }, () => ask('fs/read_text_file', { sessionId: id, path: ${JSON.stringify(path)} }))); ${count}`)
  const how = JSON.parse(read.text) as Record<string, number>
  t.ok(how['done']! >= 512, read.text)
  t.same(Object.keys(how).filter((word) => !/^done$|512 requests open already/.test(word)), [])
  t.equal(read.last.event, 'stream_end')

  const asked = await service.turn(session, `script const questions = Array.from({ length: 30 }, () => ask('elicitation/create', { sessionId: id, mode: 'form', message: 'Well?', requestedSchema: {} })); let refused = 0; for (const question of questions) void question.then(({ error }) => { if (error !== undefined) refused++ }); while (refused < 22) await pause(10); for (let n = 1001; n <= 1030; n++) say({ method: '$/cancel_request', params: { requestId: 'a' + n } }); const answers = await Promise.all(questions); ${count}`)
  t.same(JSON.parse(asked.text), { done: 8, 'Invalid request: 8 questions wait for an answer already': 22 })

  const notices = (many: number): string => `script for (let n = 0; n < ${many}; n++) update(id, { sessionUpdate: 'notice', title: 'Notice ' + n }); chunk('said')`
  const some = await service.turn(session, notices(500))
  const warnings = some.frames.filter(({ event }) => event === 'warning').map(({ data: { message } }) => message)
  t.equal(warnings.length, 100)
  t.same([warnings[98], warnings[99]], ['Notice 98', 'The agent has more to say than is shown here.'])
  t.match(some.text, /said/)
  t.match((await service.turn(session, `${notices(3_000)}; await pause(60_000)`)).last.data, { type: 'interrupted', message: /does not stop sending notices/ })
  t.match((await service.turn(session, 'say again')).text, /again/)
})

t.test('signs that cannot be seen are told of as such, wherever names of an agent are shown', async (t) => {
  const service = await startAgent(t)
  const session = await service.newSession()
  const odd = 'safe\u202egpj.exe\u0007\u200b'
  const shown = 'safe\\u{202e}gpj.exe\u2407\\u{200b}'
  const script = `script const odd = String.fromCharCode(${[...odd].map((character) => character.charCodeAt(0)).join()}); update(id, { sessionUpdate: 'plan', entries: [{ content: odd, status: 'pending' }] }); update(id, { sessionUpdate: 'notice', title: odd }); update(id, { sessionUpdate: 'tool_call', toolCallId: 't', title: odd, name: odd, kind: 'other', locations: [{ path: odd }] }); update(id, { sessionUpdate: 'available_commands_update', availableCommands: [{ name: 'odd', description: odd, input: { hint: odd } }] }); update(id, { sessionUpdate: 'config_option_update', configOptions: [{ type: 'select', id: 'model', category: 'model', currentValue: 'small', options: [{ value: 'small', name: odd }, { value: odd, name: 'Odd' }] }] }); const first = permission(id, { toolCallId: 'a', title: odd, name: odd, kind: 'other' }); await first; await ask('session/request_permission', { sessionId: id, toolCall: { toolCallId: 'b', title: odd, kind: 'switch_mode' }, options: [{ optionId: 'x', name: odd, kind: 'allow_once' }] }); chunk('over')`
  const reader = await service.watch(await service.send(session, script))
  const card = await service.approve(session, 'deny')
  const question = await service.pending(session, 'clarify')
  await service.post('/api/clarify/respond', { session_id: session, clarify_id: question.clarify_id, response: 'no' })
  await reader.ended
  const told = JSON.stringify([card, question, reader.frames.filter(({ event }) => event !== 'done'), (await service.get('/api/models')).body])
  for (const sign of ['\u202e', '\\u0007', '\u200b']) t.equal(told.split(sign).length, 1, told.slice(Math.max(0, told.indexOf(sign) - 600), told.indexOf(sign) + 100))
  t.equal(told.split(JSON.stringify(shown).slice(1, -1).replace('\\u{200b}', '')).length > 6, true, told.slice(0, 4_000))
})
