import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { eventually, gate, held, said, startChat } from '../support/chat.js'
import { spawnServer } from '../support/server.js'

const service = await startChat(t)

interface Comment { id: string, state: string, version: number, text: string, quote: string[], place: object | null }
const change = async (sessionId: string, body: object, headers = {}) => await service.post('/api/session/reviews', { session_id: sessionId, ...body }, headers)
const send = async (sessionId: string, body: object = {}, headers = {}) => await service.post('/api/session/reviews/send', { session_id: sessionId, ...body }, headers)
const commentsOf = async (sessionId: string): Promise<Comment[]> => (await service.get(`/api/session/reviews?session_id=${sessionId}`)).body.comments
const settled = async (sessionId: string): Promise<Comment[]> => await eventually('nothing is sent any more', async () => {
  const comments = await commentsOf(sessionId)
  return comments.every(({ state }) => state !== 'sent') && comments
})
const write = (path: string, content: string | Buffer): void => writeFileSync(join(service.workspace, path), content)

t.test('devices that send a review at once send it once', async (t) => {
  write('once.ts', 'a\nb\nc\n')
  const model = service.model()
  const sessionId = await service.newSession({ model, model_provider: 'openai' })
  await change(sessionId, { comments: [1, 2, 3].map((line) => ({ path: 'once.ts', line, text: `Number ${line}` })) })
  const answers = await Promise.all(Array.from({ length: 6 }, async (_, device) => await send(sessionId, { client_id: `device-${device}`, if_busy: 'queue' })))
  t.equal(answers.filter(({ status }) => status === 200).length, 1)
  for (const { status, body } of answers) t.ok(status === 200 || status === 400 || (status === 409 && body.code === 'review_changed'), `${status} ${body.error}`)
  t.same((await settled(sessionId)).map(({ state }) => state), ['open', 'open', 'open'])
  await eventually('the queue is empty', async () => (await service.get(`/api/session/queue?session_id=${sessionId}`)).body.queue.length === 0)
  const asked = service.requests(model)
  t.equal(asked.length, 1)
  for (const line of [1, 2, 3]) t.equal(said(asked[0], 'user').at(-1)?.split(`Number ${line}`).length, 2, 'each comment is in it once')
})

t.test('what one device edits while another sends is in the message, or is still to be sent', async (t) => {
  write('race.ts', 'a\nb\n')
  const model = service.model()
  const sessionId = await service.newSession({ model, model_provider: 'openai' })
  for (let round = 0; round < 6; round++) {
    const id = `race${round}`
    const { body } = await change(sessionId, { comments: [{ id, path: 'race.ts', line: 1, text: `Before ${round}` }] })
    const { version } = body.comments.find((comment: Comment) => comment.id === id) as Comment
    const edit = async () => await change(sessionId, { comments: [{ id, version, text: `After ${round}` }] })
    const before = service.requests(model).length
    const [sent, edited] = round % 2 === 0
      ? await Promise.all([send(sessionId, { ids: [id] }), edit()])
      : await Promise.all([edit(), send(sessionId, { ids: [id] })]).then(([one, other]) => [other, one] as const)
    if (sent.status !== 200) t.match(sent.body, { code: 'review_changed' })
    if (edited.status !== 200) t.match(edited.body, { code: 'review_changed' })
    t.ok(sent.status === 200 || edited.status === 200, 'one of them is done')
    const comment = (await settled(sessionId)).find((each) => each.id === id)
    t.equal(comment?.text, edited.status === 200 ? `After ${round}` : `Before ${round}`)
    if (sent.status === 200) {
      await eventually('it is asked', () => service.requests(model).length > before)
      const message = said(service.requests(model).at(-1), 'user').at(-1) ?? ''
      t.ok(message.includes(`${comment?.text}`) || comment?.state === 'draft', 'the agent has what is shown as sent')
    } else t.equal(comment?.state, 'draft')
  }
})

t.test('who may not speak in a session changes nothing of its review', async (t) => {
  write('mine.ts', 'a\n')
  const sessionId = await service.newSession()
  await change(sessionId, { comments: [{ id: 'kept', path: 'mine.ts', line: 1, text: 'Kept' }] })
  await service.post('/api/profile/create', { name: 'other' })
  const { headers } = await service.post('/api/profile/switch', { name: 'other' })
  const cookie = { cookie: headers.getSetCookie().map((set) => set.split(';', 1)[0]).join('; ') }
  for (const answer of [await change(sessionId, { remove: [{ id: 'kept' }] }, cookie), await send(sessionId, {}, cookie)]) {
    t.match(answer, { status: 409, body: { code: 'session_profile_mismatch' } })
  }
  service.app.sessions.rows.set(sessionId, { readOnly: true })
  for (const answer of [
    await change(sessionId, { remove: [{ id: 'kept' }] }), await change(sessionId, { comments: [{ path: 'mine.ts', line: 1, text: 'x' }] }),
    await change(sessionId, { seen: [{ path: 'mine.ts', seen: true }] }), await send(sessionId)
  ]) t.match(answer, { status: 403, body: { error: 'This session is read-only' } })
  t.match(await commentsOf(sessionId), [{ id: 'kept', state: 'draft', text: 'Kept' }])
})

