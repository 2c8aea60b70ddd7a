import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { createAgentRuntime, type HostConnection } from '../../services/agent/index.js'
import { type FromHost, type ToHost } from '../../services/agent/protocol.js'
import { openDatabase } from '../../services/ground/database/index.js'
import { createBroker, createJournal } from '../../services/ground/events/index.js'
import { createAudit } from '../../services/areas/audit/index.js'
import { createPrompts } from '../../services/areas/prompts/index.js'
import { createSessions } from '../../services/areas/sessions/index.js'
import { eventually, startChat, type ScriptedAnswer } from '../support/chat.js'

const service = await startChat(t)
const run = (command: string): ScriptedAnswer => [{ tool: 'terminal', args: { command } }]
const ask = (question: string, choices: string[] = []): ScriptedAnswer => [{ tool: 'clarify', args: { question, choices } }]

t.test('everything that waits, over all sessions, oldest first', async (t) => {
  t.same((await service.get('/api/prompts')).body, { prompts: [], approval_count: 0, clarify_count: 0 })
  const [one, two] = [await service.newSession(), await service.newSession()]
  const first = await service.send(one, 'First title', { model: service.model(run('echo 1')) })
  const approval = await service.pending(one)
  const second = await service.send(two, 'Second title', { model: service.model(ask('Which?', ['a', 'b'])) })
  const question = await service.pending(two, 'clarify')
  t.same((await service.get('/api/prompts')).body, {
    prompts: [
      { type: 'approval', session_title: 'First title', profile: 'default', ...approval },
      { type: 'clarify', session_title: 'Second title', profile: 'default', ...question }
    ],
    approval_count: 1,
    clarify_count: 1
  })
  t.match((await service.get('/api/sessions')).body.sessions.map((row: { session_id: string, attention: unknown }) => [row.session_id, row.attention]), [
    [two, { kind: 'clarify', count: 1, severity: 'question' }], [one, { kind: 'approval', count: 1, severity: 'critical' }]
  ])
  for (const streamId of [first, second]) await service.post('/api/chat/cancel', { stream_id: streamId })
  await eventually('nothing to wait', async () => (await service.get('/api/prompts')).body.prompts.length === 0)
})

t.test('an approval that has a time limit expires, and says when', async (t) => {
  const limited = await startChat(t)
  writeFileSync(join(limited.folder, 'home', 'config.yaml'), 'approvals:\n  timeout: 1\nclarify:\n  timeout: 0\n')
  const sessionId = await limited.newSession()
  const cards = await limited.events(`/api/approval/stream?session_id=${sessionId}`)
  const streamId = await limited.send(sessionId, 'Go', { model: limited.model(run('touch never'), [{ text: 'Left it.' }]) })
  const pending = await limited.pending(sessionId)
  t.equal(pending.timeout_seconds, 1)
  t.ok(Math.abs(pending.expires_at - pending.requested_at - 1) < 0.2)
  const reader = await limited.watch(streamId)
  await reader.ended
  t.match(reader.frames.find(({ event }) => event === 'tool_complete')?.data, { is_error: true, preview: /Nobody answered/ })
  await cards.until(({ event, data }) => event === 'approval' && data.pending === null)
  t.match((await limited.respond(sessionId, 'once', pending.approval_id)).body, { ok: true, stale_cleared: true })

  const asked = await limited.send(sessionId, 'Ask', { model: limited.model(ask('For ever?')) })
  t.match(await limited.pending(sessionId, 'clarify'), { timeout_seconds: 0, expires_at: 0 }, 'a limit of 0 is none')
  await limited.post('/api/chat/cancel', { stream_id: asked })
  cards.drop()
})

t.test('the time of a question passes only while somebody could see it', async (t) => {
  const limited = await startChat(t)
  writeFileSync(join(limited.folder, 'home', 'config.yaml'), 'clarify:\n  timeout: 1\n')
  const sessionId = await limited.newSession()
  const streamId = await limited.send(sessionId, 'Ask', { model: limited.model(ask('Anybody?'), [{ text: 'Nobody.' }]) })
  const alone = await limited.pending(sessionId, 'clarify')
  t.match(alone, { timeout_seconds: 1, expires_at: null }, 'nobody is there')
  const cards = await limited.events(`/api/clarify/stream?session_id=${sessionId}`)
  const begun = await cards.until(({ data }) => typeof data.pending?.expires_at === 'number')
  t.ok(begun.data.pending.expires_at > alone.requested_at, 'it has begun with who has come')
  await cards.until(({ data }) => data.pending === null)
  const reader = await limited.watch(streamId)
  await reader.ended
  t.match(reader.frames.find(({ event }) => event === 'tool_complete')?.data, { preview: /Nobody answered in time/ })
  t.match((await limited.post('/api/clarify/respond', { session_id: sessionId, response: 'late', clarify_id: alone.clarify_id })).body, { stale: true })
  cards.drop()
})

