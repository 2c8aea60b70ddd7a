import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { eventually, gate, held, said, startChat, type ScriptedAnswer } from '../support/chat.js'
import { type ModelRequest } from '../support/model-endpoint.js'

const service = await startChat(t)
const { workspace } = service
const document = '# Tidy up\n\nWhat I found: two files.\n\n## Steps\n\n- [ ] Rename one.ts\n- [ ] Remove two.ts\n  - [ ] but look first\n'
const call = (tool: string, args: Record<string, unknown>): ScriptedAnswer => [{ tool, args }]
const read = async (sessionId: string, query = '') => (await service.get(`/api/session/plan?session_id=${sessionId}${query}`)).body
const edit = async (sessionId: string, text: string, version: number) => await service.post('/api/session/plan', { session_id: sessionId, text, version })
const go = async (sessionId: string, version: number, more: Record<string, unknown> = {}) =>
  await service.post('/api/session/plan/go', { session_id: sessionId, version, ...more })
const setMode = async (sessionId: string, mode: string) => await service.post('/api/session/update', { session_id: sessionId, mode })
const rowOf = async (sessionId: string) => (await service.get(`/api/session?session_id=${sessionId}&messages=0`)).body.session
const results = (request: ModelRequest | undefined): string[] => said(request, 'tool')
const sessionOf = async (model: string): Promise<string> => await service.newSession({ model, model_provider: 'openai' })
/** Runs a turn in plan mode, which the message switches on. */
async function planned (sessionId: string, message = 'Plan it') {
  const reader = await service.watch(await service.send(sessionId, message, { mode: 'plan' }))
  await reader.ended
  return reader
}

t.test('in plan mode the agent reads and writes a plan, and what would change anything is refused', async (t) => {
  writeFileSync(join(workspace, 'one.ts'), 'one')
  const model = service.model(
    [{ tool: 'read_file', args: { path: 'one.ts' } }, { tool: 'write_file', args: { path: 'new.ts', content: 'x' } }, { tool: 'terminal', args: { command: 'echo x > new.ts' } }],
    [{ tool: 'terminal', args: { command: 'cat one.ts' } }, { tool: 'memory', args: { action: 'add', section: 'memory', text: 'x' } }],
    call('write_plan', { plan: document }), [{ text: 'There is the plan.' }]
  )
  const sessionId = await sessionOf(model)
  await service.post('/api/session/yolo', { session_id: sessionId, enabled: true })
  const own = await service.events(`/api/session/stream?session_id=${sessionId}`)
  const all = await service.events(`/api/events?session=${sessionId}`)
  await planned(sessionId)
  const [first, second, third, fourth] = service.requests(model)
  t.match(said(first, 'system').at(-1), /Plan mode is on.*write_plan/s)
  t.ok(first?.tools.includes('write_plan'))
  for (const name of ['write_file', 'edit_file', 'memory', 'skill_save', 'schedule']) t.notOk(first?.tools.includes(name), `${name} is not even offered`)
  t.match(results(second), [/one/, /no tool called write_file/, /Refused: the command is not known to only read.*Plan mode is on/s])
  t.match(results(third).slice(3), [/one/, /no tool called memory/])
  t.match(results(fourth).at(-1), /Saved as version 1, with 2 steps/)
  t.notOk(existsSync(join(workspace, 'new.ts')), 'with yolo as well')
  t.match(await read(sessionId), {
    session_id: sessionId, mode: 'plan', plan: {
      version: 1, text: document, title: 'Tidy up', author: 'agent', started_at: null,
      steps: [{ content: 'Rename one.ts', status: 'pending' }, { content: 'Remove two.ts', status: 'pending' }]
    }, versions: [{ version: 1, author: 'agent', started_at: null }]
  })
  t.match(await rowOf(sessionId), { mode: 'plan' })
  await own.until(({ event, data }) => event === 'plan_changed' && data.version === 1 && data.author === 'agent')
  await eventually('the frame of everything', () => all.frames.some(({ event, data }) => event === 'conversation' && data.event === 'plan_changed'))
})

