import t from '#test'
import { type AgentCall } from '../../../services/agent/acp/calls.js'
import { describedCall } from '../../../services/agent/acp/described-call.js'
import { Calls } from '../../../services/agent/acp/v2/calls.js'
import { Prompt } from '../../../services/agent/acp/v2/prompt.js'
import { StreamedTexts } from '../../../services/agent/acp/v2/streamed-texts.js'
import { idIn, readCall } from '../../../services/agent/acp/wire.js'
import { eventually } from '../../support/chat.js'
import { startAgent } from '../../support/acp/agents.js'

/** Returns what is judged of a call, and every text of it that an approval shows. */
function told (call: Record<string, unknown>): { judged: Record<string, unknown>, shown: string, isFile: boolean } {
  const news = readCall({ toolCallId: 'c', ...call })
  if (news === null) throw new Error('It has an id')
  const tool = describedCall('other', news as unknown as AgentCall, () => {})
  const targets = tool.targets({})
  return { judged: { ...targets }, shown: [targets.command ?? tool.preview({}), targets.cwd ?? '', tool.content?.({}) ?? ''].join('\n'), isFile: tool.rewrite !== undefined }
}

const evil = 'rm -rf ~'
const padding = ' '.repeat(3_000)

t.test('whatever an agent tells its command in, all of it is judged and shown', (t) => {
  const lines: Array<[Record<string, unknown>, string]> = [
    [{ kind: 'execute', title: `ls${padding}; ${evil}` }, `ls${padding}; ${evil}`],
    [{ kind: 'execute', title: `\`ls${padding}; ${evil}\`` }, `ls${padding}; ${evil}`],
    [{ kind: 'execute', title: 'Look', rawInput: { command: 'rm', args: ['-rf', '~'] } }, "rm -rf '~'"],
    [{ kind: 'execute', title: 'Look', rawInput: { command: 'rm', args: '-rf ~' } }, evil],
    [{ kind: 'execute', title: 'Look', rawInput: { command: ['bash'], arguments: ['-c', evil] } }, `bash -c '${evil}'`],
    [{ kind: 'execute', title: 'Look', rawInput: { argv: ['rm', '-rf', 7] } }, 'rm -rf 7'],
    [{ kind: 'think', title: 'Look', rawInput: { cmd: evil } }, evil],
    [{ kind: 'execute', title: 'Look', rawInput: evil }, evil],
    [{ kind: 'execute', rawInput: { command: 'ls', args: [] } }, 'ls']
  ]
  for (const [call, line] of lines) t.equal(told(call).judged['command'], line, JSON.stringify(call).slice(0, 100))
})

t.test('a command that cannot be read, or is one of several, is none that a grant could hold for', (t) => {
  const inputs = [{ command: 'ls', cmd: evil }, { command: 'ls', args: { of: evil } }, { command: 'ls', args: [[evil]] }, { command: 'ls', args: ['-l'], arguments: [evil] }, { command: { line: evil } }, { script: 'ls', argv: [evil] }]
  for (const rawInput of inputs) {
    for (const kind of ['execute', 'read', 'edit', 'think', undefined]) {
      const { judged, shown, isFile } = told({ kind, title: 'ls', rawInput, content: [{ type: 'diff', path: 'a', oldText: null, newText: 'x' }] })
      t.same([judged, isFile], [{}, false], JSON.stringify({ kind, rawInput }))
      t.match(shown, evil)
    }
  }
  const { judged, shown } = told({ kind: 'execute', title: 'ls', rawInput: { args: [evil] } })
  t.same(judged, {})
  t.match(shown, evil)
})

t.test('what stands beside a command is shown: other fields, other folders', (t) => {
  for (const more of [{ env: { PATH: './evil' } }, { stdin: './evil' }, { cwd: '/srv', workdir: './evil' }, { cwd: ['./evil'] }]) t.match(told({ kind: 'execute', rawInput: { command: 'make', ...more } }).shown, './evil', JSON.stringify(more))
})

t.test('of several differences each is shown, and where it goes', (t) => {
  const diff = (path: string, text: string): unknown => ({ type: 'diff', path, oldText: 'old\n', newText: `${text}\n` })
  const { judged, shown } = told({ kind: 'edit', title: 'Edit', content: [diff('a.txt', 'first'), diff('a.txt', 'second'), diff('b.txt', 'third')], locations: [{ path: 'c.txt' }] })
  t.same(judged['paths'], ['a.txt', 'b.txt', 'c.txt'].map((path) => ({ path, access: 'write' })))
  for (const part of ['+first', '+second', '+third', 'b.txt', 'c.txt']) t.ok(shown.includes(part), part)
})

