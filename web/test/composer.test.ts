import t, { type Test } from '../../test/support/harness.js'
import { ApiError } from '../src/core/service/api.js'
import { Attachments, mostAttachments } from '../src/core/composer/attachments.js'
import { BackgroundTasks } from '../src/core/conversation/background-tasks.js'
import { Composer } from '../src/core/composer/composer.js'
import { Conversation } from '../src/core/conversation/conversation.js'
import { MessageQueue } from '../src/core/conversation/message-queue.js'
import { Draft, promptHistory, type DraftStore } from '../src/core/composer/drafts.js'
import { SideQuestions } from '../src/core/conversation/side-questions.js'
import { type Upload } from '../src/core/composer/uploads.js'
import { type TestService } from '../../test/support/app.js'
import { eventually, gate, held, startChat, type ChatService, type ScriptedAnswer } from '../../test/support/chat.js'
import { sessionWith } from '../../test/support/page.js'
import { browserApp, plainUpload, shownIn, soon, until } from './browser-app.js'

function memory (): DraftStore & { kept: Map<string, string> } {
  const kept = new Map<string, string>()
  return { kept, getItem: (key) => kept.get(key) ?? null, setItem (key, value) { kept.set(key, value) }, removeItem (key) { kept.delete(key) } }
}

/** A window with a box. */
function open (t: Test, s: TestService, sessionId: string | null, { store = memory(), upload, saveAfterMs = 1 }: { store?: DraftStore, upload?: Upload, saveAfterMs?: number } = {}) {
  const { api, link } = browserApp(t, s.url)
  const conversation = new Conversation({ api, link, sessionId, schedule: soon })
  const draft = new Draft(sessionId, { api, store, saveAfterMs })
  const attachments = new Attachments({ upload: upload ?? plainUpload(api), ensure: () => conversation.ensure() })
  const composer = new Composer({ conversation, draft, attachments, textForFiles: (count) => `See ${count}.` })
  t.teardown(async () => {
    await composer.close()
    conversation.close()
  })
  return { api, link, conversation, draft, attachments, composer }
}

const storedDraft = async (s: TestService, id: string) => (await s.get(`/api/session/draft?session_id=${id}`)).body.draft
const file = (name: string, text = 'A file') => new File([text], name, { type: 'text/plain' })
const idle = (conversation: Conversation) => until(() => conversation.mode.value === 'idle' && conversation.state.value === 'ready')
const busy = async (s: ChatService, ...after: ScriptedAnswer[]) => {
  const over = gate()
  return { over, id: await sessionWith(s, held(over, [{ text: 'Working' }], [{ text: ' done.' }]), ...after) }
}

t.test('a window in which nothing is written keeps away from what another has kept, and so does a chat that begins there', async (t) => {
  const s = await startChat(t)
  const store = memory()
  const [empty, beginning, writing] = [open(t, s, null, { store }), open(t, s, null, { store }), open(t, s, null, { store })]
  beginning.draft.write('A first thought')
  await beginning.draft.save()
  writing.draft.write('Not sent yet')
  await writing.draft.save()
  empty.draft.flush()
  await empty.draft.close()
  await beginning.conversation.ensure()
  beginning.draft.write('')
  await beginning.draft.close()
  t.equal(open(t, s, null, { store }).draft.text.value, 'Not sent yet')
  writing.draft.write('')
  await writing.draft.save()
  t.same([...store.kept], [])
})

t.test('what is written is kept: before there is a session, with one, on another device, and until a message is stored', async (t) => {
  const s = await startChat(t)
  const store = memory()
  const first = open(t, s, null, { store })
  first.draft.write('Not sent yet')
  await first.draft.save()
  await first.composer.close()
  const later = open(t, s, null, { store })
  t.equal(later.draft.text.value, 'Not sent yet')

  const id = await later.conversation.ensure()
  await eventually('the service has it', async () => (await storedDraft(s, id)).text === 'Not sent yet')
  t.same([...store.kept], [])
  const other = open(t, s, id, { saveAfterMs: 60_000 })
  await until(() => other.draft.text.value === 'Not sent yet')
  other.draft.write('Mine')
  await s.post('/api/session/draft', { session_id: id, text: 'Theirs', files: [] })
  await other.conversation.reload()
  t.equal(other.draft.text.value, 'Mine', 'what was written here is not replaced')
  await other.draft.close()
  t.same(await storedDraft(s, id), { text: 'Mine', files: [] })

  later.draft.write('Go')
  t.equal(await later.composer.submit(), 'sent')
  t.equal(later.draft.text.value, '')
  await later.draft.save()
  t.same(await storedDraft(s, id), { text: '', files: [] })
  await idle(later.conversation)
  t.same(promptHistory(later.conversation.transcript.exchanges.value), ['Go'])
})

