import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { knownSecrets } from '../../services/ground/redaction/index.js'
import { eventually, gate, held, said, startChat, type ChatService, type ScriptedAnswer } from '../support/chat.js'
import { aheadBy } from '../support/clock.js'
import { type EventReader } from '../support/events.js'

let aheadMs = 0
const service = await startChat(t, { clock: aheadBy(() => aheadMs) })
const outside = join(service.folder, 'outside')
mkdirSync(outside)
for (const name of ['a', 'b', 'c']) writeFileSync(join(outside, name), `content of ${name}\n`)

const run = (command: string, id?: string): ScriptedAnswer => [{ tool: 'terminal', args: { command }, ...(id !== undefined && { id }) }]
const ask = (question: string, choices?: string[]): ScriptedAnswer => [{ tool: 'clarify', args: { question, ...(choices !== undefined && { choices }) } }]

/** Starts a turn and waits until its question is open. */
async function asked (sessionId: string, model: string, on: ChatService = service, kind?: 'approval' | 'clarify') {
  const streamId = await on.send(sessionId, 'Do it', { model })
  const reader = await on.watch(streamId)
  return { streamId, reader, pending: await on.pending(sessionId, kind) }
}

/** Resolves to what the terminal has printed, or what was said instead. */
async function finished (reader: EventReader) {
  await reader.ended
  return { last: reader.frames.at(-1)?.event, result: reader.frames.find((frame) => frame.event === 'tool_complete')?.data }
}

/** Runs a turn that must not ask. */
async function unasked (sessionId: string, model: string, on: ChatService = service) {
  const turn = await on.turn(sessionId, 'Do it', model)
  return turn.frames.find((frame) => frame.event === 'tool_complete')?.data
}

t.test('"once" lets this call through, and the next one is asked about again', async (t) => {
  const sessionId = await service.newSession()
  const cards = await service.events(`/api/approval/stream?session_id=${sessionId}`)
  t.same(await cards.until('initial'), { id: null, event: 'initial', data: { pending: null, pending_count: 0 } })
  t.equal(cards.headers['content-type'], 'text/event-stream')

  const { reader, pending } = await asked(sessionId, service.model(run('echo first'), run('echo second')))
  t.match(pending, { approval_id: String, session_id: sessionId, command: 'echo first', description: /echo first/, pattern_key: 'cmd:echo', pattern_keys: ['cmd:echo'] })
  const card = await cards.until('approval')
  t.same(card.data, { pending, pending_count: 1 }, 'the stream tells what the question is, and how many wait')
  t.notOk(reader.frames.some((frame) => frame.event === 'tool_complete'), 'nothing runs before the answer')
  const list = (await service.get('/api/sessions')).body.sessions
  t.match(list.find((row: { session_id: string }) => row.session_id === sessionId).attention, { kind: 'approval', count: 1, severity: 'critical' })
  const late = await service.events(`/api/approval/stream?session_id=${sessionId}`)
  t.same((await late.until(() => true)).data, { pending, pending_count: 1 }, 'a device that comes later sees it in its first frame')
  t.equal(late.frames[0]?.event, 'initial')

  const answer = await service.respond(sessionId, 'once', pending.approval_id)
  t.equal(answer.status, 200)
  t.same(answer.body, { ok: true, choice: 'once' })
  await reader.until('tool_complete')
  t.match(reader.frames.find((frame) => frame.event === 'tool_complete')?.data, { is_error: false, preview: /first/ })
  const second = await service.pending(sessionId, 'approval', 1)
  t.equal(second.command, 'echo second', 'the same program is asked about again')
  await cards.until((frame) => frame.data.pending?.approval_id === second.approval_id)
  t.same((await service.respond(sessionId, 'once')).body, { ok: true, choice: 'once' }, 'without an id the one on top is meant')
  t.equal((await finished(reader)).last, 'stream_end')
  t.notOk(reader.frames.some((frame) => frame.event === 'approval'), 'the question is not in the answer\'s own stream')
  t.same(await cards.until((frame) => frame === cards.frames.at(-1) && frame.data.pending === null && frame.event === 'approval'), { id: null, event: 'approval', data: { pending: null, pending_count: 0 } })
  t.same((await service.get(`/api/approval/pending?session_id=${sessionId}`)).body, { pending: null, pending_count: 0 })
  t.equal((await service.get('/api/sessions')).body.sessions.find((row: { session_id: string }) => row.session_id === sessionId).attention, null)
  cards.drop()
  late.drop()
})

t.test('"session" lets the same through for the rest of this conversation, and of no other', async (t) => {
  const sessionId = await service.newSession()
  const { reader } = await asked(sessionId, service.model(run('printf one'), run('printf two')))
  await service.respond(sessionId, 'session')
  t.equal((await finished(reader)).last, 'stream_end', 'the second call of the turn is not asked about')
  t.match(await unasked(sessionId, service.model(run('printf three'))), { is_error: false, preview: /three/ }, 'nor one of a later turn')
  const other = await service.newSession()
  const again = await asked(other, service.model(run('printf four')))
  await service.respond(other, 'deny')
  await again.reader.ended
})

