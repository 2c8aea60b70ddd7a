import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { toUSVString } from 'node:util'
import t, { type Test } from '#test'
import { createJudging, type GoalVerdict } from '../../services/areas/goals/judging.js'
import { eventually, gate, held, said, startChat, telling, type ChatService, type Gate, type ScriptedAnswer } from '../support/chat.js'
import { type EventReader } from '../support/events.js'

/** Here only a client continues a goal: by itself it would take longer than a test. */
const patient = { goals: { continueAfterMs: 60_000 } }
/** Here goals continue by themselves, at once. */
const swift = { goals: { continueAfterMs: 30 } }
const service = await startChat(t, patient)
const continuing = await startChat(t, swift)
let folders = 0
function newFolder (config?: string): string {
  const folder = join(service.folder, `kept-${++folders}`)
  mkdirSync(join(folder, 'home'), { recursive: true })
  if (config !== undefined) writeFileSync(join(folder, 'home', 'config.yaml'), config)
  return folder
}

const verdict = (verdict: string, reason = `It is ${verdict}.`): ScriptedAnswer => [{ text: JSON.stringify({ verdict, reason }) }]
/** Returns a judge that thinks until the gate opens. */
const thinking = (until: Gate, then: ScriptedAnswer): ScriptedAnswer => async () => {
  while (!until.isOpen) await delay(5)
  return then as []
}
const slow = (until: Gate): ScriptedAnswer => held(until, [{ text: 'So far' }], [{ text: ' and on' }])

const act = (sessionId: unknown, args?: unknown, more: Record<string, unknown> = {}, on = service) =>
  on.post('/api/goal', { session_id: sessionId, ...(args !== undefined && { args }), ...more })
const goalOf = async (sessionId: string, on = service) => (await act(sessionId, 'status', {}, on)).body.goal
const standing = (sessionId: string, status: string, on = service) =>
  eventually(`a goal that is ${status}`, async () => {
    const goal = await goalOf(sessionId, on)
    return goal?.status === status && goal
  })
const activeStream = async (sessionId: string, on = service) => (await on.session(sessionId)).active_stream_id as string | null
/** Returns the messages to the session, whoever sent them. */
const told = async (sessionId: string, on = service): Promise<string[]> =>
  (await on.session(sessionId)).messages.filter(({ role }: { role: string }) => role === 'user').map(({ content }: { content: string }) => content)

/** Sets a goal and watches its first turn. */
async function set (text: string, model: string, sessionId?: string, on = service) {
  const id = sessionId ?? await on.newSession()
  const { status, body, text: answer } = await act(id, text, { model }, on)
  if (status !== 200) throw new Error(`no goal: ${status} ${answer}`)
  return { sessionId: id, body, streamId: body.stream_id as string, reader: await on.watch(body.stream_id) }
}
/** Sets a goal whose first turn is over and which waits to continue. */
async function waiting (model?: string, on = service) {
  const { sessionId, reader, streamId } = await set('Build the bridge', model ?? on.model(), undefined, on)
  const { data } = await reader.until('goal_continue')
  await reader.ended
  return { sessionId, streamId, prompt: data.continuation_prompt as string }
}
/** Waits until no goal is judged or about to continue, so that no turn will begin by itself. */
const still = (on = service) => eventually('goals that stand still', () => on.app.goals.size() === 0 && on.app.chat.acceptedTurns() === 0)
const judging = async (before: number, on = service) => await eventually('the judge being asked', () => on.judged().length > before)
type Cases = Record<string, (service: ChatService) => Promise<void>>
/** Runs cases that mostly wait in parallel, each with its own service. */
async function beside (t: Test, cases: Cases): Promise<void> {
  await Promise.all(Object.entries(cases).map(async ([name, check]) => {
    await check(await startChat(t, patient))
    t.pass(name)
  }))
}

function goalFrames (reader: EventReader) {
  return reader.frames.filter(({ event }) => event === 'goal').map(({ data }) => `${data.state} ${data.message_key}`)
}

t.test('a goal starts its first turn, is judged after it, and is reached', async (t) => {
  service.judge(verdict('done', 'The bridge stands.'))
  const before = service.judged().length
  const model = service.model([{ text: 'It is built.' }])
  const { sessionId, body, reader } = await set('  Build the bridge \n', model)
  t.match(body, {
    ok: true, action: 'set', message_key: 'goal_set', kickoff_prompt: 'Build the bridge', session_id: sessionId, stream_id: /^[0-9a-f]{32}$/, turn_id: String, effective_model: model,
    goal: { goal: 'Build the bridge', status: 'active', turns_used: 0, max_turns: 20, last_verdict: null, last_reason: null, paused_reason: null, paused_code: null }
  })
  await reader.ended
  t.same(telling(reader.frames).filter((event) => event !== 'title'), ['token', 'done', 'goal', 'stream_end'].flatMap((event) => event === 'goal' ? ['goal', 'goal'] : [event]))
  t.same(goalFrames(reader), ['evaluating goal_evaluating_progress', 'idle goal_achieved'])
  const [evaluating, idle] = reader.frames.filter(({ event }) => event === 'goal').map(({ data }) => data)
  t.match(evaluating, { session_id: sessionId, goal: { status: 'active', turns_used: 1 }, message: String })
  t.match(idle, { session_id: sessionId, message: /The bridge stands/, decision: { status: 'done', should_continue: false, verdict: 'done', reason: 'The bridge stands.', continuation_prompt: null } })
  t.match(await act(sessionId), { status: 200, body: { ok: true, action: 'status', message_key: 'goal_status_done', goal: { status: 'done', turns_used: 1, last_verdict: 'done', last_reason: 'The bridge stands.' } } })
  t.same(await told(sessionId), ['Build the bridge'])
  t.equal(service.judged().length, before + 1)
  t.match(said(service.judged().at(-1), 'user').join(), /Build the bridge[^]*It is built\./, 'the judge sees the goal and the answer')
  await still()
  t.equal(service.requests(model).length, 1, 'a reached goal goes on no more')
  const later = await service.turn(sessionId, 'Thank you', service.model())
  t.notOk(later.events.includes('goal'), 'nor is a later message judged')
})