t.test('a message that is not taken is in the box again, with its files and before what was written since', async (t) => {
  const s = await startChat(t)
  const { conversation, draft, attachments, composer } = open(t, s, await sessionWith(s))
  await idle(conversation)
  await attachments.add([file('a.txt')])
  await until(() => attachments.ready.value.length === 1)
  await s.stop()
  draft.write('Hello')
  const submitted = composer.submit()
  await until(() => draft.text.value === '')
  draft.write('more')
  t.equal(await composer.submit(), 'busy')
  t.equal(await submitted, 'refused')
  t.equal(draft.text.value, 'Hello\nmore')
  t.match(attachments.ready.value, [{ name: 'a.txt' }])
  t.same(shownIn(conversation), [])
})

const queueOf = async (s: TestService, id: string) => (await s.get(`/api/session/queue?session_id=${id}`)).body

t.test('while a turn runs: a note, or a message that waits at the service, with its files', async (t) => {
  const s = await startChat(t)
  const { id, over } = await busy(s, [{ text: 'Second.' }], [{ text: 'Third.' }])
  const { conversation, draft, composer, attachments } = open(t, s, id)
  draft.write('First')
  await composer.submit()
  await until(() => shownIn(conversation).includes('text: Working'))
  t.equal(await composer.submit({ whileRunning: 'queue' }), 'nothing')
  await attachments.add([file('a.txt')])
  await until(() => attachments.ready.value.length === 1)
  t.equal(await composer.submit(), 'nothing', 'files alone are no note')
  for (const text of ['Next', 'And then']) {
    draft.write(text)
    t.equal(await composer.submit({ whileRunning: 'queue' }), 'queued')
    t.equal(draft.text.value, '')
  }
  t.match((await queueOf(s, id)).queue, [{ message: 'Next', attachments: [{ name: 'a.txt' }] }, { message: 'And then', attachments: [] }])
  draft.write('Being written')
  over.open()
  await until(() => shownIn(conversation).includes('text: Third.') && conversation.mode.value === 'idle')
  t.same(shownIn(conversation), ['you: First', 'text: Working done.', 'completed', 'you: Next [a.txt]', 'text: Second.', 'completed', 'you: And then', 'text: Third.', 'completed'])
  t.equal(draft.text.value, 'Being written')
})

t.test('the queue of a chat in two windows: order, texts, removal, and what holds it', async (t) => {
  const s = await startChat(t)
  const { id } = await busy(s, [{ text: 'Second.' }])
  const one = open(t, s, id)
  one.draft.write('First')
  await one.composer.submit()
  await until(() => shownIn(one.conversation).includes('text: Working'))
  const other = open(t, s, id)
  const [here, there] = [one, other].map(({ conversation }) => new MessageQueue(conversation))
  if (here === undefined || there === undefined) return t.fail('two windows')
  t.teardown(() => { here.close(); there.close() })
  const texts = (queue: MessageQueue) => queue.messages.value.map(({ message }) => message)
  const message = (queue: MessageQueue, text: string) => {
    const found = queue.messages.value.find(({ message }) => message === text)
    if (found === undefined) throw new Error(`${text} is not there`)
    return found
  }
  for (const text of ['A', 'B', 'C']) {
    one.draft.write(text)
    await one.composer.submit({ whileRunning: 'queue' })
  }
  await until(() => texts(here).length === 3 && texts(there).length === 3)
  const old = message(there, 'A')
  await here.move(message(here, 'C'), 0)
  await here.edit(message(here, 'A'), 'A, better')
  await until(() => texts(there).join() === 'C,A, better,B')
  await t.rejects(there.edit(old, 'A, worse'), { code: 'queue_changed' })
  const removed = await there.remove(message(there, 'A, better'))
  await until(() => texts(here).join() === 'C,B')
  await there.restore(removed)
  await until(() => texts(here).join() === 'C,A, better,B')

  await one.conversation.stop()
  await until(() => here.held.value === 'cancelled' && there.held.value === 'cancelled')
  const dropped = await here.clear()
  await until(() => texts(there).length === 0)
  for (const one of dropped) await here.restore(one)
  await until(() => texts(there).join() === 'C,A, better,B')
  t.equal(here.held.value, 'cancelled', 'what was dropped and is there again still waits for the person')
  for (const text of ['B', 'A, better']) await here.remove(message(here, text))
  await until(() => texts(there).join() === 'C')
  await here.resume()
  await until(() => shownIn(one.conversation).includes('text: Second.') && texts(there).length === 0)
  t.equal(there.held.value, null)
})

