import t, { type Test } from '../../test/support/harness.js'
import { Conversation } from '../src/core/conversation/conversation.js'
import { type ConversationEvent } from '../src/core/conversation/conversation-state.js'
import { editAndResend, retryLast } from '../src/core/conversation/resending.js'
import { type StartOptions, type TestService } from '../../test/support/app.js'
import { type Link } from '../src/core/service/link.js'
import { eventually, gate, held, startChat } from '../../test/support/chat.js'
import { counted, demoService, sessionWith } from '../../test/support/page.js'
import { browserApp, shownIn, soon, until, type TestLink } from './browser-app.js'

interface Window { conversation: Conversation, link: TestLink, events: ConversationEvent[] }

/** A window that looks at a session. */
function look (t: Test, s: TestService, sessionId: string | null): Window {
  const { api, link } = browserApp(t, s.url)
  const conversation = new Conversation({ api, link, sessionId, schedule: soon })
  const events: ConversationEvent[] = []
  conversation.listen((event) => events.push(event))
  t.teardown(() => conversation.close())
  return { conversation, link, events }
}

/** Without what the demo says of itself. */
const said = ({ conversation }: Window): string[] => shownIn(conversation).filter((line) => !line.startsWith('reasoning: ')).map((line) => line.replace(/^text: Fixed rules wrote this reply, not an AI model\.\s+/, 'text: '))
const demo = (t: Test, options: StartOptions = {}) => demoService(t, { demoWordsPerSecond: 300, ...options })
const idle = ({ conversation }: Window) => until(() => conversation.mode.value === 'idle' && conversation.state.value === 'ready')
const heard = (window: Window, text: string) => until(() => shownIn(window.conversation).join('\n').includes(text))

t.test('an empty page becomes a session once, and its exchange is the same one from the click to the end', async (t) => {
  const s = await demo(t)
  const window = look(t, s, null)
  const { conversation } = window
  t.equal(conversation.state.value, 'new')
  const [first, second, isSent] = await Promise.all([conversation.ensure(), conversation.ensure(), conversation.send({ text: 'slow 30' })])
  t.equal(first, second)
  t.equal(isSent, true)
  t.same(window.events.filter(({ type }) => type === 'created'), [{ type: 'created', sessionId: first }])
  const [exchange] = conversation.transcript.exchanges.value
  t.match(exchange?.head.value.state, 'running')
  await heard(window, '3 4 5')
  const [text] = exchange!.parts.value
  await idle(window)
  t.equal(conversation.transcript.exchanges.value[0], exchange)
  t.equal(exchange!.parts.value[0], text, 'what was heard is not drawn again')
  t.same(said(window), ['you: slow 30', `text: ${counted(30)}`, 'completed'])
  t.match(exchange!.user.value, { state: 'stored', index: 0 })
  t.match(exchange!.turn.endIndex, 2)
  t.match(conversation.usage.value, { used_model: String })
  t.match(conversation.session.value, { title: 'slow 30' })
  t.same(window.events.at(-1), { type: 'ended', state: 'completed' })
})

t.test('a turn that ended before the connection had heard of its session does not run on for ever', async (t) => {
  const s = await demo(t)
  const { api, link } = browserApp(t, s.url)
  const connected = Promise.withResolvers<void>()
  const slow: Link = {
    ...link,
    watchSession (id, listener) {
      let stop: (() => void) | null = null
      void connected.promise.then(() => { stop = link.watchSession(id, listener) })
      return () => stop?.()
    }
  }
  const conversation = new Conversation({ api, link: slow, sessionId: null, schedule: soon })
  t.teardown(() => conversation.close())
  await conversation.send({ text: 'slow 3' })
  const id = await conversation.ensure()
  await eventually('the end of the turn', async () => (await s.session(id)).active_stream_id === null)
  t.equal(conversation.mode.value, 'running')
  connected.resolve()
  await until(() => conversation.mode.value === 'idle' && conversation.state.value === 'ready')
  t.equal(shownIn(conversation).at(-1), 'completed')
})

t.test('a window that is opened in the middle, one whose connection is lost, and another device: all show the same', async (t) => {
  const s = await demo(t)
  const id = await s.newSession()
  const early = look(t, s, id)
  await idle(early)
  await s.send(id, 'slow 60')
  await heard(early, '3 4 5')
  const late = look(t, s, id)
  await heard(late, '9 10 11')
  early.link.lose()
  await heard(late, '1 2 3')
  await Promise.all([idle(early), idle(late)])
  await until(() => shownIn(early.conversation).at(-1) === 'completed' && shownIn(late.conversation).at(-1) === 'completed')
  t.same(said(early), ['you: slow 60', `text: ${counted(60)}`, 'completed'])
  t.same(shownIn(late.conversation), shownIn(early.conversation))
  const { exchanges } = early.conversation.transcript
  const before = exchanges.value
  await early.conversation.reload()
  t.equal(exchanges.value, before)

  await s.post('/api/session/undo', { session_id: id })
  await until(() => exchanges.value.length === 0 && late.conversation.transcript.exchanges.value.length === 0)
  await s.post('/api/session/rename', { session_id: id, title: 'Renamed' })
  await until(() => early.conversation.session.value?.title === 'Renamed')
  await s.post('/api/session/delete', { session_id: id })
  await until(() => early.conversation.state.value === 'failed' && late.conversation.state.value === 'failed')
  t.match(early.events.at(-1), { type: 'gone' })
})