t.test('what is asked while somebody is there has its time at once, and none when the last has gone', async (t) => {
  const { prompts, db, sessionId, opened } = await bench(t)
  await prompts.somebodyThere(true)
  opened('p1', 'clarify', true, 60)
  const expiry = () => prompts.pending(sessionId, 'clarify').pending!.expires_at
  t.ok(expiry()! > Date.now() / 1000)
  await prompts.somebodyThere(false)
  t.equal(expiry(), null)
  t.equal(db.sqlite.prepare('select expires_at from prompts').pluck().get(), null, 'and so the next start reads it')
  await prompts.somebodyThere(true)
  t.ok(expiry()! > Date.now() / 1000, 'it is whole again for the next')
})

t.test('the same question twice in a row is one card, and one answer serves both', async (t) => {
  const sessionId = await service.newSession()
  const twice: ScriptedAnswer = [{ tool: 'clarify', args: { question: 'Which?' }, id: 'a' }, { tool: 'clarify', args: { question: 'Which?' }, id: 'b' }, { tool: 'clarify', args: { question: 'Why?' }, id: 'c' }]
  const streamId = await service.send(sessionId, 'Ask', { model: service.model(twice) })
  const { body } = await eventually('both questions', async () => {
    const answer = await service.get('/api/prompts')
    return answer.body.clarify_count === 2 && answer
  })
  t.same(body.prompts.map(({ question }: { question: string }) => question), ['Which?', 'Why?'])
  await service.post('/api/clarify/respond', { session_id: sessionId, response: 'this one', clarify_id: body.prompts[0].clarify_id })
  await service.post('/api/clarify/respond', { session_id: sessionId, response: 'because' })
  const reader = await service.watch(streamId)
  await reader.ended
  const results = Object.fromEntries(reader.frames.filter(({ event }) => event === 'tool_complete').map(({ data }) => [data.id, data.preview]))
  t.match(results, { a: /this one/, b: /this one/, c: /because/ })
})

t.test('an answer may have 64 KiB and not a byte more', async (t) => {
  const sessionId = await service.newSession()
  const streamId = await service.send(sessionId, 'Ask', { model: service.model(ask('Tell me everything')) })
  await service.pending(sessionId, 'clarify')
  const respond = (response: string) => service.post('/api/clarify/respond', { session_id: sessionId, response })
  for (const long of ['x'.repeat(65_537), 'ü'.repeat(32_769)]) {
    const { status, body } = await respond(long)
    t.equal(status, 400)
    t.match(body.error, /64 KiB/)
  }
  t.equal((await service.get('/api/prompts')).body.clarify_count, 1, 'the question is still there')
  t.match((await respond('ü'.repeat(32_768))).body, { ok: true })
  const reader = await service.watch(streamId)
  await reader.ended
})

t.test('whoever answers second, while the first answer is on its way, waits and then learns that it was too late', async (t) => {
  const { prompts, db, host, sessionId, opened } = await bench(t)
  opened('p1')
  const answers = Promise.all([prompts.answerApproval(sessionId, 'deny', 'p1'), prompts.answerApproval(sessionId, 'once', 'p1'), prompts.answerApproval(sessionId, 'always', 'p1')])
  const controls = () => host.sent.filter((message) => message.type === 'control')
  await eventually('the first answer at the host', () => controls().length > 0)
  await new Promise((resolve) => setTimeout(resolve, 20))
  t.equal(controls().length, 1, 'the run is told once')
  host.acknowledge('applied')
  t.same((await answers).map(({ outcome }) => outcome), ['resolved', 'stale', 'stale'])
  t.equal(controls().length, 1)
  t.match(controls()[0], { control: { op: 'answer', value: 'deny' } })
  t.same(db.sqlite.prepare('select state, answer from prompts').all(), [{ state: 'answered', answer: 'deny' }])
  t.same(prompts.sessionGrants(sessionId), [], 'and what the late ones wanted to allow is not allowed')
})