t.test('a queue that changes while the session is read is shown, although the answer is older', async (t) => {
  const s = await startChat(t)
  const { id } = await busy(s)
  const one = open(t, s, id)
  one.draft.write('First')
  await one.composer.submit()
  await until(() => shownIn(one.conversation).includes('text: Working'))
  const other = open(t, s, id)
  const queue = new MessageQueue(other.conversation)
  t.teardown(() => queue.close())
  await until(() => shownIn(other.conversation).includes('text: Working'))
  const { api } = other.conversation
  const get = api.get
  const answered = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  api.get = (async (...args: Parameters<typeof get>) => {
    const answer = await get.apply(api, args)
    if (args[0] === '/api/session') {
      asked.resolve()
      await answered.promise
    }
    return answer
  }) as typeof get
  const reading = other.conversation.reload()
  await asked.promise
  one.draft.write('A')
  await one.composer.submit({ whileRunning: 'queue' })
  await until(() => queue.messages.value.length === 1)
  answered.resolve()
  await reading
  t.same(queue.messages.value.map(({ message }) => message), ['A'])
})

t.test('after a stop nothing is sent by itself', async (t) => {
  const s = await startChat(t)
  const { id } = await busy(s)
  const { conversation, draft, composer } = open(t, s, id)
  draft.write('First')
  await composer.submit()
  await until(() => shownIn(conversation).includes('text: Working'))
  draft.write('Next')
  await composer.submit({ whileRunning: 'queue' })
  await conversation.stop()
  await idle(conversation)
  t.equal(draft.text.value, '')
  t.match(await queueOf(s, id), { queue: [{ message: 'Next' }] })
})

t.test('files: one after the other, with the message as soon as they are there, and again where one failed', async (t) => {
  const s = await startChat(t)
  const started: string[] = []
  const failing = new Set(['b.txt'])
  const upload: Upload = (one, fields, onProgress) => {
    started.push(one.name)
    onProgress(1)
    if (!failing.delete(one.name)) return plainUpload(window.api)(one, fields, onProgress)
    return { answer: Promise.reject(new ApiError('Too large', 413)), abort: () => {} }
  }
  const window = open(t, s, null, { upload })
  const { conversation, attachments, composer, draft } = window
  const added = attachments.add([file('a.txt'), file('b.txt'), file('c.txt')])
  t.equal(await composer.submit(), 'files-failed')
  t.match(await added, { leftOut: 0, error: null })
  t.same(started, ['a.txt', 'b.txt', 'c.txt'])
  const [, failed, last] = attachments.list.value
  t.match([failed!.state.value, failed!.problem.value?.status], ['failed', 413])
  await eventually('the draft knows the files', async () => (await storedDraft(s, conversation.sessionId.value!))?.files.length === 2)
  await attachments.retry(failed!.id)
  attachments.remove(last!.id)
  t.equal(await composer.submit(), 'sent')
  t.same(attachments.list.value, [])
  await idle(conversation)
  t.match(shownIn(conversation)[0], 'you: See 2. [a.txt] [b.txt]')

  const many = await attachments.add(Array.from({ length: mostAttachments + 3 }, (_, index) => file(`${index}.txt`)))
  t.equal(many.leftOut, 3)
  attachments.clear()
  t.same(attachments.list.value, [])
  draft.write('')
})

t.test('beside the conversation: a question, and a task whose result outlives a reload', async (t) => {
  const s = await startChat(t)
  const id = await sessionWith(s, [{ text: 'An answer.' }], [{ text: 'On the side.' }], [{ text: 'A result.' }])
  const { api, link, conversation } = open(t, s, id)
  await conversation.send({ text: 'Go' })
  await idle(conversation)
  const questions = new SideQuestions({ api, link, schedule: soon })
  const asked = await questions.ask(id, 'Why?')
  await until(() => asked.answer.value !== null)
  t.match(asked.exchange.turn, { state: 'completed', parts: [{ text: 'On the side.' }], user: { text: 'Why?' } })
  questions.close(asked.streamId)
  t.same(questions.list.value, [])

  const store = memory()
  const tasks = new BackgroundTasks({ api, link, store, lookAgainMs: 5 })
  t.teardown(() => tasks.close())
  await tasks.start(id, 'Find out')
  await until(() => tasks.list.value[0]?.state === 'done')
  t.match(tasks.list.value, [{ prompt: 'Find out', answer: 'A result.' }])
  const again = new BackgroundTasks({ api, link, store })
  t.match(again.list.value, [{ state: 'done', answer: 'A result.' }])
  again.dismiss(again.list.value[0]!.taskId)
  t.same(new BackgroundTasks({ api, link, store }).list.value, [])
  t.same(new BackgroundTasks({ api, link, store: { getItem: () => '[{"taskId":1}, null', setItem: () => {} } }).list.value, [], 'what is kept may be anything')
})