t.test('not reached yet: it goes on by itself a second after the stream, with the model it had', async (t) => {
  // With the usual waiting time.
  const service = await startChat(t)
  service.judge(verdict('continue', 'The railing is missing.'), verdict('done'))
  const wait = gate()
  const model = service.model([{ text: 'Half of it.' }], slow(wait))
  const { sessionId, reader, streamId } = await set('Build the bridge', model, undefined, service)
  await reader.ended
  const endedMs = Date.now()
  t.same(telling(reader.frames).slice(-5), ['done', 'goal', 'goal', 'goal_continue', 'stream_end'])
  const state = reader.frames.findLast(({ event }) => event === 'goal')!.data
  const { data } = await reader.until('goal_continue')
  t.match(state, { state: 'continuing', message_key: 'goal_continuing', goal: { status: 'active', turns_used: 1, last_verdict: 'continue' } })
  t.match(data, {
    session_id: sessionId, message_key: 'goal_continuing', message_args: { turns_used: 1, max_turns: 20 },
    decision: { status: 'active', should_continue: true, verdict: 'continue', reason: 'The railing is missing.', continuation_prompt: data.continuation_prompt }
  })
  t.equal(data.text, data.continuation_prompt)
  t.match(data.continuation_prompt, /Build the bridge[^]*The railing is missing\./)

  const next = await eventually('the next turn', () => activeStream(sessionId, service))
  const tookMs = Date.now() - endedMs
  t.ok(tookMs > 700, `it left ${tookMs} ms for others to speak first`)
  t.not(next, streamId)
  t.same(await told(sessionId, service), ['Build the bridge', data.continuation_prompt])
  wait.open()
  t.match(await standing(sessionId, 'done', service), { turns_used: 2 })
  t.equal(service.requests(model).length, 2, 'the same model was asked both times')
})

t.test('a client that continues is a turn of the goal, and nothing runs twice', async (t) => {
  service.judge(verdict('continue'), verdict('done'))
  const wait = gate()
  const model = service.model([{ text: 'Half of it.' }], slow(wait))
  const { sessionId, prompt } = await waiting(model)
  const [first, second] = await Promise.all([service.send(sessionId, prompt, { model }), service.send(sessionId, prompt, { model })])
  t.equal(first, second, 'two devices that continue at once get the same turn')
  t.equal(await activeStream(sessionId), first, 'it began at once')
  await still()
  t.equal(await service.send(sessionId, prompt, { model }), first, 'a third one joins it')
  t.equal((await told(sessionId)).length, 2)
  wait.open()
  t.match(await standing(sessionId, 'done'), { turns_used: 2 }, 'it counted as a turn of the goal')
  t.equal(await service.send(sessionId, prompt, { model }), first, 'one that comes after the end is shown what there was')
  await still()
  t.equal((await told(sessionId)).length, 2)
  t.equal(service.requests(model).length, 2)
})

t.test('a message that continues a goal is its turn by the queue and by /v1 too, and is not sent twice', async (t) => {
  const hasEnded = (sessionId: string, turns: number) => eventually(`${turns} turns`, async () =>
    (await told(sessionId)).length === turns && service.app.chat.isSettled(sessionId))
  service.judge(verdict('continue'), verdict('continue', 'The paint is missing.'), verdict('done'))
  const wait = gate()
  const model = service.model([{ text: 'Half of it.' }], slow(wait))
  const { sessionId, prompt } = await waiting(model)
  const add = async (message: string) => (await service.post('/api/session/queue', { session_id: sessionId, action: 'add', message, model })).body
  t.match(await add(prompt), { ok: true })
  const running = await eventually('the queued message has begun', () => activeStream(sessionId))
  t.equal((await service.session(sessionId)).messages.at(-1)._source, 'goal')
  const again = { session_id: sessionId, message: prompt, model }
  t.match((await service.post('/api/chat/start', { ...again, if_busy: 'queue' })).body, { stream_id: running }, 'while it runs, it does not join the queue')
  t.match((await add(prompt)).queue, [{ message: prompt }], 'unless that is asked for')
  await add('And then this')
  const reader = await service.watch(running)
  wait.open()
  const { data } = await reader.until('goal_continue')
  await hasEnded(sessionId, 3)
  t.same(await told(sessionId), ['Build the bridge', prompt, 'And then this'], 'what was sent leaves the queue, which continues')
  t.same((await service.get(`/api/session/queue?session_id=${sessionId}`)).body, { queue: [], held: null })
  t.match(await goalOf(sessionId), { status: 'done', turns_used: 2 }, 'a message of a person costs the goal nothing, its own one turn')
  t.match((await service.post('/api/chat/start', again)).body, { stream_id: running }, 'nor is it sent again afterwards')

  service.judge(verdict('continue'), verdict('continue', 'Still.'), verdict('done'))
  const other = await waiting(model)
  const ask = async (content: string) => await service.post('/v1/chat/completions', { model, messages: [{ role: 'user', content }] }, { 'x-session-id': other.sessionId })
  t.match(await ask(other.prompt), { status: 200, body: { choices: [{ message: { content: 'Done.' } }] } })
  await hasEnded(other.sessionId, 2)
  t.match(await goalOf(other.sessionId), { status: 'active', turns_used: 2 })
  t.match(await ask(other.prompt), { status: 200 }, 'a program gets an answer of its own each time')
  await hasEnded(other.sessionId, 3)
  t.match(await goalOf(other.sessionId), { status: 'done', turns_used: 2 }, 'and only one is the turn of the goal')
  t.not(data.continuation_prompt, prompt)
})