t.test('a difference stands for a call only where the call says nothing else', (t) => {
  const content = [{ type: 'diff', path: '/w/a.txt', oldText: 'old', newText: 'harmless' }]
  const alone = [{ file_path: '/w/a.txt', old_string: 'old', new_string: 'harmless', replace_all: false }, { path: '/w/a.txt', command: 'str_replace', old_str: 'old', new_str: 'harmless' }, undefined]
  for (const rawInput of alone) t.same(told({ kind: 'edit', content, rawInput, locations: [{ path: '/w/a.txt' }] }).isFile, true, JSON.stringify(rawInput))
  const others: Array<[Record<string, unknown>, string]> = [
    [{ rawInput: { file_path: '/w/a.txt', content: evil } }, evil], [{ rawInput: { file_path: '/w/b.txt', content: 'harmless' } }, '/w/b.txt'], [{ locations: [{ path: '/w/a.txt' }, { path: `/w/${'deep/'.repeat(99)}b.txt` }] }, 'deep/b.txt'],
    [{ rawInput: { changes: { '/w/a.txt': { move_path: '/w/c.txt' } } } }, '/w/c.txt'], [{ rawInput: { grant_root: '/w/everything' } }, '/w/everything']
  ]
  for (const [more, part] of others) {
    const { shown, isFile } = told({ kind: 'edit', title: 'Edit', content, ...more })
    t.same(isFile, false, JSON.stringify(more).slice(0, 100))
    for (const each of [part, '+harmless']) t.ok(shown.includes(each), each)
  }
})

t.test('a page is fetched by its address alone: what goes along with it is asked about as what it is', (t) => {
  t.same(told({ kind: 'fetch', title: 'Look', rawInput: { url: 'https://one.example/', prompt: 'What does it say?' } }).judged, { url: 'https://one.example/' })
  for (const more of [{ method: 'POST', body: evil }, { urls: ['https://two.example/'] }, { headers: { cookie: 'c' } }, { follow: 'https://two.example/' }]) {
    const { judged, shown } = told({ kind: 'fetch', title: 'Look', rawInput: { url: 'https://one.example/', ...more } })
    t.same(judged, {}, JSON.stringify(more))
    t.ok(shown.includes(JSON.stringify(Object.values(more)[0]).slice(1, -1).split('"').find((word) => word.length > 1) ?? ''), shown)
  }
})

const parts = (many: number): unknown[] => Array.from({ length: many }, (_, at) => ({ type: 'diff', path: `f${at}`, oldText: null, newText: 'x' }))
const deep = (levels: number): unknown => levels === 0 ? evil : { of: deep(levels - 1) }

t.test('what is not taken in whole is known not to be', (t) => {
  const cut: Array<Record<string, unknown>> = [
    { content: parts(201) }, { locations: parts(201) }, { locations: [{ path: `${'x/'.repeat(2_100)}end` }] }, { content: [{ type: 'diff', path: `${'x/'.repeat(2_100)}end`, newText: '' }] }, { name: 'n'.repeat(2_001) }, { rawInput: deep(17) }
  ]
  for (const call of cut) t.equal(readCall({ toolCallId: 'c', ...call })?.isCut, true, JSON.stringify(call).slice(0, 80))
  for (const call of [{ content: parts(200) }, { rawInput: deep(15) }, { title: 't'.repeat(9_000) }]) t.equal(readCall({ toolCallId: 'c', ...call })?.isCut, undefined, JSON.stringify(call).slice(0, 80))
})

t.test('over the wire: a padded title stands on its card whole, and a call of too many parts is refused in words', async (t) => {
  const service = await startAgent(t)
  const session = await service.newSession()
  const line = `ls${padding}; touch planted`
  const reader = await service.watch(await service.send(session, `script chunk(outcomeOf(await permission(id, { toolCallId: 'p', kind: 'execute', title: ${JSON.stringify(line)} })))`))
  const card = await eventually('a card', async () => (await service.get(`/api/approval/pending?session_id=${session}`)).body.pending)
  t.equal(card.command, line.replace(/ {3,}/, ' [3,000 blanks] '))
  t.match(card.pattern_keys.join(), 'touch')
  await service.approve(session, 'deny')
  await reader.ended
  const { frames, text } = await service.turn(session, `script chunk(outcomeOf(await permission(id, { toolCallId: 'm', kind: 'edit', title: 'Edit', content: ${JSON.stringify(parts(201))} })))`)
  t.equal(text, 'no')
  t.match(frames.filter(({ event }) => event === 'warning').map(({ data }) => data.message).join('\n'), /Refused: Edit. There is more to this call than can be shown/)
})