t.test('a turn that this window has not heard of: the message stays with its sender, and the turn is followed', async (t) => {
  const s = await demo(t)
  const id = await s.newSession()
  const window = look(t, s, id)
  await idle(window)
  window.link.hold()
  await s.send(id, 'slow 40')
  t.equal(await window.conversation.send({ text: 'mine' }), false)
  t.match(window.conversation.notice.value, { code: 'already-running' })
  t.equal(window.conversation.mode.value, 'running')
  window.link.release()
  await idle(window)
  t.same(said(window), ['you: slow 40', `text: ${counted(40)}`, 'completed'])
})

t.test('what is not taken leaves nothing behind, and says why', async (t) => {
  const s = await demo(t)
  const gone = look(t, s, 'nowhere')
  await until(() => gone.conversation.state.value === 'failed')
  t.match(gone.conversation.problem.value, { status: 404 })
  t.same(gone.events, [{ type: 'gone' }])

  const id = await s.newSession()
  const window = look(t, s, id)
  await idle(window)
  await s.stop()
  t.equal(await window.conversation.send({ text: 'into the void' }), false)
  t.match(window.conversation.notice.value, { code: 'failed' })
  t.same(shownIn(window.conversation), [])
  t.equal(window.conversation.mode.value, 'idle')
})

t.test('a stop keeps what was said, and frees the session', async (t) => {
  const s = await demo(t)
  const window = look(t, s, await s.newSession())
  await window.conversation.send({ text: 'slow 500' })
  await heard(window, '3 4 5')
  const stopped = window.conversation.stop()
  t.equal(window.conversation.mode.value, 'stopping')
  await stopped
  await idle(window)
  const [you, text, state] = said(window)
  t.same([you, state], ['you: slow 500', 'cancelled'])
  t.match(text, /^text: 1 2 3 4 5/)
  t.match(window.conversation.transcript.exchanges.value[0]?.parts.value[1]?.part.value, { isPartial: true, isOpen: false })
  t.equal(await window.conversation.send({ text: 'slow 3' }), true)
  await idle(window)
  t.same(said(window).slice(3), ['you: slow 3', 'text: 1 2 3', 'completed'])
  t.same(window.events.filter(({ type }) => type === 'ended'), [{ type: 'ended', state: 'cancelled' }, { type: 'ended', state: 'completed' }])
})

t.test('notes: read after a result, back in the box when they came too late, refused when nothing runs', async (t) => {
  const s = await startChat(t)
  const open = gate()
  const id = await sessionWith(s, held(open, [{ text: 'I look.' }], [{ tool: 'list_files', args: { path: '.' } }]), [{ text: 'So.' }])
  const window = look(t, s, id)
  const other = look(t, s, id)
  await Promise.all([idle(window), idle(other)])
  await window.conversation.send({ text: 'Go' })
  await heard(window, 'I look.')
  await eventually('the agent has it', async () => await window.conversation.steer('Faster') || undefined)
  await heard(window, 'note: Faster')
  t.same(shownIn(window.conversation), ['you: Go', 'text: I look.', 'note: Faster', 'running'])
  open.open()
  await until(() => shownIn(window.conversation).at(-1) === 'completed' && shownIn(other.conversation).at(-1) === 'completed')
  t.same(shownIn(window.conversation), ['you: Go', 'text: I look.', 'call: list_files done', 'note: Faster', 'text: So.', 'completed'])
  t.same(shownIn(other.conversation), shownIn(window.conversation))
  t.equal(await window.conversation.steer('Too late'), false)

  const last = gate()
  const lateId = await sessionWith(s, held(last, [{ text: 'Nearly' }], [{ text: ' done.' }]))
  const late = look(t, s, lateId)
  await late.conversation.send({ text: 'Go' })
  await heard(late, 'Nearly')
  await eventually('the agent has it', async () => await late.conversation.steer('More') || undefined)
  last.open()
  await idle(late)
  t.same(late.events.find(({ type }) => type === 'leftover'), { type: 'leftover', text: 'More' })
  t.match(late.conversation.notice.value, { code: 'leftover' })
  t.same(shownIn(late.conversation), ['you: Go', 'text: Nearly done.', 'completed'])
})