t.test('a client that continues after the service has gets the turn that runs', { long: true }, async (t) => {
  const service = continuing
  service.judge(verdict('continue'), verdict('done'))
  const wait = gate()
  const model = service.model([{ text: 'Half of it.' }], slow(wait))
  const { sessionId, prompt } = await waiting(model, service)
  const running = await eventually('the next turn', () => activeStream(sessionId, service))
  t.equal(await service.send(sessionId, prompt, { model }), running)
  const other = await service.post('/api/chat/start', { session_id: sessionId, message: 'Something else' })
  t.equal(other.status, 409, 'any other message waits for its end')
  t.equal(other.body.active_stream_id, running)
  wait.open()
  await standing(sessionId, 'done', service)
  t.equal((await told(sessionId, service)).length, 2)
})

t.test('a kickoff sent again as an ordinary message is one', { long: true }, async (t) => {
  service.judge()
  const { sessionId, reader } = await set('help', service.model())
  await reader.ended
  await service.turn(sessionId, 'help', service.model())
  t.same(await told(sessionId), ['help', 'help'])
})

t.test('at the very moment the goal goes on, a message does no harm', { long: true }, async (t) => {
  const dueMs = 500
  const service = await startChat(t, { goals: { continueAfterMs: dueMs } })
  for (const [afterMs, same] of [[dueMs - 70, true], [dueMs - 70, false], [dueMs + 100, true], [dueMs + 100, false]] as const) {
    service.judge(verdict('continue'), verdict('done'))
    const model = service.model()
    const { sessionId, prompt } = await waiting(model, service)
    const message = same ? prompt : 'Something else'
    const sent = new Promise((resolve) => {
      setTimeout(() => resolve(service.app.chat.send({ sessionId, message, model, explicitModelPick: false, attachments: [] })), afterMs)
    })
    await delay(dueMs - 150)
    // Nothing is committed in between: both are due when the event loop continues.
    for (const untilMs = Date.now() + 400; Date.now() < untilMs;);
    const outcome = await sent.then(() => 'sent', ({ name }: Error) => name)
    t.ok(outcome === 'sent' || (outcome === 'Conflict' && !same), outcome)
    t.match(await standing(sessionId, 'done', service), { last_verdict: 'done' }, 'the goal is not held up')
    t.same(await told(sessionId, service), ['Build the bridge', outcome === 'sent' ? message : prompt], 'and one of them runs')
  }
})

t.test('another message goes first, and the goal is judged again after it', async (t) => {
  service.judge(verdict('continue'), verdict('continue', 'Still no railing.'), verdict('done'))
  const model = service.model()
  const { sessionId, prompt } = await waiting(model)
  const { events, reader } = await service.turn(sessionId, 'Paint it red first', model)
  t.same(events.slice(-5), ['done', 'goal', 'goal', 'goal_continue', 'stream_end'])
  t.match(await goalOf(sessionId), { turns_used: 1, last_reason: 'Still no railing.' }, 'a message of a person costs the goal nothing')
  const second = (await reader.until('goal_continue')).data.continuation_prompt
  t.not(second, prompt)
  await service.send(sessionId, second, { model })
  await standing(sessionId, 'done')
  t.same(await told(sessionId), ['Build the bridge', 'Paint it red first', second])
})

t.test('a message that comes while the judge thinks makes its verdict void', async (t) => {
  const [judge, wait] = [gate(), gate()]
  service.judge(thinking(judge, verdict('continue')), verdict('done'))
  const before = service.judged().length
  const { sessionId, reader } = await set('Build the bridge', service.model())
  await judging(before)
  const message = await service.send(sessionId, 'Paint it red', { model: service.model(slow(wait)) })
  judge.open()
  await reader.ended
  t.equal(goalFrames(reader).length, 2)
  t.match(goalFrames(reader)[1], /^idle/)
  t.notOk(reader.frames.some(({ event }) => event === 'goal_continue'))
  await still()
  t.match(await goalOf(sessionId), { status: 'active', turns_used: 1, last_verdict: null })
  wait.open()
  await (await service.watch(message)).ended
  await standing(sessionId, 'done')
  t.equal((await told(sessionId)).length, 2)
})