t.test('comments on files of any kind are sent, and their lines followed as far as they can be', async (t) => {
  mkdirSync(join(service.workspace, 'kinds'), { recursive: true })
  const many = Array.from({ length: 10_000 }, (_, line) => `line ${line}`)
  write('kinds/many.txt', many.join('\n'))
  write('kinds/binary.bin', Buffer.from([0, 1, 2, 255, 0, 10, 0]))
  write('kinds/long.txt', `${'x'.repeat(19_000)}\n${'y'.repeat(300_000)}\n`)
  write('kinds/gone.txt', 'here\ntoday\n')
  write('kinds/empty.txt', '')
  const model = service.model(() => {
    write('kinds/many.txt', many.map((line) => line.toUpperCase()).reverse().join('\r\n'))
    rmSync(join(service.workspace, 'kinds/gone.txt'))
    mkdirSync(join(service.workspace, 'kinds/gone.txt'))
    write('kinds/binary.bin', Buffer.from([9, 0, 9]))
    return [{ text: '[long] It is long.' }]
  })
  const sessionId = await service.newSession({ model, model_provider: 'openai' })
  const on = (id: string, path: string, line: number, more = {}) => ({ id, path: `kinds/${path}`, line, text: 'What is this?', ...more })
  t.match(await change(sessionId, { comments: [on('tooLong', 'long.txt', 2)] }), { status: 400, body: { error: /too long to be quoted/ } })
  const made = await change(sessionId, {
    comments: [
      on('many', 'many.txt', 5_000, { end_line: 5_100 }), on('binary', 'binary.bin', 1), on('long', 'long.txt', 1), on('gone', 'gone.txt', 2),
      on('empty', 'empty.txt', 1), on('folder', '', 1), on('beyond', 'gone.txt', 99),
      on('old', 'many.txt', 3, { side: 'old', quote: ['``` was here', '<script>'], before: ['line 1'], after: ['line 2'] })
    ]
  })
  t.equal(made.status, 200, made.text)
  t.match(made.body.comments.map(({ id, place }: Comment) => [id, place !== null]), [
    ['many', true], ['binary', false], ['long', true], ['gone', true], ['empty', false], ['folder', false], ['beyond', false], ['old', true]
  ])
  t.match(await send(sessionId), { status: 200 })
  const states = Object.fromEntries((await settled(sessionId)).map(({ id, state }) => [id, state]))
  t.match(states, { many: 'changed', long: 'answered', gone: 'changed' })
  t.equal(Object.keys(states).length, 8)
  const message = said(service.requests(model)[0], 'user').at(-1) ?? ''
  t.match(message, /Review: 8 comments on/)
  t.match(message, /````\n``` was here\n<script>\n````/, 'quoted lines do not end their quote')
  t.equal((await change(sessionId, { seen: ['many.txt', 'binary.bin', 'gone.txt', 'none'].map((path) => ({ path: `kinds/${path}`, seen: true })) })).status, 200)
})

t.test('a review that was sent when the service was killed was sent once, and says what became of it', async (t) => {
  const folder = join(service.folder, 'killed')
  mkdirSync(folder)
  const over = gate()
  const model = service.model(held(over, [{ text: 'So' }], [{ text: ' far.' }]))
  const server = await spawnServer(t, folder, { OPENAI_BASE_URL: service.endpoint.url, OPENAI_API_KEY: 'test-key-12345' })
  writeFileSync(join(folder, 'workspace', 'one.ts'), 'a\nb\n')
  const { session: { session_id: id } } = await server.json('/api/session/new', { model, model_provider: 'openai' })
  await server.json('/api/session/reviews', { session_id: id, comments: [{ id: 'sent', path: 'one.ts', line: 1, text: 'Why?' }] })
  const asked = { session_id: id, client_id: 'the device' }
  const { stream_id: streamId } = await server.json('/api/session/reviews/send', asked)
  t.match(streamId, /./)
  await server.json('/api/session/reviews', { session_id: id, comments: [{ id: 'draft', path: 'one.ts', line: 2, text: 'And this?' }] })
  await eventually('the model is asked', () => service.requests(model).length === 1)
  await server.crash()
  over.open()
  const again = await spawnServer(t, folder, { OPENAI_BASE_URL: service.endpoint.url, OPENAI_API_KEY: 'test-key-12345' })
  t.same((await again.json('/api/session/reviews/send', asked)).stream_id, streamId, 'who repeats it is told of the same turn')
  const { comments } = await eventually('it is known what became of it', async () => {
    const review = await again.json(`/api/session/reviews?session_id=${id}`)
    return review.comments.every(({ state }: Comment) => state !== 'sent') && review
  })
  t.match(comments, [{ id: 'sent', state: 'open', turn_id: streamId }, { id: 'draft', state: 'draft', text: 'And this?' }])
  t.equal(service.requests(model).length, 1)
})