t.test('an answer that cannot be delivered leaves the card for the next try', async (t) => {
  const { prompts, host, sessionId, opened } = await bench(t)
  opened('p1')
  const first = prompts.answerApproval(sessionId, 'session', 'p1')
  const second = prompts.answerApproval(sessionId, 'once', 'p1')
  await eventually('the answer at the host', () => host.sent.some((message) => message.type === 'control'))
  host.acknowledge('error')
  await t.rejects(first, { code: 'gateway_approval_relay_failed' })
  await eventually('the second answer at the host', () => host.sent.filter((message) => message.type === 'control').length === 2)
  host.acknowledge('applied')
  t.same(await second, { outcome: 'resolved' })
  t.same(prompts.sessionGrants(sessionId), [])
})

t.test('a prompt that is made while a stream subscribes is delivered exactly once', async (t) => {
  const { prompts, db, sessionId, opened } = await bench(t)
  const problems: string[] = []
  for (let round = 0; round < 1_000; round++) {
    const id = `p${round}`
    const received: string[] = []
    const kind = round % 2 === 0 ? 'approval' as const : 'clarify' as const
    const subscribe = () => {
      const subscription = prompts.watch(sessionId, kind)
      const read = () => { for (const bytes of subscription.read(Infinity)) received.push(bytes.toString()) }
      subscription.onReadable(read)
      read()
      return subscription
    }
    // Every order of these: subscribe; queue the write that creates the prompt; commit it.
    const write = () => db.enqueue({ write: () => opened(id, kind, false) })
    let subscription
    switch (round % 4) {
      case 0: subscription = subscribe(); write(); break
      case 1: write(); subscription = subscribe(); break
      case 2: write(); await new Promise((resolve) => setImmediate(resolve)); subscription = subscribe(); break
      default: setImmediate(write); subscription = await new Promise<ReturnType<typeof subscribe>>((resolve) => setImmediate(() => resolve(subscribe())))
    }
    await new Promise((resolve) => setImmediate(resolve))
    db.flush()
    await new Promise((resolve) => setImmediate(resolve))
    const told = received.filter((frame) => frame.includes(`"${id}"`)).length
    if (told !== 1 || !received[0]!.includes('event: initial')) problems.push(`round ${round}: ${told} times in ${received.length} frames`)
    subscription.close()
    db.transaction(() => prompts.settled(id, 'answered'))
  }
  t.same(problems, [])
})

/** Creates prompts on their own database, and a host that a test drives. */
async function bench (t: { teardown (end: () => void): unknown }) {
  const db = openDatabase({ file: ':memory:' })
  const clock = { now: () => Date.now() }
  const journal = createJournal(db)
  const events = createBroker({ db, journal })
  const sent: ToHost[] = []
  let say: (message: FromHost) => void = () => {}
  const connection: HostConnection = {
    pid: 1, send: (message) => { sent.push(message) }, onMessage: (listener) => { say = listener }, onExit () {}, stop: async () => {}, kill () {}
  }
  const agent = createAgentRuntime({ transport: () => connection })
  const audit = createAudit({ db, clock })
  const sessions = createSessions({ db, events, clock, audit, defaultModel: () => ({ model: null, provider: null }) })
  const prompts = createPrompts({ db, events, clock, audit, agent, changed: sessions.changed, isMasked: () => false, deniedIn: () => [], allowAlways: async () => {} })
  const { id: sessionId } = await sessions.create({ profile: 'default', workspace: '/' })
  agent.start({ profile: 'default', runId: 'run' } as never, { events () {}, lost () {} })
  t.teardown(() => {
    prompts.stop()
    agent.stop()
    db.close()
  })
  return {
    db,
    prompts,
    sessionId,
    host: {
      sent,
      acknowledge (result: 'applied' | 'error') {
        const last = sent.findLast((message) => message.type === 'control')!
        say({ type: 'ack', ack: { controlId: last.control.controlId, result } })
      }
    },
    opened (askId: string, kind: 'approval' | 'clarify' = 'approval', alone = true, timeoutS = 0) {
      const origin = { t: 'ask' as const, askId, runId: 'run', callId: 'call', beside: false, expiresAtMs: null }
      const event = kind === 'approval'
        ? { ...origin, kind, body: { command: 'x', description: 'x', patternKey: 'cmd:x', patternKeys: ['cmd:x'], maxScope: 'always' as const, timeoutS: 0 } }
        : { ...origin, kind, body: { question: 'x', choices: [], timeoutS } }
      if (alone) db.transaction(() => prompts.opened(sessionId, event))
      else prompts.opened(sessionId, event)
    }
  }
}