t.test('the budget', async (t) => {
  const limited = await service.again(t, newFolder('goals:\n  max_turns: 2\n'))
  service.judge(verdict('continue'), verdict('continue'), verdict('continue'), verdict('done'))
  const model = limited.model()
  const { sessionId, prompt } = await waiting(model, limited)
  const next = await limited.watch(await limited.send(sessionId, prompt, { model }))
  await next.ended
  t.same(goalFrames(next), ['evaluating goal_evaluating_progress', 'idle goal_paused_budget_exhausted'])
  t.notOk(next.frames.some(({ event }) => event === 'goal_continue'))
  const spent = await goalOf(sessionId, limited)
  t.match(spent, { status: 'paused', turns_used: 2, max_turns: 2, last_verdict: 'continue', paused_reason: /2 turns/, paused_code: 'turns' })
  const { sqlite } = limited.app.db
  sqlite.prepare("update goals set paused_reason = 'in other words'").run()
  t.equal((await goalOf(sessionId, limited))?.paused_code, 'turns', 'the code is stored')
  sqlite.prepare("update goals set paused_reason = 'the budget of 2 turns is used up', paused_code = null").run()
  t.equal((await goalOf(sessionId, limited))?.paused_code, 'turns', 'earlier versions stored the words alone')
  await still(limited)
  t.equal(limited.requests(model).length, 2, 'a used-up budget stops it')

  t.match((await act(sessionId, 'resume', {}, limited)).body, { ok: true, action: 'resume', message_key: 'goal_resumed', goal: { status: 'active', turns_used: 0, paused_reason: null } })
  await still(limited)
  t.equal(limited.requests(model).length, 2, 'to resume starts no turn')
  t.equal((await told(sessionId, limited)).length, 2)
  const onwards = await limited.turn(sessionId, 'Go on', model)
  const { data } = await onwards.reader.until('goal_continue')
  t.match(data.message_args, { turns_used: 0, max_turns: 2 }, 'the next message goes on with it')
  await limited.send(sessionId, data.continuation_prompt, { model })
  t.match(await standing(sessionId, 'done', limited), { turns_used: 1 })
})

t.test('a budget that makes no sense is the usual one', { long: true }, async (t) => {
  for (const value of ['0', '-3', '1.9', 'many', '.nan', '[1]']) {
    const folder = newFolder(`goals:\n  max_turns: ${value}\n`)
    const odd = await service.again(t, folder)
    service.judge()
    const { body, reader } = await set('Go', odd.model(), undefined, odd)
    t.equal(body.goal.max_turns, 20, value)
    await reader.ended
    await odd.stop()
  }
  const one = await service.again(t, newFolder('goals:\n  max_turns: 1\n'))
  service.judge(verdict('continue'))
  const { sessionId, reader } = await set('Go', one.model(), undefined, one)
  await reader.ended
  t.match(await goalOf(sessionId, one), { status: 'paused', turns_used: 1, max_turns: 1 })
})

t.test('what pauses a goal', { long: true }, async (t) => {
  const cases: Cases = {}
  cases['a turn that fails'] = async (service) => {
    const { sessionId, reader } = await set('Build it', 'fault-401', undefined, service)
    await reader.ended
    t.equal(reader.frames.at(-1)?.event, 'apperror')
    t.match(await standing(sessionId, 'paused', service), { paused_reason: /failed/, paused_code: 'failed', turns_used: 0 })
    t.equal((await act(sessionId, '', {}, service)).body.message_key, 'goal_status_paused')
  }

  cases['a turn that is cancelled'] = async (service) => {
    const before = service.judged().length
    const { sessionId, reader, streamId } = await set('Build it', service.model(slow(gate())), undefined, service)
    await reader.until('token')
    await service.get(`/api/chat/cancel?stream_id=${streamId}`)
    await reader.ended
    t.match(await standing(sessionId, 'paused', service), { paused_reason: /cancelled/, paused_code: 'cancelled' })
    t.equal(service.judged().length, before)
  }

  cases['a cancel while the judge is thinking'] = async (service) => {
    const judge = gate()
    service.judge(thinking(judge, verdict('continue')))
    const before = service.judged().length
    const model = service.model()
    const { sessionId, reader, streamId } = await set('Build it', model, undefined, service)
    await judging(before, service)
    await service.get(`/api/chat/cancel?stream_id=${streamId}`)
    await reader.ended
    t.same(telling(reader.frames).slice(-3), ['goal', 'goal', 'stream_end'])
    t.same(goalFrames(reader), ['evaluating goal_evaluating_progress', 'idle goal_status_paused'], 'the stream says so at once')
    t.match(await goalOf(sessionId, service), { status: 'paused', paused_reason: /cancelled/ })
    judge.open()
    await still(service)
    t.match(await goalOf(sessionId, service), { status: 'paused', last_verdict: null }, 'the late verdict counts for nothing')
    t.equal(service.requests(model).length, 1)
  }

  for (const [name, judge, reason] of [
    ['an unclear verdict', verdict('unclear', 'Ask the owner.'), /Ask the owner/],
    ['a verdict that is nonsense', [{ text: 'Bridges are nice 🌉' }], /not understood/],
    ['a judge that says nothing', [{ text: '' }], /no answer/],
    ['a judge that fails', () => { throw new Error('out of order') }, /did not answer/]
  ] as Array<[string, ScriptedAnswer, RegExp]>) {
    cases[name] = async (service) => {
      service.judge(judge)
      const model = service.model()
      const { sessionId, reader } = await set('Build it', model, undefined, service)
      await reader.ended
      t.same(goalFrames(reader), ['evaluating goal_evaluating_progress', 'idle goal_paused'])
      t.equal(reader.frames.at(-1)?.event, 'stream_end')
      t.match(await goalOf(sessionId, service), { status: 'paused', paused_reason: reason, last_verdict: 'skipped', turns_used: 1 })
      await still(service)
      t.equal(service.requests(model).length, 1)
    }
  }
  await beside(t, cases)
})