t.test('what would be done under the name of another way of working is asked about as what it is, and what comes along with one is shown', async (t) => {
  const service = await startAgent(t)
  const session = await service.newSession()
  const asks = (call: Record<string, unknown>): string => `script chunk(outcomeOf(await permission(id, ${JSON.stringify({ toolCallId: `s${Math.random()}`, kind: 'switch_mode', title: 'Leave the plan?', ...call })})))`
  for (const [call, about] of [
    [{ rawInput: { command: 'touch planted' } }, /touch planted/], [{ content: [{ type: 'diff', path: 'planted.txt', oldText: null, newText: 'planted' }] }, /planted\.txt/], [{ rawInput: { command: 'ls', cmd: 'touch planted' } }, /touch planted/], [{ rawInput: { url: 'https://evil.example/' } }, /evil\.example/]
  ] as const) {
    const turn = service.turn(session, asks(call))
    const { command, diff = '' } = await service.approve(session, 'deny')
    t.match(`${String(command)}${String(diff)}`, about)
    t.equal((await turn).text, 'no')
  }
  const turn = service.turn(session, asks({ content: [{ type: 'content', content: { type: 'text', text: 'First the tests.' } }], rawInput: { plan: 'First the tests.', allowedPrompts: [{ tool: 'Bash', prompt: 'publish it' }] } }))
  const question = await eventually('a question', async () => (await service.get(`/api/clarify/pending?session_id=${session}`)).body.pending)
  t.match(question.question, /^Leave the plan\?\n\nFirst the tests\.\n\n[^]*publish it/)
  await service.post('/api/clarify/respond', { session_id: session, clarify_id: question.clarify_id, response: 'Reject' })
  t.equal((await turn).text, 'no')
})

t.test('the name of an answer is not cut, or says how much of it is not there', async (t) => {
  const service = await startAgent(t)
  const session = await service.newSession()
  const options = [{ optionId: 'a', name: `Go on ${'and on '.repeat(100)}to the end`, kind: 'allow_once' }, { optionId: 'b', name: `Stay ${'there '.repeat(1_000)}for ever`, kind: 'reject_once' }]
  const turn = service.turn(session, `script chunk((await ask('session/request_permission', { sessionId: id, ...${JSON.stringify({ toolCall: { toolCallId: 's', title: 'Leave the plan?', kind: 'switch_mode' }, options })} })).result.outcome.optionId)`)
  const question = await eventually('a question', async () => (await service.get(`/api/clarify/pending?session_id=${session}`)).body.pending)
  t.equal(question.choices_offered[0], options[0]?.name)
  t.match(question.choices_offered[1], /^Stay there .* \[… 4\d{3} characters left out …\] .*for ever$/)
  await service.post('/api/clarify/respond', { session_id: session, clarify_id: question.clarify_id, response: question.choices_offered[0] })
  t.equal((await turn).text, 'a')
})

t.test('answers of the same name are told apart, and the one that was chosen is given', async (t) => {
  const service = await startAgent(t)
  const session = await service.newSession()
  const options = [{ optionId: 'carefully', name: 'Go on', kind: 'allow_once' }, { optionId: 'boldly', name: 'Go on', kind: 'allow_once' }, { optionId: 'not', name: 'Stay', kind: 'reject_once' }]
  const asked = { toolCall: { toolCallId: 's', title: 'Leave the plan?', kind: 'switch_mode' }, options }
  const turn = service.turn(session, `script chunk((await ask('session/request_permission', { sessionId: id, ...${JSON.stringify(asked)} })).result.outcome.optionId)`)
  const question = await eventually('a question', async () => (await service.get(`/api/clarify/pending?session_id=${session}`)).body.pending)
  t.same(question.choices_offered, ['Go on (carefully)', 'Go on (boldly)', 'Stay'])
  await service.post('/api/clarify/respond', { session_id: session, clarify_id: question.clarify_id, response: 'Go on (boldly)' })
  t.equal((await turn).text, 'boldly')
})

t.test('long ids of version 2 are kept in part, and tell apart all the same', (t) => {
  const calls = new Calls()
  const said = new StreamedTexts()
  const prompt = new Prompt()
  for (let at = 0; at < 5; at++) {
    const toolCallId = `${at} ${'x'.repeat(100_000)}`
    calls.chunk({ toolCallId, content: { type: 'content', content: { type: 'text', text: `part ${at}` } } })
    calls.terminal({ sessionUpdate: 'terminal_output_chunk', terminalId: toolCallId, data: '' })
    said.chunk({ sessionUpdate: 'agent_message_chunk', messageId: toolCallId, content: { text: 'x' } })
    prompt.inserted(idIn(toolCallId))
    t.match(calls.update({ toolCallId, status: 'completed' }), { content: [{ content: { text: `part ${at}` } }] })
  }
})