t.test('a client that knows nothing of modes sees none, and a session keeps its mode from message to message', async (t) => {
  const model = service.model([{ text: 'Hello.' }], call('terminal', { command: 'touch sneaked' }), [{ text: 'Done.' }])
  const sessionId = await sessionOf(model)
  await service.turn(sessionId, 'hello', model)
  t.notOk('mode' in await rowOf(sessionId))
  t.notOk(service.requests(model)[0]?.tools.includes('write_plan'))
  t.match(await setMode(sessionId, 'plan'), { status: 200, body: { session: { mode: 'plan' } } })
  await service.turn(sessionId, 'Do it', model)
  t.notOk(existsSync(join(workspace, 'sneaked')), 'a message without a mode changes none')
  t.match(await setMode(sessionId, 'default'), { status: 200 })
  t.notOk('mode' in await rowOf(sessionId))
  t.match(await setMode(sessionId, 'act'), { status: 400 })
})

t.test('a person edits the plan, and neither two devices nor the agent write over what they have not seen', async (t) => {
  const model = service.model(
    call('write_plan', { plan: document }), [{ text: 'There.' }],
    call('write_plan', { plan: `${document}- [ ] Mine\n` }), call('write_plan', { plan: `${document}- [ ] Both\n`, version: 2 }), [{ text: 'There.' }]
  )
  const sessionId = await sessionOf(model)
  await planned(sessionId)
  const theirs = document.replace('Remove two.ts', 'Keep two.ts')
  t.match(await edit(sessionId, theirs, 1), { status: 200, body: { plan: { version: 2, author: 'person', text: theirs } } })
  t.match(await edit(sessionId, 'late', 1), { status: 409, body: { code: 'plan_changed', plan_version: 2 } })
  t.match(await edit(sessionId, theirs, 2), { body: { plan: { version: 2 } } }, 'the same again is no change')
  t.match(await edit(sessionId, ' \n', 2), { status: 400 })
  await service.turn(sessionId, 'Go on', model)
  const requests = service.requests(model)
  t.match(said(requests[2], 'system').at(-1), /The user has edited the plan. This is version 2.*Keep two\.ts/s)
  t.match(results(requests[3]).at(-1), /Not saved: the user has edited the plan. This is version 2.*Keep two\.ts/s)
  t.match(results(requests[4]).at(-1), /Saved as version 3/)
  t.match(await read(sessionId), { plan: { version: 3, author: 'agent' }, versions: [{ version: 3 }, { version: 2, author: 'person' }, { version: 1 }] })
  t.match(await read(sessionId, '&version=2'), { plan: { version: 2, text: theirs } })
  t.match(await service.get(`/api/session/plan?session_id=${sessionId}&version=9`), { status: 404 })
})

t.test('a plan can begin with a person, and one without steps is not started', async (t) => {
  const sessionId = await service.newSession()
  t.match(await read(sessionId), { mode: 'default', plan: null, versions: [] })
  t.match(await go(sessionId, 0), { status: 409, body: { code: 'plan_changed' } })
  t.match(await edit(sessionId, 'Only words', 0), { status: 200, body: { plan: { version: 1, author: 'person', steps: [] } } })
  t.match(await go(sessionId, 1), { status: 400, body: { code: 'no_steps' } })
  t.match(await edit(sessionId, 'x', 0), { status: 409 })
  t.match(await service.get('/api/session/plan?session_id=nothing'), { status: 404 })
})

t.test('a plan is what a person reads of it', async (t) => {
  const hidden = '\u{e0041}\u{e0042}\u202e\u0000'
  const plain = '# \u{1f469}\u200d\u{1f4bb} Plan\n\n- [ ] One\n- [ ] Two\n'
  const model = service.model(call('write_plan', { plan: plain.replace('One', `One${hidden}`) }), [{ text: 'There.' }])
  const sessionId = await sessionOf(model)
  await planned(sessionId)
  t.match(await read(sessionId), { plan: { version: 1, text: plain, author: 'agent' } })
  t.match(await edit(sessionId, plain.replaceAll('\n', '\r\n'), 1), { status: 200, body: { plan: { version: 1 } } }, 'the same, as another system writes it')
  t.match(await edit(sessionId, plain.replaceAll('\n', '\r').replace('Two', `T${hidden}wo three`), 1), {
    body: { plan: { version: 2, text: plain.replace('Two', 'Two three'), steps: [{ content: 'One' }, { content: 'Two three' }] } }
  })
  t.match(await edit(sessionId, `\u200b${hidden}\n`, 2), { status: 400, body: { error: 'text is required' } })
})