t.test('pause and clear at every stage', { long: true }, async (t) => {
  const cases: Cases = {}
  for (const [args, after] of [['pause', { status: 'paused', paused_reason: /user/, paused_code: 'person' }], ['clear', null], ['Stop', null], [' DONE ', null]] as const) {
    cases[`${args} while its turn runs: the turn ends, and that is it`] = async (service) => {
      const [before, wait] = [service.judged().length, gate()]
      const model = service.model(slow(wait))
      const { sessionId, reader } = await set('Build it', model, undefined, service)
      await reader.until('token')
      const { status, body } = await act(sessionId, args, {}, service)
      t.equal(status, 200)
      t.match(body, { ok: true, action: args === 'pause' ? 'pause' : 'clear', message_key: args === 'pause' ? 'goal_paused' : 'goal_cleared' })
      t.match(body.goal, after)
      wait.open()
      await reader.ended
      t.same(telling(reader.frames).filter((event) => event !== 'title').slice(-2), ['done', 'stream_end'], 'a title may come late')
      t.equal((await service.session(sessionId)).messages.at(-1).content, 'So far and on')
      await still(service)
      t.equal(service.judged().length, before, 'nobody judges it')
      t.match(await goalOf(sessionId, service), after)
    }
  }

  for (const args of ['pause', 'clear']) {
    cases[`${args} while the judge thinks ends the stream at once`] = async (service) => {
      const judge = gate()
      service.judge(thinking(judge, verdict('continue')))
      const before = service.judged().length
      const model = service.model()
      const { sessionId, reader } = await set('Build it', model, undefined, service)
      await judging(before, service)
      await act(sessionId, args, {}, service)
      await reader.ended
      t.match(goalFrames(reader)[1], args === 'pause' ? 'idle goal_status_paused' : 'idle goal_status_none')
      if (args === 'pause') t.match((await act(sessionId, 'resume', {}, service)).body.goal, { status: 'active', turns_used: 0 })
      judge.open()
      await still(service)
      t.match(await goalOf(sessionId, service), args === 'pause' ? { status: 'active', turns_used: 0, last_verdict: null } : null, 'its verdict is not waited for')
      t.equal(service.requests(model).length, 1)
    }

    cases[`${args} before it goes on`] = async (service) => {
      service.judge(verdict('continue'))
      const model = service.model()
      const { sessionId } = await waiting(model, service)
      await act(sessionId, args, {}, service)
      await still(service)
      t.equal(service.requests(model).length, 1)
      t.equal((await told(sessionId, service)).length, 1)
    }
  }

  cases['an ordinary message leaves a paused goal alone'] = async (service) => {
    service.judge(verdict('continue'))
    const { sessionId } = await waiting(undefined, service)
    await act(sessionId, 'pause', {}, service)
    const { events } = await service.turn(sessionId, 'How is it going?', service.model())
    t.notOk(events.includes('goal'))
    t.match(await goalOf(sessionId, service), { status: 'paused' })
  }
  await beside(t, cases)
})

t.test('without a goal', async (t) => {
  const sessionId = await service.newSession()
  for (const args of [undefined, null, '', '   \n\t ', 'status', 'STATUS', '\u00a0\u3000']) {
    const { status, body } = await act(sessionId, args)
    t.equal(status, 200)
    t.match(body, { ok: true, action: 'status', goal: null, message_key: 'goal_status_none', message: String }, `${JSON.stringify(args)}`)
  }
  for (const args of ['clear', 'stop', 'done']) {
    const { status, body } = await act(sessionId, args)
    t.match({ status, body }, { status: 200, body: { ok: true, action: 'clear', goal: null, message_key: 'goal_no_goal' } })
  }
  const refused = { status: 400, body: { ok: false, action: 'error', error: 'no_goal', message_key: 'goal_no_goal', goal: null } }
  for (const args of ['pause', 'resume', ' Resume ']) t.match(await act(sessionId, args), refused, args)
  t.same((await service.session(sessionId)).messages, [], 'none of this is a message')

  service.judge(verdict('done'))
  await (await set('Go', service.model(), sessionId)).reader.ended
  for (const args of ['pause', 'resume']) t.match(await act(sessionId, args), refused, `${args} of a reached one`)
  await act(sessionId, 'clear')
  for (const args of ['pause', 'resume']) t.match(await act(sessionId, args), refused, `${args} of a cleared one`)
  t.match((await act(sessionId)).body, { goal: null, message_key: 'goal_status_none' })
})

t.test('a goal cannot be set while a turn runs, and the one before stays', { long: true }, async (t) => {
  const wait = gate()
  const { sessionId, reader } = await set('Build the bridge', service.model(slow(wait)))
  await reader.until('token')
  const refused = await act(sessionId, 'Paint the fence')
  t.equal(refused.status, 409)
  t.match(refused.body, { ok: false, action: 'error', error: 'agent_running', message: String, goal: { goal: 'Build the bridge', status: 'active' } })
  t.match(await goalOf(sessionId), { goal: 'Build the bridge' })
  t.same(await told(sessionId), ['Build the bridge'])
  service.judge(verdict('done'))
  wait.open()
  await standing(sessionId, 'done')

  const fresh = await service.newSession()
  const streamId = await service.send(fresh, 'Hello', { model: service.model(slow(gate())) })
  t.match(await act(fresh, 'Paint the fence'), { status: 409, body: { error: 'agent_running', goal: null } })
  t.equal(await goalOf(fresh), null)
  await service.get(`/api/chat/cancel?stream_id=${streamId}`)
})

t.test('of two goals that are set at once, one is', { long: true }, async (t) => {
  const sessionId = await service.newSession()
  const wait = gate()
  const model = service.model(slow(wait))
  const answers = await Promise.all(['First', 'Second'].map((text) => act(sessionId, text, { model })))
  t.same(answers.map(({ status }) => status).sort(), [200, 409])
  const winner = answers.find(({ status }) => status === 200)!.body
  t.equal(answers.find(({ status }) => status === 409)!.body.error, 'agent_running')
  t.match(await goalOf(sessionId), winner.goal)
  t.same(await told(sessionId), [winner.kickoff_prompt])
  service.judge()
  wait.open()
  await standing(sessionId, 'done')
})

