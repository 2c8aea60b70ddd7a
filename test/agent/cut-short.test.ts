import t from '#test'
import { gate, held, said, startChat } from '../support/chat.js'
import { browserClient, nativeClient } from '../support/clients.js'

const service = await startChat(t)
const lengthMessage = 'The answer was cut short: it has reached the length that one answer may have. Send "continue" to let it go on.'
const lengthMarks = { finish_reason: 'length', hint: 'Send "continue" to let it go on.' }

t.test('an answer that has reached its length says so, and "continue" goes on', async (t) => {
  const sessionId = await service.newSession()
  const model = service.model([{ text: 'The first half of' }, { finish: 'length' }], [{ text: 'and the second.' }])
  const { frames } = await service.turn(sessionId, 'Tell me everything', model)
  t.match(frames.find(({ event }) => event === 'warning')?.data, { type: 'cut_short', message: lengthMessage })
  const done = frames.find(({ event }) => event === 'done')!
  t.match(done.data, { ...lengthMarks, usage: { used_model: model } })
  t.match(done.data.session.messages.at(-1), { role: 'assistant', content: 'The first half of', ...lengthMarks })
  t.match((await service.session(sessionId)).messages.at(-1), { content: 'The first half of', ...lengthMarks })
  for (const client of [nativeClient, browserClient]) t.equal(client(frames).at(-1), 'The first half of')

  const next = await service.turn(sessionId, 'continue', model)
  t.same(said(service.requests(model).at(-1), 'assistant'), ['The first half of'], 'the model is shown where it had stopped')
  const whole = next.frames.find(({ event }) => event === 'done')!
  t.notOk('finish_reason' in whole.data)
  t.notOk('finish_reason' in whole.data.session.messages.at(-1))
})

t.test('what a filter has stopped says so, and nothing is asked twice', async (t) => {
  const marks = { finish_reason: 'content_filter', hint: 'Ask in other words, or choose another model.' }
  const sessionId = await service.newSession()
  const model = service.model([{ text: 'Once upon' }, { finish: 'content_filter' }], [{ finish: 'content_filter' }])
  const { frames } = await service.turn(sessionId, 'Tell me a story', model)
  t.match(frames.find(({ event }) => event === 'done')?.data, marks)
  t.match((await service.session(sessionId)).messages.at(-1), { content: 'Once upon', ...marks })

  await service.turn(sessionId, 'Tell me a story', model)
  t.match((await service.session(sessionId)).messages.at(-1), { content: 'The answer was cut short: the content filter of the provider has stopped it.', ...marks }, 'without a word of its own as well')
  t.equal(service.requests(model).length, 2)
})

t.test('a call in an answer that was cut short is not made', async (t) => {
  const sessionId = await service.newSession()
  const model = service.model([{ text: 'I write it.' }, { tool: 'write_file', args: '{"path": "a.txt", "content": "half a' }, { finish: 'length' }])
  const { frames } = await service.turn(sessionId, 'Write it', model)
  t.notOk(frames.some(({ event }) => event === 'tool'))
  const { messages } = await service.session(sessionId)
  t.match(messages.at(-1), { content: 'I write it.', ...lengthMarks })
  t.notOk('tool_calls' in messages.at(-1))

  await service.turn(sessionId, 'continue', model)
  t.notOk(service.requests(model).at(-1)!.messages.some((message) => 'tool_calls' in message), 'no call without a result is shown to the model')
})

t.test('one turn that is cut short says nothing of another beside it', async (t) => {
  const open = gate()
  const [cut, whole] = await Promise.all([service.newSession(), service.newSession()])
  const running = service.turn(whole, 'Hello', service.model(() => held(open, [{ text: 'All ' }], [{ text: 'of it.' }])))
  await service.turn(cut, 'Hello', service.model([{ text: 'A part' }, { finish: 'length' }]))
  open.open()
  const { frames } = await running
  t.notOk(frames.some(({ event }) => event === 'warning'))
  t.notOk('finish_reason' in frames.find(({ event }) => event === 'done')!.data)
})

t.test('an answer on the side and a sub-agent that are cut short say so', async (t) => {
  const model = service.model([{ text: 'On the' }, { finish: 'length' }])
  const sessionId = await service.newSession({ model })
  const { body } = await service.post('/api/btw', { session_id: sessionId, question: 'What?' })
  const reader = await service.watch(body.stream_id)
  await reader.ended
  t.match(reader.frames.find(({ event }) => event === 'done')?.data, { ephemeral: true, answer: 'On the', ...lengthMarks })

  const parent = service.model([{ tool: 'delegate', args: { task: 'Do it' }, id: 'call_child' }], [{ text: 'Half of' }, { finish: 'length' }], [{ text: 'I see.' }])
  await service.turn(await service.newSession(), 'Let it be done', parent)
  t.match(said(service.requests(parent).at(-1), 'tool'), ['Half of\n\n(The answer was cut short: it has reached the length that one answer may have.)'])
})

t.test('a copy that is brought in again keeps what it says, and nothing that cannot be meant', async (t) => {
  const messages = [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'A part', ...lengthMarks },
    { role: 'assistant', content: 'A whole', finish_reason: null, hint: 7 }
  ]
  const { body } = await service.post('/api/session/import', { title: 'Copy', messages })
  const rows = (await service.session(body.session.session_id)).messages
  t.match(rows[1], lengthMarks)
  t.notOk('finish_reason' in rows[2] || 'hint' in rows[2])
})