t.test('a failure says what went wrong and what to do', async (t) => {
  const s = await startChat(t)
  const window = look(t, s, await sessionWith(s, [{ refuse: 401 }]))
  await window.conversation.send({ text: 'Go' })
  await idle(window)
  t.match(window.conversation.transcript.exchanges.value[0]?.head.value, { state: 'failed', problem: { label: 'Not accepted', message: String } })
  t.same(window.events.at(-1), { type: 'ended', state: 'failed' })
})

t.test('a long session is read back page by page, also when it is read again', { long: true }, async (t) => {
  const s = await demo(t, { demoWordsPerSecond: 0 })
  const id = await s.newSession()
  for (let turn = 1; turn <= 60; turn++) {
    const streamId = await s.send(id, `slow ${turn}`)
    await (await s.events(`/api/chat/stream?stream_id=${streamId}`)).ended
  }
  const window = look(t, s, id)
  await idle(window)
  const { transcript } = window.conversation
  t.equal(transcript.exchanges.value.length, 25)
  const [cut] = transcript.exchanges.value
  t.equal(await window.conversation.readEarlier(), true)
  t.equal(transcript.exchanges.value.length, 50)
  t.equal(transcript.exchanges.value[25], cut)
  await window.conversation.reload()
  t.equal(transcript.exchanges.value.length, 50)
  await window.conversation.readEarlier()
  t.equal(transcript.hasEarlier.value, false)
  t.same(transcript.exchanges.value.map(({ turn }) => turn.firstIndex), Array.from({ length: 60 }, (_, index) => index * 2))
})

t.test('a message is sent again, or another one in its place, and what was there stays reachable', async (t) => {
  const s = await startChat(t)
  const window = look(t, s, await sessionWith(s, [{ text: 'One.' }], [{ text: 'Two.' }], [{ text: 'Two again.' }], [{ text: 'Other.' }]))
  const { conversation } = window
  for (const text of ['first', 'second']) {
    await conversation.send({ text })
    await idle(window)
  }
  const again = await retryLast(conversation, { keepOld: true })
  await idle(window)
  t.same(shownIn(conversation), ['you: first', 'text: One.', 'completed', 'you: second', 'text: Two again.', 'completed'])
  const kept = look(t, s, again!.keptSessionId)
  await idle(kept)
  t.same(shownIn(kept.conversation), ['you: first', 'text: One.', 'completed', 'you: second', 'text: Two.', 'completed'])

  const [usual, other] = [conversation.session.value!.model, s.model([{ text: 'By another.' }])]
  const byOther = await retryLast(conversation, { keepOld: true, pick: { model: other } })
  await idle(window)
  t.same(shownIn(conversation).slice(-2), ['text: By another.', 'completed'])
  t.match(conversation.transcript.exchanges.value.at(-1)!.head.value.model, other)
  t.equal(conversation.session.value!.model, usual, 'for this one answer')

  const id = conversation.sessionId.value!
  const index = conversation.transcript.exchanges.value.at(-1)!.user.value!.index!
  const all = [again!.keptSessionId!, byOther!.keptSessionId!, id]
  t.same(conversation.session.value!.versions, [{ index, session_ids: all }])
  for (const one of all.slice(0, 2)) {
    const version = look(t, s, one)
    await idle(version)
    t.same(version.conversation.session.value!.versions, [{ index, session_ids: all }], 'from each of them, on every device')
  }

  const first = conversation.transcript.exchanges.value[0]!.user.value!.index!
  t.match(await editAndResend(conversation, first, { text: 'changed', attachments: [] }), { isSent: true, keptSessionId: null })
  await idle(window)
  t.same(shownIn(conversation), ['you: changed', 'text: Other.', 'completed'])
  t.equal(conversation.session.value!.versions, undefined, 'the message that had them is gone')
})

t.test('a rename in the list is taken up, a goal is followed to its end', { long: true }, async (t) => {
  const s = await startChat(t)
  const window = look(t, s, await sessionWith(s, [{ text: 'Step one.' }], [{ text: 'Step two.' }]))
  await idle(window)
  const { conversation } = window
  s.judge([{ text: '{"verdict": "continue", "reason": "More."}' }])
  t.equal(await conversation.pursue('Get there'), true)
  t.match(conversation.goal.value, { goal: { status: 'active', goal: 'Get there' } })
  await until(() => conversation.goal.value?.goal.status === 'done' && conversation.mode.value === 'idle')
  const turns = (): string => conversation.transcript.exchanges.value.map(({ user, head }) => `${user.value?.source} ${head.value.state}`).join()
  await until(() => turns() === 'goal completed,goal completed')
  conversation.syncRow({ session_id: conversation.sessionId.value!, title: 'Another name' })
  t.match(conversation.session.value, { title: 'Another name', display_title: 'Another name' })
  t.match(await conversation.actOnGoal('clear'), { action: 'clear' })
  t.equal(conversation.goal.value, null)
})