t.test('a goal that cannot be started changes nothing', { long: true }, async (t) => {
  service.judge(verdict('continue'), verdict('done'))
  const model = service.model()
  const { sessionId, prompt } = await waiting(model)
  const before = await goalOf(sessionId)
  t.match(await act(sessionId, 'Another', { profile: 'someone-else' }), { status: 409, body: { code: 'session_profile_mismatch', profile: 'default' } })
  t.equal((await act(sessionId, 'Another', { workspace: '/nowhere/at/all' })).status, 400)
  t.match(await act(sessionId, 'x'.repeat(64 * 1024 + 1)), { status: 400, body: { ok: false, action: 'error', error: 'invalid_goal', message: /64 KiB/ } })
  t.equal((await act(sessionId, 'é'.repeat(32 * 1024 + 1))).body.error, 'invalid_goal', 'it is bytes that count')
  t.equal((await service.post('/api/chat/start', { session_id: sessionId, message: prompt, profile: 'someone-else' })).status, 404, 'nor does a continuation that is refused')
  t.same(await goalOf(sessionId), before)
  t.same(await told(sessionId), ['Build the bridge'])
  await service.send(sessionId, prompt, { model })
  await standing(sessionId, 'done')
  t.same(await told(sessionId), ['Build the bridge', prompt], 'the goal before goes on')

  const text = 'é'.repeat(32 * 1024)
  service.judge()
  const { body, reader } = await set(text, service.model())
  t.equal(body.goal.goal, text, 'exactly 64 KiB are allowed')
  await reader.ended
})

t.test('sessions that are not there, or only to be read', async (t) => {
  for (const args of ['', 'status', 'pause', 'resume', 'clear', 'Build it']) {
    const { status, body } = await act('0'.repeat(12), args)
    t.match({ status, body }, { status: 404, body: { error: 'Session not found' } }, `"${args}"`)
    t.equal(body.error, 'Session not found')
  }
  const sessionId = await service.newSession()
  service.app.db.sqlite.prepare('update sessions set read_only = 1 where id = ?').run(sessionId)
  t.equal((await act(sessionId, 'Build it')).status, 403)
  t.equal(await goalOf(sessionId), null)
  t.same(await told(sessionId), [])
})

t.test('garbage', { long: true }, async (t) => {
  const sessionId = await service.newSession()
  for (const args of [5, true, ['pause'], { text: 'x' }]) {
    t.equal((await act(sessionId, args)).status, 400, `args ${JSON.stringify(args)}`)
    t.equal((await service.post('/api/goal', { session_id: sessionId, text: args })).status, 400, `text ${JSON.stringify(args)}`)
  }
  for (const id of [undefined, '', 5, null, 'x'.repeat(500)]) t.equal((await act(id, 'status')).status, 400)
  for (const id of ['../../etc/passwd', '\u0000', "' or 1=1 --", '💥']) t.equal((await act(id, 'status')).status, 404)
  for (const body of ['', '[]', '"pause"', '{', 'null']) t.equal((await service.post('/api/goal', body)).status, 400, body)
  t.ok([400, 413].includes((await act(sessionId, 'x'.repeat(5_000_000))).status))
  for (const key of ['model', 'model_provider', 'profile', 'workspace']) t.equal((await act(sessionId, 'Go', { [key]: 5 })).status, 400, key)
  t.equal(await goalOf(sessionId), null)
  t.same(await told(sessionId), [])

  for (const text of ['🌉 架橋 \u202eright to left\u202c', 'a\u0000b', '\ud800 half of a character', 'pause the music', '"; drop table goals; --', '<script>alert(1)</script>', '[SILENT]', 'Continue towards the goal (turn 2 of 20): mine']) {
    service.judge(verdict('continue', `${text} 🌉`), verdict('done'))
    const model = service.model()
    const { body, reader } = await set(text, model, sessionId)
    t.equal(body.goal.goal, toUSVString(text))
    const { data } = await reader.until('goal_continue')
    await reader.ended
    const next = await service.watch(await service.send(sessionId, data.continuation_prompt, { model }))
    await next.ended
    t.match(await goalOf(sessionId), { status: 'done', turns_used: 2 }, `the continuation of ${JSON.stringify(text)} is recognised`)
    t.equal(service.requests(model).length, 2)
  }
  service.judge()
  const { body } = await service.post('/api/goal', { session_id: sessionId, text: 'By its other name', model: service.model() })
  t.equal(body.kickoff_prompt, 'By its other name')
  await standing(sessionId, 'done')
})

t.test('a new goal takes the place of the one before', { long: true }, async (t) => {
  const judge = gate()
  service.judge(thinking(judge, verdict('done', 'The old one is reached.')), verdict('done', 'The new one is.'))
  const before = service.judged().length
  const { sessionId, reader } = await set('The old one', service.model())
  await judging(before)
  const wait = gate()
  const next = await set('The new one', service.model(slow(wait)), sessionId)
  judge.open()
  await reader.ended
  t.match(await goalOf(sessionId), { goal: 'The new one', status: 'active', last_verdict: null }, 'what is said of the old one is not said of it')
  wait.open()
  await next.reader.ended
  t.match(await goalOf(sessionId), { goal: 'The new one', status: 'done', turns_used: 1, last_reason: 'The new one is.' })

  service.judge(verdict('continue'), verdict('done'))
  const old = await waiting()
  const again = await set('The newest', service.model(), old.sessionId)
  await again.reader.ended
  await still()
  t.same(await told(old.sessionId), ['Build the bridge', 'The newest'], 'nor does the old one go on')
})