t.test('comments on lines of the plan go to the agent in one message, and say what became of them', async (t) => {
  let ids: string[] = []
  const model = service.model(call('write_plan', { plan: document }), [{ text: 'There.' }], (request) => {
    ids = [...(said(request, 'user').at(-1) ?? '').matchAll(/^### \[(\w+)\]/gm)].map(([, id = '']) => id)
    return [{ tool: 'write_plan', args: { plan: document.replace('Rename one.ts', 'Rename one.ts to first.ts') } }]
  }, () => [{ text: `Done.\n\n[${ids[1]}] Because nobody uses it.` }])
  const sessionId = await sessionOf(model)
  await planned(sessionId)
  const comments = [{ path: 'plan:plan.md', line: 7, text: 'To what?' }, { path: 'plan:plan.md', line: 1, text: 'Why?' }]
  t.match(await service.post('/api/session/reviews', { session_id: sessionId, comments }), {
    status: 200, body: { comments: [{ quote: ['- [ ] Rename one.ts'], place: { line: 7, found: 'here' } }, { quote: ['# Tidy up'] }] }
  })
  const sent = await service.post('/api/session/reviews/send', { session_id: sessionId })
  t.equal(sent.status, 200)
  await (await service.watch(sent.body.stream_id)).ended
  t.match(said(service.requests(model)[2], 'user').at(-1), /Review: 2 comments on 1 file\..*change the plan with write_plan.*plan:plan\.md.*line 7.*To what\?/s)
  const settled = await eventually('the fates', async () => {
    const { body } = await service.get(`/api/session/reviews?session_id=${sessionId}`)
    return body.comments.every(({ state }: { state: string }) => state !== 'sent') && body.comments
  })
  t.match(settled, [{ state: 'changed', changed_in: 'plan:plan.md' }, { state: 'answered', answer: 'Because nobody uses it.' }])
})

t.test('Go leaves plan mode, makes the plan the goal, and its steps are ticked off live', async (t) => {
  const done = (first: string, second: string) => [{ id: '1', content: 'Rename one.ts', status: first }, { id: '2', content: 'Remove two.ts', status: second }]
  const model = service.model(
    call('write_plan', { plan: document }), [{ text: 'There.' }],
    call('todo', { todos: done('completed', 'in_progress') }), call('write_file', { path: 'acted', content: 'x' }), [{ text: 'All is done.' }]
  )
  const sessionId = await sessionOf(model)
  await service.post('/api/session/yolo', { session_id: sessionId, enabled: true })
  await planned(sessionId)
  const { status, body } = await go(sessionId, 1, { client_id: 'device-1' })
  t.equal(status, 200)
  t.match(body, { ok: true, action: 'set', stream_id: String, goal: { status: 'active', goal: /^Carry out the plan "Tidy up".*- \[ \] Remove two\.ts/s } })
  const row = await rowOf(sessionId)
  t.notOk('mode' in row)
  const reader = await service.watch(body.stream_id)
  await reader.ended
  t.match(reader.frames.find(({ event }) => event === 'todo_state')?.data, { summary: { total: 2, completed: 1, in_progress: 1 } })
  t.match(said(service.requests(model)[2], 'user').at(-1), /^Go: carry out this plan.*# Tidy up/s)
  t.ok(service.requests(model)[2]?.tools.includes('write_file'))
  t.ok(existsSync(join(workspace, 'acted')), 'it may act again')
  t.match((await rowOf(sessionId)).todo_state, { todos: done('completed', 'in_progress') })
  t.match((await read(sessionId)).plan, { version: 1, started_at: Number })
  t.match(await go(sessionId, 1, { client_id: 'device-1' }), { status: 200, body: { stream_id: body.stream_id } }, 'the same request again gets the same answer')
  t.match(await go(sessionId, 1, { client_id: 'device-2' }), { status: 409, body: { code: 'plan_started' } })
  t.match((await service.post('/api/goal', { session_id: sessionId, args: 'status' })).body.goal, { status: 'done' })
})

t.test('the steps are there before the agent has said a word, and two devices that press Go at once begin one goal', async (t) => {
  const open = gate()
  const model = service.model(call('write_plan', { plan: document }), [{ text: 'There.' }], held(open, [{ text: 'So' }], [{ text: ' it is.' }]))
  const sessionId = await sessionOf(model)
  await planned(sessionId)
  const answers = await Promise.all(['a', 'b', 'c', 'd'].map(async (device) => await go(sessionId, 1, { client_id: device })))
  t.equal(answers.filter(({ status }) => status === 200).length, 1)
  t.ok(answers.filter(({ status }) => status !== 200).every(({ status, body }) => status === 409 && body.code === 'plan_started'), JSON.stringify(answers.map(({ body }) => body.code)))
  t.match((await rowOf(sessionId)).todo_state, { todos: [{ id: '1', content: 'Rename one.ts', status: 'pending' }, { id: '2', status: 'pending' }], summary: { total: 2, pending: 2 } })
  open.open()
  await (await service.watch(answers.find(({ status }) => status === 200)!.body.stream_id)).ended
  t.equal(service.requests(model).filter((request) => said(request, 'user').at(-1)?.startsWith('Go: ')).length, 1)
})

t.test('while a turn runs a plan is not started, and stays what it is', async (t) => {
  const open = gate()
  const model = service.model(held(open, [{ text: 'So' }], [{ text: ' it is.' }]))
  const sessionId = await sessionOf(model)
  await edit(sessionId, document, 0)
  const streamId = await service.send(sessionId, 'Wait', { mode: 'plan' })
  t.match(await go(sessionId, 1), { status: 409, body: { error: 'agent_running', active_stream_id: streamId } })
  t.match(await rowOf(sessionId), { mode: 'plan' })
  t.match((await read(sessionId)).plan, { started_at: null })
  open.open()
  await (await service.watch(streamId)).ended
})

t.test('switched on in the middle of a turn it holds at once, also for a card that is open; switched off, from the next turn on', async (t) => {
  const file = join(workspace, 'asked.txt')
  const model = service.model(call('terminal', { command: `rm ${file}` }), call('write_file', { path: 'later.txt', content: 'x' }), [{ text: 'Done.' }])
  writeFileSync(file, 'x')
  const sessionId = await sessionOf(model)
  const streamId = await service.send(sessionId, 'Remove it')
  const pending = await service.pending(sessionId)
  t.match(await setMode(sessionId, 'plan'), { status: 200 })
  t.match(await setMode(sessionId, 'default'), { status: 200 }, 'the turn keeps what it has got')
  await service.respond(sessionId, 'once', pending.approval_id)
  await (await service.watch(streamId)).ended
  const [, second, third] = service.requests(model)
  t.match(results(second), [/Refused: the command is not known to only read/])
  t.match(results(third).at(-1), /Refused: it would change later\.txt/)
  t.equal(readFileSync(file, 'utf8'), 'x')
  t.notOk(existsSync(join(workspace, 'later.txt')))
})

t.test('sub-agents and background tasks are in the mode of their conversation, and have no plan of their own', async (t) => {
  const child = (request: ModelRequest): boolean => !request.tools.includes('delegate')
  const answers: ScriptedAnswer[] = Array.from({ length: 12 }, () => (request: ModelRequest) => {
    const refused = results(request)
    if (child(request)) return refused.length > 0 ? [{ text: `It said: ${refused.at(-1)?.slice(0, 60)}` }] : [{ tool: 'terminal', args: { command: 'touch child' } }]
    if (said(request, 'user').at(-1)?.startsWith('In the background')) {
      return refused.length > 1 ? [{ text: refused.join(' | ') }] : refused.length === 1 ? [{ tool: 'write_plan', args: { plan: document } }] : [{ tool: 'terminal', args: { command: 'touch task' } }]
    }
    return refused.length > 0 ? [{ text: 'I see.' }] : [{ tool: 'delegate', args: { task: 'Make child' } }]
  })
  const model = service.model(...answers)
  const sessionId = await sessionOf(model)
  await planned(sessionId)
  t.match(results(service.requests(model).filter((request) => !child(request)).at(-1)), [/It said: Refused: the command is not known to only read/])
  t.match(said(service.requests(model).find(child), 'system').at(-1), /^Plan mode is on\. Read what you need; change nothing/)
  const { body } = await service.post('/api/background', { session_id: sessionId, prompt: 'In the background' })
  t.ok(body.task_id)
  const [result] = await eventually('its result', async () => {
    const { body: { results: found } } = await service.get(`/api/background/status?session_id=${sessionId}`)
    return found.length > 0 && found
  })
  t.match(result.answer, /Refused: the command is not known.*Only the conversation itself has a plan/s)
  t.notOk(existsSync(join(workspace, 'child')) || existsSync(join(workspace, 'task')))
  t.match((await read(sessionId)).plan, null)
})

t.test('queued messages, branches and copies have the mode of their conversation', async (t) => {
  const open = gate()
  const model = service.model(held(open, [{ text: 'So' }], [{ text: ' it is.' }]), call('terminal', { command: 'touch queued' }), [{ text: 'Done.' }])
  const sessionId = await sessionOf(model)
  const streamId = await service.send(sessionId, 'Wait')
  const queued = await service.post('/api/chat/start', { session_id: sessionId, message: 'Do it', if_busy: 'queue', mode: 'plan' })
  t.match(queued.body, { queued: true })
  t.match(await rowOf(sessionId), { mode: 'plan' })
  open.open()
  await (await service.watch(streamId)).ended
  await eventually('the queued turn', () => service.requests(model).length === 3)
  t.match(results(service.requests(model)[2]), [/Refused/])
  t.notOk(existsSync(join(workspace, 'queued')))
  const branch = await service.post('/api/session/branch', { session_id: sessionId })
  t.match(await rowOf(branch.body.session_id), { mode: 'plan' }, 'nobody gets out by a branch')
  const copy = await service.post('/api/session/duplicate', { session_id: sessionId })
  t.match(copy.body.session, { mode: 'plan' })
})

t.test('a read token sees the plan with credentials masked, and changes nothing; leaving plan mode takes the scope of approvals', async (t) => {
  const guarded = await startChat(t, { env: { SVC_WEBUI_PASSWORD: 'correct horse' } })
  const signedIn = await guarded.post('/api/auth/login', { password: 'correct horse' })
  const cookie = { cookie: signedIn.headers.get('set-cookie')!.split(';')[0]! }
  const token = async (scope: string) => ({ authorization: `Bearer ${(await guarded.post('/api/auth/tokens/create', { name: scope, scope }, cookie)).body.token as string}` })
  const [reader, chatter, approver] = [await token('read'), await token('chat'), await token('approve')]
  const { session_id: sessionId } = (await guarded.post('/api/session/new', {}, chatter)).body.session
  const secret = `sk-proj-${'a1B2'.repeat(12)}`
  const text = `# Plan\n\n- [ ] Use ${secret}\n`
  t.match(await guarded.post('/api/session/plan', { session_id: sessionId, text, version: 0 }, chatter), { status: 200, body: { plan: { text } } })
  const seen = await guarded.get(`/api/session/plan?session_id=${sessionId as string}`, reader)
  t.equal(seen.status, 200)
  t.notMatch(seen.text, secret)
  t.match(await guarded.post('/api/session/plan', { session_id: sessionId, text, version: 1 }, reader), { status: 403 })
  const update = async (mode: string, headers: Record<string, string>) => await guarded.post('/api/session/update', { session_id: sessionId, mode }, headers)
  t.match(await update('default', chatter), { status: 200 }, 'there is nothing to leave')
  t.match(await update('plan', chatter), { status: 200, body: { session: { mode: 'plan' } } })
  const refused = { status: 403, body: { code: 'scope_too_narrow', needed_scope: 'approve' } }
  t.match(await update('default', chatter), refused)
  t.match(await guarded.post('/api/chat/start', { session_id: sessionId, message: 'Do it', mode: 'default' }, chatter), refused)
  t.match(await guarded.post('/api/session/plan/go', { session_id: sessionId, version: 1 }, chatter), refused)
  t.match((await guarded.get(`/api/session?session_id=${sessionId as string}`, reader)).body.session, { mode: 'plan' })
  t.match(await update('default', approver), { status: 200 })
  const entries = (await guarded.get('/api/audit?kind=mode.switched', cookie)).body.entries
  t.match(entries.map(({ details }: { details: unknown }) => details), [{ mode: 'default' }, { mode: 'plan' }])
})