t.test('"always" is written into the profile\'s settings and still counts after a restart', async (t) => {
  const folder = join(service.folder, 'kept')
  const config = join(folder, 'home', 'config.yaml')
  mkdirSync(join(folder, 'home'), { recursive: true })
  writeFileSync(config, '# mine, please keep\nmodel:\n  context_length: 12345 # small\n')
  const before = await service.again(t, folder)
  const sessionId = await before.newSession()
  const { reader } = await asked(sessionId, before.model(run('date')), before)
  t.same((await before.respond(sessionId, 'always')).body, { ok: true, choice: 'always' })
  await reader.ended
  const written = readFileSync(config, 'utf8')
  t.match(written, /approvals:\n\s+allow:\n\s+- cmd:date\n/)
  t.match(written, /# mine, please keep\nmodel:\n {2}context_length: 12345 # small\n/, 'what stood there stays')
  t.match(await unasked(await before.newSession(), before.model(run('date')), before), { is_error: false }, 'another conversation is not asked')
  await before.stop()

  const after = await service.again(t, folder)
  t.match(await unasked(await after.newSession(), after.model(run('date')), after), { is_error: false })
  t.match(await unasked(sessionId, after.model(run('date')), after), { is_error: false })
})

t.test('what was allowed for good is listed, and taken back everywhere at once', async (t) => {
  const folder = join(service.folder, 'taken')
  const config = join(folder, 'home', 'config.yaml')
  mkdirSync(join(folder, 'home'), { recursive: true })
  writeFileSync(config, 'approvals:\n  # by hand\n  allow:\n    - cmd:uptime # often\n    - cmd:npm *\n')
  const own = await service.again(t, folder)
  const sessionId = await own.newSession()
  const { reader } = await asked(sessionId, own.model(run('date')), own)
  await own.respond(sessionId, 'always')
  await reader.ended
  const keys = async () => (await own.get('/api/grants')).body.grants.map(({ pattern_key: key }: { pattern_key: string }) => key)
  await eventually('the file to be read again', async () => (await keys()).length === 3)
  t.same(await keys(), ['cmd:uptime', 'cmd:npm *', 'cmd:date'])

  // A running turn also asks from then on.
  const under = await asked(sessionId, own.model(run('hostname'), run('date')), own)
  const revoked = await own.post('/api/grants/revoke', { pattern_key: 'cmd:date' })
  t.match(revoked, { status: 200, body: { ok: true, grants: [{ pattern_key: 'cmd:uptime' }, { pattern_key: 'cmd:npm *' }] } })
  t.match(readFileSync(config, 'utf8'), /# by hand\n {2}allow:\n {4}- cmd:uptime # often\n {4}- cmd:npm \*\n$/, 'what else stands there stays')
  await own.respond(sessionId, 'once', under.pending.approval_id)
  const second = await eventually('it to ask', async () => {
    const { body } = await own.get(`/api/approval/pending?session_id=${sessionId}`)
    return body.pending !== null && body.pending.approval_id !== under.pending.approval_id && body.pending
  })
  t.match(second, { command: 'date' })
  await own.respond(sessionId, 'deny', second.approval_id)
  await under.reader.ended
  const again = await asked(sessionId, own.model(run('date')), own)
  await own.respond(sessionId, 'deny')
  await again.reader.ended

  t.match(await own.post('/api/grants/revoke', { pattern_key: 'cmd:date' }), { status: 404 })
  t.match(await own.post('/api/grants/revoke', {}), { status: 400 })
  writeFileSync(config, 'approvals: [')
  t.match(await own.post('/api/grants/revoke', { pattern_key: 'cmd:uptime' }), { status: 409, body: { code: 'config_broken' } })
  await own.stop()
})

t.test('what should not be allowed for good is not, whatever is clicked', async (t) => {
  const sessionId = await service.newSession()
  writeFileSync(join(service.workspace, 'scrap'), '')
  const first = await asked(sessionId, service.model(run('rm scrap')))
  t.equal(first.pending.max_scope, 'session')
  await service.respond(sessionId, 'always')
  await first.reader.ended
  t.match(await unasked(sessionId, service.model(run('rm -f scrap'))), { is_error: false }, 'it lasts for the session')
  t.same(service.app.profiles.rules('default').allowed, [])
  const other = await service.newSession()
  const again = await asked(other, service.model(run('rm -f scrap')))
  await service.respond(other, 'deny')
  await again.reader.ended

  const opaque = await asked(sessionId, service.model(run('eval "$WHATEVER"'), run('eval "$WHATEVER"')))
  t.equal(opaque.pending.max_scope, 'once')
  await service.respond(sessionId, 'always', opaque.pending.approval_id)
  const second = await eventually('the second question', async () => {
    const { body } = await service.get(`/api/approval/pending?session_id=${sessionId}`)
    return body.pending !== null && body.pending.approval_id !== opaque.pending.approval_id && body.pending
  })
  t.match(second, { command: 'eval "$WHATEVER"' }, 'what cannot be read is asked about every time')
  await service.respond(sessionId, 'deny')
  await opaque.reader.ended
})

t.test('a rule that denies what is asked, added while the card is open, wins over every yes', async (t) => {
  const strict = await startChat(t)
  const config = join(strict.folder, 'home', 'config.yaml')
  const sessionId = await strict.newSession()
  const { reader } = await asked(sessionId, strict.model(run('date')), strict)
  const bold = await strict.newSession()
  const { reader: other } = await asked(bold, strict.model(run('date')), strict)
  writeFileSync(config, 'approvals:\n  deny:\n    - cmd:da*\n')
  t.match(await strict.post('/api/session/yolo', { session_id: bold }), { status: 200 })
  t.notMatch((await finished(other)).result, { is_error: false }, 'yolo is one')
  for (const choice of ['always', 'session', 'once']) {
    t.match(await strict.respond(sessionId, choice), { status: 409, body: { error: /approvals\.deny/, code: 'denied_by_rule' } }, choice)
  }
  t.notMatch(readFileSync(config, 'utf8'), /allow/)
  t.match(await strict.respond(sessionId, 'deny'), { status: 200 }, 'the card is still there')
  t.notMatch((await finished(reader)).result, { is_error: false })
})

t.test('rules that change while a turn runs hold from its next call on', async (t) => {
  const strict = await startChat(t)
  const config = join(strict.folder, 'home', 'config.yaml')
  writeFileSync(config, 'approvals:\n  allow: [cmd:date, cmd:uptime]\n')
  const sessionId = await strict.newSession()
  const { reader, pending } = await asked(sessionId, strict.model(run('hostname', 'first'), run('date', 'second'), run('uptime', 'third')), strict)
  writeFileSync(config, 'approvals:\n  allow: [cmd:date]\n  deny: [cmd:date]\n')
  await eventually('the file to be read again', () => strict.app.profiles.rules('default').denied.length === 1)
  await strict.respond(sessionId, 'once', pending.approval_id)
  const next = await eventually('a question about what is no longer allowed', async () => {
    const { body } = await strict.get(`/api/approval/pending?session_id=${sessionId}`)
    return body.pending !== null && body.pending.approval_id !== pending.approval_id && body.pending
  })
  t.equal(next.command, 'uptime')
  writeFileSync(config, 'approvals:\n  deny: [tool:terminal]\n')
  t.match(await strict.respond(sessionId, 'once'), { status: 409, body: { error: /tool:terminal/, code: 'denied_by_rule' } })
  await strict.respond(sessionId, 'deny')
  await reader.ended
  const results = reader.frames.filter(({ event }) => event === 'tool_complete').map(({ data: { id, is_error: isError } }) => [id, isError])
  t.same(results, [['first', false], ['second', true], ['third', true]])
})

t.test('a settings file that is empty for a moment, as while an editor writes it, takes nothing from a running turn', async (t) => {
  const strict = await startChat(t)
  const config = join(strict.folder, 'home', 'config.yaml')
  const rules = 'approvals:\n  allow: [cmd:uptime]\n  deny: [cmd:date]\n'
  writeFileSync(config, rules)
  const sessionId = await strict.newSession()
  const { reader, pending } = await asked(sessionId, strict.model(run('hostname', 'first'), run('uptime', 'second'), run('date', 'third')), strict)
  for (const [text, count] of [['', 0], [rules, 1]] as const) {
    writeFileSync(config, text)
    await eventually('the file to be read again', () => strict.app.profiles.rules('default').allowed.length === count)
  }
  await strict.respond(sessionId, 'once', pending.approval_id)
  await reader.ended
  const results = reader.frames.filter(({ event }) => event === 'tool_complete').map(({ data: { id, is_error: isError } }) => [id, isError])
  t.same(results, [['first', false], ['second', false], ['third', true]])
})

t.test('"always" with settings that cannot be read holds for the session, and leaves the file alone', async (t) => {
  const broken = await startChat(t)
  const config = join(broken.folder, 'home', 'config.yaml')
  writeFileSync(config, 'model: [unclosed\n')
  const sessionId = await broken.newSession()
  const { reader } = await asked(sessionId, broken.model(run('date')), broken)
  t.match(await broken.respond(sessionId, 'always'), { status: 200, body: { ok: true, choice: 'always' } })
  t.equal((await finished(reader)).last, 'stream_end')
  t.equal(readFileSync(config, 'utf8'), 'model: [unclosed\n')
  t.match(await unasked(sessionId, broken.model(run('date')), broken), { is_error: false })
})

t.test('"deny" is told to the model, nothing is run, and the turn goes on', async (t) => {
  const sessionId = await service.newSession()
  const model = service.model(run('touch denied.txt', 'call_denied'), [{ text: 'Then not.' }])
  const { reader, pending } = await asked(sessionId, model)
  t.same((await service.respond(sessionId, 'deny', pending.approval_id)).body, { ok: true, choice: 'deny' })
  const { last, result } = await finished(reader)
  t.equal(last, 'stream_end')
  t.match(result, { id: 'call_denied', is_error: true })
  t.match(said(service.requests(model)[1], 'tool'), [/denied/])
  t.equal((await service.session(sessionId)).messages.at(-1).content, 'Then not.')
  t.throws(() => readFileSync(join(service.workspace, 'denied.txt')))
})

t.test('clicks that come late, mean something else, or make no sense', async (t) => {
  const sessionId = await service.newSession()
  t.match(await service.respond(sessionId, 'once'), { status: 200, body: { ok: true, choice: 'once', stale_cleared: true } }, 'nothing is open')
  t.match(await service.respond(sessionId, 'deny', 'abcdef0123456789'), { status: 200, body: { ok: true, stale_cleared: true } })

  const { reader, pending } = await asked(sessionId, service.model(run('echo careful'), run('echo more careful')))
  for (const choice of ['maybe', '', 'ONCE', 5, null, undefined, ['once']]) {
    const refused = await service.post('/api/approval/respond', { session_id: sessionId, choice })
    t.equal(refused.status, 400, `${JSON.stringify(choice)} is no choice`)
    t.match(refused.body.error, /choice/)
  }
  t.equal((await service.post('/api/approval/respond', { session_id: sessionId, choice: 'once', approval_id: 5 })).status, 400)
  const foreign = await service.respond(sessionId, 'once', 'abcdef0123456789')
  t.equal(foreign.status, 200)
  t.same(foreign.body, { ok: false, choice: 'once' }, 'a click on another card does not answer this one')

  const other = await service.newSession()
  t.match(await service.respond(other, 'once', pending.approval_id), { status: 200, body: { ok: true, stale_cleared: true } }, 'a card of another session is nothing to answer here')
  t.equal((await service.pending(sessionId, 'approval', 1)).approval_id, pending.approval_id, 'it is still open')

  await service.respond(sessionId, 'once', pending.approval_id)
  const second = await eventually('the second question', async () => {
    const { body } = await service.get(`/api/approval/pending?session_id=${sessionId}`)
    return body.pending !== null && body.pending.approval_id !== pending.approval_id && body.pending
  })
  t.same((await service.respond(sessionId, 'deny', pending.approval_id)).body, { ok: false, choice: 'deny' }, 'a second click on the answered card does not answer the next one')
  t.equal((await service.pending(sessionId, 'approval', 1)).approval_id, second.approval_id)
  await service.respond(sessionId, 'once', second.approval_id)
  await reader.ended
  t.match((await service.respond(sessionId, 'once', second.approval_id)).body, { ok: true, stale_cleared: true })
})

t.test('of two devices that answer at once, one wins', async (t) => {
  const sessionId = await service.newSession()
  const model = service.model(run('echo shared', 'call_shared'))
  const { reader, pending } = await asked(sessionId, model)
  const answers = await Promise.all(['once', 'deny', 'once', 'deny'].map((choice) => service.respond(sessionId, choice, pending.approval_id)))
  const won = answers.filter(({ status, body }) => status === 200 && body.ok === true && body.stale_cleared === undefined)
  t.equal(won.length, 1)
  for (const { status, body } of answers.filter((answer) => answer !== won[0])) {
    t.ok((status === 200 && body.stale_cleared === true) || (status === 409 && body.ok === false), `the others are told so: ${status} ${JSON.stringify(body)}`)
  }
  const { result } = await finished(reader)
  t.equal(result.is_error, won[0]?.body.choice === 'deny', 'what happens is what the winner chose')
})

t.test('several questions at once wait in line', async (t) => {
  const sessionId = await service.newSession()
  const cards = await service.events(`/api/approval/stream?session_id=${sessionId}`)
  const model = service.model(['a', 'b', 'c'].map((name) => ({ tool: 'read_file', args: { path: join(outside, name) }, id: `call_${name}` })))
  const streamId = await service.send(sessionId, 'Read them', { model })
  const reader = await service.watch(streamId)
  const first = await service.pending(sessionId, 'approval', 3)
  t.match(first.command, /outside\/a$/)
  await cards.until((frame) => frame.data.pending_count === 3)
  t.match((await service.get('/api/sessions')).body.sessions.find((row: { session_id: string }) => row.session_id === sessionId).attention, { kind: 'approval', count: 3 })

  await service.respond(sessionId, 'once')
  const second = await service.pending(sessionId, 'approval', 2)
  t.match(second.command, /outside\/b$/, 'the next in line is on top')
  await service.respond(sessionId, 'deny', second.approval_id)
  const third = await service.pending(sessionId, 'approval', 1)
  t.match(third.command, /outside\/c$/)
  await service.respond(sessionId, 'once', third.approval_id)
  await reader.ended
  const results = Object.fromEntries(reader.frames.filter((frame) => frame.event === 'tool_complete').map(({ data }) => [data.id, data.is_error]))
  t.same(results, { call_a: false, call_b: true, call_c: false })
  await cards.until((frame) => frame.event === 'approval' && frame.data.pending === null)
  t.same(cards.frames.at(-1)?.data, { pending: null, pending_count: 0 })
  cards.drop()
})

t.test('"session" on one of several questions of a kind answers the others as well', async (t) => {
  const sessionId = await service.newSession()
  const model = service.model(['a', 'b', 'c'].map((name) => ({ tool: 'read_file', args: { path: join(outside, name) } })))
  const streamId = await service.send(sessionId, 'Read them', { model })
  const reader = await service.watch(streamId)
  await service.pending(sessionId, 'approval', 3)
  await service.respond(sessionId, 'session')
  const { pending_count: left } = await eventually('the rest of the questions to be settled', async () => {
    const { body } = await service.get(`/api/approval/pending?session_id=${sessionId}`)
    return body.pending_count < 3 && body
  })
  t.equal(left, 0)
  await service.get(`/api/chat/cancel?stream_id=${streamId}`)
  await reader.ended
})

t.test('a turn that is stopped takes its question off the table', async (t) => {
  const sessionId = await service.newSession()
  const cards = await service.events(`/api/approval/stream?session_id=${sessionId}`)
  const { reader, streamId, pending } = await asked(sessionId, service.model(run('touch stopped.txt')))
  await service.post('/api/chat/cancel', { stream_id: streamId })
  await reader.ended
  t.equal(reader.frames.at(-1)?.event, 'cancel')
  await cards.until((frame) => frame.event === 'approval' && frame.data.pending === null)
  t.match((await service.respond(sessionId, 'once', pending.approval_id)).body, { ok: true, stale_cleared: true })
  t.throws(() => readFileSync(join(service.workspace, 'stopped.txt')))
  t.equal((await service.get('/api/sessions')).body.sessions.find((row: { session_id: string }) => row.session_id === sessionId).attention, null)
  cards.drop()
})

t.test('questions of the agent', async (t) => {
  const say = (sessionId: string, body: Record<string, unknown>) => service.post('/api/clarify/respond', { session_id: sessionId, ...body })

  for (const key of ['response', 'answer', 'choice']) {
    await t.test(`are answered with "${key}"`, async (t) => {
      const sessionId = await service.newSession()
      const model = service.model(ask('Which colour?', ['red', 'blue']))
      const cards = await service.events(`/api/clarify/stream?session_id=${sessionId}`)
      t.same((await cards.until('initial')).data, { pending: null, pending_count: 0 })
      const { reader, pending } = await asked(sessionId, model, service, 'clarify')
      t.match(pending, { clarify_id: String, session_id: sessionId, question: 'Which colour?', choices_offered: ['red', 'blue'], kind: String, requested_at: Number, timeout_seconds: 120 })
      t.ok(Math.abs(pending.expires_at - pending.requested_at - 120) < 5)
      t.same((await cards.until('clarify')).data, { pending, pending_count: 1 })
      t.same((await service.get(`/api/approval/pending?session_id=${sessionId}`)).body, { pending: null, pending_count: 0 }, 'a question is no approval')
      t.match((await service.get('/api/sessions')).body.sessions.find((row: { session_id: string }) => row.session_id === sessionId).attention, { kind: 'clarify', count: 1, severity: 'question' })
      const answer = await say(sessionId, { [key]: 'blue', clarify_id: pending.clarify_id })
      t.match(answer, { status: 200, body: { ok: true, response: 'blue' } })
      t.equal((await finished(reader)).last, 'stream_end')
      t.match(said(service.requests(model)[1], 'tool'), [/blue/])
      await cards.until((frame) => frame.event === 'clarify' && frame.data.pending === null)
      cards.drop()
    })
  }

  await t.test('without choices take any words, and need no id', async (t) => {
    const sessionId = await service.newSession()
    const model = service.model(ask('Which one?'))
    const { reader, pending } = await asked(sessionId, model, service, 'clarify')
    t.same(pending.choices_offered, [])
    t.match(await say(sessionId, { response: 'the ünusual one\n"quoted"' }), { status: 200, body: { ok: true } })
    await reader.ended
    t.match(said(service.requests(model)[1], 'tool'), [/the ünusual one\n"quoted"/])
  })

  await t.test('that are asked at once wait in line', async (t) => {
    const sessionId = await service.newSession()
    const model = service.model(['First?', 'Second?'].map((question) => ({ tool: 'clarify', args: { question } })))
    const reader = await service.watch(await service.send(sessionId, 'Ask', { model }))
    const pending = await service.pending(sessionId, 'clarify', 2)
    t.equal(pending.question, 'First?')
    await say(sessionId, { response: 'one' })
    t.equal((await service.pending(sessionId, 'clarify', 1)).question, 'Second?')
    await say(sessionId, { response: 'two' })
    await reader.ended
    t.match(said(service.requests(model)[1], 'tool'), [/one/, /two/])
  })

  await t.test('that are gone, or somebody else\'s, cannot be answered', async (t) => {
    const stale = { status: 409, body: { ok: false, stale: true, error: String } }
    const sessionId = await service.newSession()
    const other = await service.newSession()
    t.match(await say(sessionId, { response: 'x' }), stale, 'nothing was asked')
    const { reader, pending } = await asked(sessionId, service.model(ask('Sure?')), service, 'clarify')
    t.match(await say(other, { response: 'x', clarify_id: pending.clarify_id }), stale, 'another session\'s')
    t.match(await say(other, { response: 'x' }), stale)
    t.match(await say(sessionId, { response: 'x', clarify_id: 'abcdef0123456789' }), stale, 'unknown')
    for (const body of [{}, { response: null }, { response: 5 }, { answer: ['x'] }]) t.equal((await say(sessionId, body)).status, 400, `${JSON.stringify(body)} is no answer`)
    t.match(await service.respond(sessionId, 'once', pending.clarify_id), { body: { stale_cleared: true } }, 'it cannot be answered as an approval')

    const answers = await Promise.all(['yes', 'no'].map((response) => say(sessionId, { response, clarify_id: pending.clarify_id })))
    t.same(answers.map(({ status }) => status).sort(), [200, 409], 'of two devices one wins')
    await reader.ended
    t.match(await say(sessionId, { response: 'x', clarify_id: pending.clarify_id }), stale, 'answered already')
  })

  await t.test('cannot be answered after their time', async (t) => {
    const sessionId = await service.newSession()
    const { reader, streamId, pending } = await asked(sessionId, service.model(ask('Still there?')), service, 'clarify')
    aheadMs = 121_000
    t.match(await say(sessionId, { response: 'Yes', clarify_id: pending.clarify_id }), { status: 409, body: { ok: false, stale: true } })
    aheadMs = 0
    await service.post('/api/chat/cancel', { stream_id: streamId })
    await reader.ended
  })
})

t.test('without questions', async (t) => {
  const yolo = async (sessionId: string) => (await service.get(`/api/session/yolo?session_id=${sessionId}`)).body

  await t.test('switched on it lets through what waits, and what comes; switched off it asks again', async (t) => {
    const sessionId = await service.newSession()
    t.same(await yolo(sessionId), { yolo_enabled: false })
    const cards = await service.events(`/api/approval/stream?session_id=${sessionId}`)
    const { reader } = await asked(sessionId, service.model(run('echo one'), run('touch two.txt')))
    t.same((await service.post('/api/session/yolo', { session_id: sessionId, enabled: true })).body, { ok: true, yolo_enabled: true })
    const { last, result } = await finished(reader)
    t.equal(last, 'stream_end')
    t.match(result, { is_error: false, preview: /one/ })
    await cards.until((frame) => frame.event === 'approval' && frame.data.pending === null)
    cards.drop()
    t.same(await yolo(sessionId), { yolo_enabled: true })
    t.match(await unasked(sessionId, service.model(run('touch three.txt'))), { is_error: false })
    t.same(await yolo(await service.newSession()), { yolo_enabled: false }, 'in this session only')

    t.same((await service.post('/api/session/yolo', { session_id: sessionId, enabled: false })).body, { ok: true, yolo_enabled: false })
    t.same(await yolo(sessionId), { yolo_enabled: false })
    const again = await asked(sessionId, service.model(run('echo asked again')))
    await service.respond(sessionId, 'deny')
    await again.reader.ended
  })

  await t.test('switched off in the middle of a turn it asks again in that turn', async (t) => {
    const wait = gate()
    const sessionId = await service.newSession()
    t.same((await service.post('/api/session/yolo', { session_id: sessionId })).body, { ok: true, yolo_enabled: true }, 'on is what is meant when nothing is said')
    const streamId = await service.send(sessionId, 'Do it', { model: service.model(held(wait, [{ text: 'Now' }], [{ tool: 'terminal', args: { command: 'echo now' } }])) })
    const reader = await service.watch(streamId)
    await reader.until('token')
    await service.post('/api/session/yolo', { session_id: sessionId, enabled: false })
    wait.open()
    t.equal((await service.pending(sessionId, 'approval', 1)).command, 'echo now')
    await service.respond(sessionId, 'once')
    await reader.ended
  })

  await t.test('what is taken back while a turn is being started counts in that turn', async (t) => {
    const { app } = service
    const takenBack = {
      yolo: (sessionId: string) => service.post('/api/session/yolo', { session_id: sessionId, enabled: false }),
      grant: () => service.post('/api/grants/revoke', { pattern_key: 'cmd:echo' }),
      changes: (sessionId: string) => service.post('/api/session/update', { session_id: sessionId, mode: 'plan' })
    }
    for (const [what, takeBack] of Object.entries(takenBack)) {
      const sessionId = await service.newSession()
      if (what === 'grant') await app.profiles.allowPattern('default', ['cmd:echo'])
      else await service.post('/api/session/yolo', { session_id: sessionId, enabled: true })
      // Before a turn gets its host, that is written to disk: a slow one.
      const { enqueue } = app.db
      const slow = Promise.withResolvers<undefined>()
      let isHeld = false
      Object.assign(app.db, {
        enqueue (operation: Parameters<typeof enqueue>[0]) {
          if (operation.durable !== true || isHeld) return enqueue(operation)
          isHeld = true
          void slow.promise.then(() => enqueue(operation))
        }
      })
      const streamId = await service.send(sessionId, 'Do it', { model: service.model(run(what === 'changes' ? 'touch begun.txt' : 'echo begun')) })
      await eventually('the write', () => isHeld)
      Object.assign(app.db, { enqueue })
      t.equal((await takeBack(sessionId)).status, 200, what)
      slow.resolve(undefined)
      const reader = await service.watch(streamId)
      if (what !== 'changes') {
        t.equal((await service.pending(sessionId, 'approval', 1)).command, 'echo begun', what)
        await service.respond(sessionId, 'deny')
      }
      t.match((await finished(reader)).result, { is_error: true }, what)
    }
  })

  await t.test('does not answer the agent\'s own questions', async (t) => {
    const sessionId = await service.newSession()
    const { reader, streamId } = await asked(sessionId, service.model(ask('Which?')), service, 'clarify')
    await service.post('/api/session/yolo', { session_id: sessionId, enabled: true })
    t.equal((await service.get(`/api/clarify/pending?session_id=${sessionId}`)).body.pending_count, 1)
    await service.post('/api/chat/cancel', { stream_id: streamId })
    await reader.ended
  })

  await t.test('takes a yes or a no and nothing else', async (t) => {
    const sessionId = await service.newSession()
    for (const enabled of ['true', 1, 'on', []]) t.equal((await service.post('/api/session/yolo', { session_id: sessionId, enabled })).status, 400)
    t.same(await yolo(sessionId), { yolo_enabled: false })
  })

  await t.test('is over after a restart, while what had been asked before still waits', async (t) => {
    const folder = join(service.folder, 'restarted')
    mkdirSync(folder)
    const before = await service.again(t, folder)
    const [quiet, waiting] = [await before.newSession(), await before.newSession()]
    await before.post('/api/session/yolo', { session_id: quiet, enabled: true })
    const { pending } = await asked(waiting, before.model(run('echo unanswered')), before)
    await before.stop()
    const after = await service.again(t, folder)
    t.same((await after.get(`/api/session/yolo?session_id=${quiet}`)).body, { yolo_enabled: false })
    t.same((await after.get(`/api/approval/pending?session_id=${waiting}`)).body, { pending, pending_count: 1 })
    t.match((await after.get('/api/sessions')).body.sessions.find((row: { session_id: string }) => row.session_id === waiting).attention, { kind: 'approval', count: 1 })
  })
})

t.test('with the agent in a process of its own, answers reach it as well', { long: true }, async (t) => {
  const forked = await startChat(t, { hosts: 'fork' })
  const sessionId = await forked.newSession()
  const model = forked.model(run('echo from the child'), ask('Which?'), [{ text: 'Fine.' }])
  const { reader, pending } = await asked(sessionId, model, forked)
  t.same((await forked.respond(sessionId, 'once', pending.approval_id)).body, { ok: true, choice: 'once' })
  const question = await forked.pending(sessionId, 'clarify')
  t.match((await forked.post('/api/clarify/respond', { session_id: sessionId, response: 'this', clarify_id: question.clarify_id })).body, { ok: true, response: 'this' })
  const { last, result } = await finished(reader)
  t.equal(last, 'stream_end')
  t.match(result, { is_error: false, preview: /from the child/ })
  t.match(said(forked.requests(model)[2], 'tool').at(-1), /this/)
})

t.test('who is asked about a file sees what it would hold, the service\'s own secrets aside, and not without end', async (t) => {
  const secret = `sk-proj-${'Xy12Zw34Vu56Ts78Rq90'}`
  const own = 'own-Xy99Zw99Vu99Ts99'
  knownSecrets.keep([own])
  const cases: Array<[content: string, shown: object]> = [
    ['one\ntwo\n', { content: 'one\ntwo\n', content_truncated: false }],
    ['', { content: '', content_truncated: false }],
    [`key ${secret}\n`, { content: `key ${secret}\n`, content_truncated: false, masks: [{ field: 'command' }, { field: 'content', start: 4, end: 4 + secret.length }] }],
    [`key ${own}\n`, { content: 'key [redacted]\n', content_truncated: false, masks: [{ field: 'command', hidden: own.length }, { field: 'content', start: 4, end: 14, hidden: own.length }] }],
    [`${'x'.repeat(11_990)} ${own} end`, { content: `${'x'.repeat(11_990)} `, content_truncated: true, rest: [{ field: 'content', at: 11_991, chars: own.length + 4 }, { field: 'diff' }] }],
    ['y'.repeat(200_000), { content: 'y'.repeat(12_000), content_truncated: true, rest: [{ field: 'command' }, { field: 'content', at: 12_000, chars: 188_000 }, { field: 'diff' }], description: /Of 200,\d+ characters, a card holds the first 33,000/ }]
  ]
  for (const [index, [content, shown]] of cases.entries()) {
    const id = await service.newSession()
    const path = join(outside, `new-${index}.txt`)
    const cards = await service.events(`/api/approval/stream?session_id=${id}`)
    await service.send(id, 'Write', { model: service.model([{ tool: 'write_file', args: { path, content }, id: 'call_1' }]) })
    const { data } = await cards.until(({ event }) => event === 'approval')
    t.match(data.pending, shown)
    t.notMatch(JSON.stringify(data), /Xy99Zw99/)
    t.same((await service.get(`/api/approval/pending?session_id=${id}`)).body.pending, data.pending)
    await service.respond(id, 'deny')
    cards.drop()
  }
  const id = await service.newSession()
  await service.send(id, 'Read', { model: service.model([{ tool: 'read_file', args: { path: join(outside, 'a') }, id: 'call_1' }]) })
  const { pending } = await eventually('the card', async () => {
    const { body } = await service.get(`/api/approval/pending?session_id=${id}`)
    return body.pending === null ? null : body
  })
  t.notOk('content' in pending, 'what writes nothing has none')
  await service.respond(id, 'deny')
})

t.test('what is approved hides nothing, and runs as it was asked', async (t) => {
  const id = await service.newSession()
  const cards = await service.events(`/api/approval/stream?session_id=${id}`)
  const path = join(outside, 'plain.txt')
  const command = `touch ${outside}/\u202egnp.exe && printf 'a\u200bb' > ${path} # \u001b[2K\ud800`
  const { pending, reader } = await asked(id, service.model(run(command)))
  const { data: tool } = await reader.until(({ event }) => event === 'tool')
  const { data: frame } = await cards.until(({ event }) => event === 'approval')
  cards.drop()
  const all = (await service.get('/api/prompts')).body.prompts[0]
  t.equal(pending.command, command.replace('\u202e', '\\u{202e}').replace('\u200b', '\\u{200b}').replace('\u001b', '\u241b').replace('\ud800', '\\u{d800}'))
  for (const [name, shown] of Object.entries({ pending, frame, all, preview: tool.preview })) {
    t.notMatch(JSON.stringify(shown), /[\u202e\u200b\ud800]|\\u001b|"\\ud800/i, name)
  }
  await service.respond(id, 'once')
  await finished(reader)
  t.equal(readFileSync(path, 'utf8'), 'a\u200bb')
  t.equal(readFileSync(join(outside, '\u202egnp.exe'), 'utf8'), '')

  const second = await service.newSession()
  const content = `\tone\r\n\u2066two\n${'\u200b'.repeat(12_000)}`
  const written = await asked(second, service.model([{ tool: 'write_file', args: { path, content } }]))
  t.equal(written.pending.content.slice(0, 19), '\tone\u240d\n\\u{2066}two\n\\')
  t.match(written.pending, { content_truncated: true })
  t.ok(written.pending.content.length <= 12_000)
  await service.respond(second, 'once')
  await finished(written.reader)
  t.equal(readFileSync(path, 'utf8'), content)
})

t.test('a question hides nothing, and the choice that is shown is the one that is meant', async (t) => {
  const id = await service.newSession()
  const model = service.model(ask('Is\u202e it\u0007?', ['می\u200cخواهم', 'no\u202e']))
  const { pending, reader } = await asked(id, model, service, 'clarify')
  t.match(pending, { question: 'Is\\u{202e} it\u2407?', choices_offered: ['می\u200cخواهم', 'no\\u{202e}'] })
  await service.post('/api/clarify/respond', { session_id: id, response: pending.choices_offered[1] })
  await finished(reader)
  t.match(said(service.requests(model)[1], 'tool').at(-1), /no\u202e/)
})