t.test('the end of a stopped turn does not touch a goal that was set since', { long: true }, async (t) => {
  const sessionId = await service.newSession()
  const streamId = await service.send(sessionId, 'Hello', { model: service.model(slow(gate())) })
  await (await service.watch(streamId)).until('token')
  service.judge(verdict('done'))
  const [, answer] = await Promise.all([
    service.get(`/api/chat/cancel?stream_id=${streamId}`),
    eventually('the session to be free', async () => {
      const answer = await act(sessionId, 'Build it', { model: service.model() })
      return answer.status === 200 && answer
    })
  ])
  t.equal(answer.body.goal.status, 'active')
  await (await service.watch(streamId)).ended
  t.match(await standing(sessionId, 'done'), { turns_used: 1, paused_reason: null })
})

t.test('a goal outlives a restart', async (t) => {
  const cases: Cases = {}
  /** Copies the service's folder in its present state, as a crash leaves it. */
  function crashed (folder: string): string {
    const copy = newFolder()
    cpSync(folder, copy, { recursive: true })
    return copy
  }

  for (const how of ['stop', 'crash'] as const) {
    const over = async (before: ChatService, folder: string) => {
      const left = how === 'crash' ? crashed(folder) : folder
      await before.stop()
      return await before.again(t, left, swift)
    }

    cases[`${how} before it goes on: it goes on`] = async (service) => {
      const folder = newFolder()
      const before = await service.again(t, folder)
      service.judge(verdict('continue'), verdict('done'))
      const model = before.model()
      const { sessionId, prompt } = await waiting(model, before)
      const after = await over(before, folder)
      t.match(await standing(sessionId, 'done', after), { turns_used: 2 })
      t.same(await told(sessionId, after), ['Build the bridge', prompt])
      t.equal(after.requests(model).length, 2)
    }

    cases[`${how} in the middle of a turn: it is paused and says why`] = async (service) => {
      const folder = newFolder()
      const before = await service.again(t, folder)
      service.judge()
      const model = before.model(slow(gate()))
      const { sessionId, reader } = await set('Build it', model, undefined, before)
      await reader.until('token')
      const judged = service.judged().length
      const after = await over(before, folder)
      t.match(await standing(sessionId, 'paused', after), { paused_reason: /stopped in the middle/, paused_code: 'cut_off' })
      await still(after)
      t.equal(service.judged().length, judged)
      t.equal(after.requests(model).length, 1)
      t.match((await act(sessionId, 'resume', {}, after)).body, { ok: true, goal: { status: 'active' } })
      service.judge(verdict('done'))
      await after.turn(sessionId, 'Go on', model)
      t.match(await goalOf(sessionId, after), { status: 'done' }, 'and can be taken up again')
    }

    cases[`${how} while the judge thinks, twice: it is judged at the start`] = async (service) => {
      const folder = newFolder()
      const before = await service.again(t, folder)
      const judge = gate()
      const late = thinking(judge, verdict('unclear'))
      service.judge(late, late, verdict('continue', 'Not yet.'), verdict('done'))
      const judged = service.judged().length
      const model = before.model([{ text: 'Half of it.' }])
      const { sessionId } = await set('Build it', model, undefined, before)
      await judging(judged, service)
      const between = await over(before, folder)
      await judging(judged + 1, service)
      const after = await over(between, between.folder)
      judge.open()
      t.match(await standing(sessionId, 'done', after), { turns_used: 2, paused_reason: null })
      t.equal((await told(sessionId, after)).length, 2)
      t.match(said(service.judged()[judged + 2], 'user').join(), /Half of it\./)
    }

    cases[`${how} after it was resumed: it still waits for a message`] = async (service) => {
      const folder = newFolder()
      const before = await service.again(t, folder)
      service.judge(verdict('unclear'), verdict('continue'))
      const model = before.model()
      const { sessionId, reader } = await set('Build it', model, undefined, before)
      await reader.ended
      await act(sessionId, 'resume', {}, before)
      const judged = service.judged().length
      const after = await over(before, folder)
      await still(after)
      t.equal(service.judged().length, judged)
      t.match(await goalOf(sessionId, after), { status: 'active', turns_used: 0 })
      t.equal((await told(sessionId, after)).length, 1)
    }

    cases[`${how} of paused, reached and cleared goals`] = async (service) => {
      const folder = newFolder()
      const before = await service.again(t, folder)
      service.judge(verdict('continue'), verdict('done'), verdict('continue'))
      const paused = (await waiting(undefined, before)).sessionId
      await act(paused, 'pause', {}, before)
      const reached = await set('Build it', before.model(), undefined, before)
      await reached.reader.ended
      const cleared = (await waiting(undefined, before)).sessionId
      await act(cleared, 'clear', {}, before)
      const judged = service.judged().length
      const after = await over(before, folder)
      await still(after)
      t.match(await goalOf(paused, after), { status: 'paused', paused_reason: /user/ })
      t.match(await goalOf(reached.sessionId, after), { status: 'done' })
      t.equal(await goalOf(cleared, after), null)
      t.equal(service.judged().length, judged)
      for (const sessionId of [paused, reached.sessionId, cleared]) t.equal((await told(sessionId, after)).length, 1)
    }
  }
  const early = (isEarly: boolean): Cases => Object.fromEntries(Object.entries(cases).filter(([name]) => /before it goes on|in the middle of a turn/.test(name) === isEarly))
  await t.test('before it goes on, and in the middle of a turn', async (t) => await beside(t, early(true)))
  await t.test('at every other moment', { long: true }, async (t) => await beside(t, early(false)))
})

t.test('deleting the session ends everything', { long: true }, async (t) => {
  const remove = async (sessionId: string) => t.equal((await service.post('/api/session/delete', { session_id: sessionId })).status, 200)
  const gone = async (sessionId: string, model: string) => {
    await still()
    t.match(await act(sessionId), { status: 404, body: { error: 'Session not found' } })
    t.equal(service.requests(model).length, 1)
    t.equal(service.app.goals.size(), 0, 'nothing is left behind')
    t.notOk((await service.get('/api/sessions')).body.sessions.some((row: { session_id: string }) => row.session_id === sessionId))
  }
  await t.test('before it goes on', async () => {
    service.judge(verdict('continue'))
    const model = service.model()
    const { sessionId } = await waiting(model)
    await remove(sessionId)
    await gone(sessionId, model)
  })
  await t.test('while its turn runs', async () => {
    const model = service.model(slow(gate()))
    const { sessionId, reader } = await set('Build it', model)
    await reader.until('token')
    await remove(sessionId)
    await gone(sessionId, model)
  })
  await t.test('while the judge thinks', async () => {
    const judge = gate()
    service.judge(thinking(judge, verdict('continue')))
    const before = service.judged().length
    const model = service.model()
    const { sessionId } = await set('Build it', model)
    await judging(before)
    await remove(sessionId)
    judge.open()
    await gone(sessionId, model)
  })
})

t.test('with nobody watching, what would ask is denied and the model is told', async (t) => {
  const service = continuing
  service.judge(verdict('continue'), verdict('done'))
  const model = service.model([{ text: 'Half of it.' }],
    [{ tool: 'terminal', args: { command: 'touch unattended.txt' }, id: 'call_1' }, { tool: 'clarify', args: { question: 'Which colour?' }, id: 'call_2' }], [{ text: 'Then without.' }])
  const { sessionId } = await waiting(model, service)
  await standing(sessionId, 'done', service)
  const results = said(service.requests(model)[2], 'tool')
  t.equal(results.length, 2)
  t.match(results[0], /nobody is there/)
  t.match(results[1], /nobody|no one|no answer|not answer/i)
  const { messages, tool_calls: cards } = await service.session(sessionId)
  t.equal(messages.at(-1).content, 'Then without.')
  t.match(cards[0], { is_error: true })
  for (const kind of ['approval', 'clarify']) t.equal((await service.get(`/api/${kind}/pending?session_id=${sessionId}`)).body.pending_count, 0)
})

t.test('with somebody watching, it asks', async (t) => {
  const service = continuing
  for (const path of ['/api/approval/stream?session_id=', '/api/clarify/stream?session_id=', '/api/sessions/events?session_id=']) {
    service.judge(verdict('continue'), verdict('done'))
    const model = service.model([{ text: 'Half of it.' }], [{ tool: 'terminal', args: { command: 'echo attended' } }])
    const sessionId = await service.newSession()
    const watching = await service.events(`${path}${sessionId}`)
    await set('Build the bridge', model, sessionId, service)
    await service.pending(sessionId)
    await service.respond(sessionId, 'once')
    await standing(sessionId, 'done', service)
    t.match((await service.session(sessionId)).tool_calls[0], { is_error: false }, path)
    watching.drop()
    // The next session has no watcher but its own reader.
    await delay(50)
  }
})

t.test('whoever sets a goal, or continues it, is there to be asked', async (t) => {
  service.judge(verdict('continue'), verdict('done'))
  const run = (command: string): ScriptedAnswer => [{ tool: 'terminal', args: { command } }]
  const model = service.model(run('echo first'), [{ text: 'Half of it.' }], run('echo second'))
  const answered = async (sessionId: string) => {
    await service.pending(sessionId)
    await service.respond(sessionId, 'once')
  }
  const { sessionId, reader } = await set('Build it', model)
  await answered(sessionId)
  const { data } = await reader.until('goal_continue')
  await service.send(sessionId, data.continuation_prompt, { model })
  await answered(sessionId)
  await standing(sessionId, 'done')
  t.same((await service.session(sessionId)).tool_calls.map((card: { is_error: boolean }) => card.is_error), [false, false])
})

t.test('a verdict that comes after the last frame of its stream, and a judge that throws, hold up nothing', { long: true }, async (t) => {
  const wait = gate()
  const heard: unknown[] = []
  const judgedBy = async (judge: () => Promise<GoalVerdict>) => {
    const judging = createJudging({ judge, turnOf: () => 1, log: (message) => { heard.push(message) } })
    const judged = judging.decide({
      sessionId: 's',
      input: { goal: 'Build it', answer: '', turns: 1 },
      tell: (write) => { write() },
      asked: () => [],
      decided: (verdict) => {
        heard.push(verdict)
        return []
      },
      streamEnded: () => { heard.push('goes on') }
    })
    t.ok(judging.streamEnded('s'))
    wait.open()
    await judged
    t.equal(judging.size(), 0)
    t.notOk(judging.streamEnded('s'))
  }
  await judgedBy(async () => {
    while (!wait.isOpen) await delay(5)
    return { verdict: 'continue', reason: 'Not yet.' }
  })
  await judgedBy(async () => { throw new Error('out of order') })
  t.same(heard, [{ verdict: 'continue', reason: 'Not yet.' }, 'goes on', 'the judge of a goal failed', null, 'goes on'])
})
