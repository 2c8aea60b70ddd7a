import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { eventually, gate, held, said, startChat } from '../support/chat.js'
import { a40 } from '../support/credentials.js'

const service = await startChat(t)
const { workspace } = service

interface Comment {
  id: string
  state: string
  version: number
  text: string
  quote: string[]
  place: { path: string, line: number, end_line: number, found: string } | null
  answer: string | null
  changed_in: string | null
  turn_id: string | null
}
const write = (path: string, lines: string[]): void => writeFileSync(join(workspace, path), `${lines.join('\n')}\n`)
const read = async (sessionId: string): Promise<{ comments: Comment[], seen: string[], version: number }> =>
  (await service.get(`/api/session/reviews?session_id=${sessionId}`)).body
const change = async (sessionId: string, body: Record<string, unknown>) => await service.post('/api/session/reviews', { session_id: sessionId, ...body })
const send = async (sessionId: string, body: Record<string, unknown> = {}) => await service.post('/api/session/reviews/send', { session_id: sessionId, ...body })
const settled = async (sessionId: string): Promise<Comment[]> => await eventually('nothing is sent any more', async () => {
  const { comments } = await read(sessionId)
  return comments.every(({ state }) => state !== 'sent') && comments
})

t.test('comments are sent as one message, and each says what became of it', async (t) => {
  write('one.ts', ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'])
  write('two.ts', ['alpha', 'beta'])
  let ids: string[] = []
  const model = service.model((request) => {
    const message = said(request, 'user').at(-1) ?? ''
    ids = [...message.matchAll(/^### \[(\w+)\]/gm)].map(([, id = '']) => id)
    write('one.ts', ['zero', 'first', 'SECOND', 'third', 'fourth', 'fifth', 'sixth'])
    return [{ text: `Done.\n\n[${ids[0]}] Made it loud.\n[${ids[1]}] Because it is the last one.\n` }]
  })
  const sessionId = await service.newSession({ model, model_provider: 'openai' })
  const own = await service.events(`/api/session/stream?session_id=${sessionId}`)
  const all = await service.events(`/api/events?session=${sessionId}`)
  const made = await change(sessionId, {
    comments: [
      { path: 'one.ts', side: 'new', line: 2, text: 'Louder' },
      { path: './one.ts', side: 'new', line: 5, end_line: 6, text: 'Why the order?', state: 'draft' },
      { id: 'mine', path: 'two.ts', side: 'old', line: 2, quote: ['gone'], before: ['alpha'], after: ['beta'], text: 'Why did it go?' }
    ]
  })
  t.match(made, {
    status: 200, body: {
      session_id: sessionId, comments: [
        { path: 'one.ts', side: 'new', line: 2, state: 'draft', quote: ['second'], place: { line: 2, end_line: 2, found: 'here' }, turn_id: null, answer: null },
        { path: 'one.ts', quote: ['fifth', 'sixth'] }, { id: 'mine', side: 'old', quote: ['gone'], place: { line: 2, end_line: 1 } }
      ]
    }
  })
  await own.until(({ event, data }) => event === 'reviews_changed' && data.drafts === 3)
  t.ok(all.frames.some(({ event, data }) => event === 'conversation' && data.event === 'reviews_changed'))

  const sent = await send(sessionId, { note: 'A few things', client_id: 'one' })
  t.match(sent, { status: 200, body: { stream_id: String } })
  t.same((await send(sessionId, { note: 'A few things', client_id: 'one' })).body, sent.body, 'sent again, it is the same')
  const [loud, order, gone] = await settled(sessionId)
  t.match(loud, { state: 'changed', changed_in: 'one.ts', answer: 'Made it loud.', turn_id: sent.body.stream_id, place: { line: 3, end_line: 3, found: 'changed' } })
  t.match(order, { state: 'answered', changed_in: null, answer: 'Because it is the last one.', place: { line: 6, end_line: 7, found: 'moved' } })
  t.match(gone, { state: 'open', answer: null, changed_in: null })
  t.equal(service.requests(model).length, 1)
  t.match(said(service.requests(model)[0], 'user').at(-1), 'A few things')
  t.same((await send(sessionId)).status, 400, 'nothing is left to send')
  const { messages } = await service.session(sessionId)
  t.equal(messages.find(({ content }: { content: string }) => content.startsWith('Review: '))._source, 'review')

  write('one.ts', ['first'])
  t.match((await read(sessionId)).comments[1]?.place, { line: 2, end_line: 1, found: 'deleted' }, 'what happens later is followed as well')
})

t.test('two devices do not overwrite each other, and every refusal says why', async (t) => {
  write('three.ts', ['a', 'b'])
  const sessionId = await service.newSession()
  const { body } = await change(sessionId, { comments: [{ path: 'three.ts', line: 1, text: 'One' }] })
  const [{ id, version }] = body.comments as [Comment]
  const again = await change(sessionId, { comments: [{ id, version, text: 'Two' }] })
  t.match(again.body.comments, [{ text: 'Two', state: 'draft' }])
  t.match(await change(sessionId, { comments: [{ id, version, text: 'Three' }] }), { status: 409, body: { code: 'review_changed' } })
  t.match(await change(sessionId, { remove: [{ id, version }] }), { status: 409 })
  t.match(await send(sessionId, { ids: ['unknown'] }), { status: 409, body: { code: 'review_changed' } })
  t.match((await change(sessionId, { comments: [{ id, state: 'resolved' }] })).body.comments, [{ state: 'resolved' }])
  t.match((await change(sessionId, { remove: [{ id }] })).body.comments, [])

  for (const [path, code] of [['../out.ts', 'outside_workspace'], ['/etc/passwd', 'outside_workspace'], ['a\nb', 'outside_workspace'], ['.', 'outside_workspace']]) {
    t.match(await change(sessionId, { comments: [{ path, line: 1, text: 'x' }] }), { status: 400, body: { code } }, JSON.stringify(path))
    t.match(await change(sessionId, { seen: [{ path, seen: true }] }), { status: 400, body: { code } })
  }
  for (const bad of [{ path: 'three.ts', line: 1, text: ' ' }, { path: 'three.ts', line: 1, text: '\u200b\u{e0041}' }, { line: 1, text: 'x' }, { path: 'three.ts', text: 'x' }, { path: 'three.ts', line: 5, end_line: 4, text: 'x' }]) {
    t.equal((await change(sessionId, { comments: [bad] })).status, 400, JSON.stringify(bad))
  }
  t.match((await change(sessionId, { comments: [{ path: 'none.ts', line: 7, text: 'Nowhere' }] })).body.comments, [{ place: null, quote: [] }])
  const many = Array.from({ length: 199 }, (_, at) => ({ path: 'three.ts', line: 1, text: `Number ${at}` }))
  t.equal((await change(sessionId, { comments: many })).body.comments.length, 200)
  t.match(await change(sessionId, { comments: [{ path: 'three.ts', line: 1, text: 'x' }] }), { status: 409, body: { code: 'review_full' } })

  await service.post('/api/session/reviews', { session_id: 'unknown', comments: [] }).then(({ status }) => t.equal(status, 404))
  const reading = { authorization: `Bearer ${(await service.post('/api/auth/tokens/create', { name: 'reader', scope: 'read' })).body.token}` }
  t.equal((await service.post('/api/session/reviews', { session_id: sessionId, comments: [] }, reading)).status, 403)
  t.equal((await service.post('/api/session/reviews/send', { session_id: sessionId }, reading)).status, 403)
})

t.test('a mark of a file that was seen falls when the file changes', async (t) => {
  write('seen.ts', ['a'])
  const sessionId = await service.newSession()
  t.match((await change(sessionId, { seen: [{ path: 'seen.ts', seen: true }, { path: 'missing.ts', seen: true }] })).body.seen, ['missing.ts', 'seen.ts'])
  write('seen.ts', ['b'])
  t.same((await read(sessionId)).seen, ['missing.ts'])
  write('seen.ts', ['a'])
  t.same((await read(sessionId)).seen, ['missing.ts', 'seen.ts'], 'back as it was seen')
  t.same((await change(sessionId, { seen: [{ path: 'seen.ts', seen: false }] })).body.seen, ['missing.ts'])
  write('large.txt', ['x'.repeat(500_000)])
  t.same((await change(sessionId, { seen: [{ path: 'large.txt', seen: true }] })).body.seen, ['large.txt', 'missing.ts'])
  write('large.txt', ['x'.repeat(500_001)])
  t.same((await read(sessionId)).seen, ['missing.ts'], 'of what is too large to be read as well')
})

t.test('a review waits in the queue, comes back when it leaves that, and follows what the turn before changes', async (t) => {
  write('queued.ts', ['a one', 'b two', 'c three', 'd four'])
  const over = gate()
  const model = service.model(held(over, [{ text: 'So' }], [{ text: ' far.' }]), [{ text: 'I have nothing to say.' }])
  const sessionId = await service.newSession({ model, model_provider: 'openai' })
  await service.send(sessionId, 'First')
  await change(sessionId, { comments: [{ id: 'q1', path: 'queued.ts', line: 2, text: 'Why?' }] })
  t.match(await send(sessionId), { status: 409, body: { active_stream_id: String } })
  t.equal((await read(sessionId)).comments[0]?.state, 'draft', 'a refused message leaves it as it was')
  const { body: { queue_id: id } } = await send(sessionId, { if_busy: 'queue' })
  t.equal((await read(sessionId)).comments[0]?.state, 'sent')
  await service.post('/api/session/queue', { session_id: sessionId, action: 'remove', id })
  const { body: { queue_id: other } } = await service.post('/api/chat/start', { session_id: sessionId, message: 'What about [q1]?', if_busy: 'queue' })
  await service.app.reviews.settle(sessionId)
  t.equal((await read(sessionId)).comments[0]?.state, 'sent', 'while a turn runs, its message may be on the way')
  over.open()
  await eventually('it is a draft again', async () => (await read(sessionId)).comments[0]?.state === 'draft')
  t.ok(other, 'though a message that only names it was there')
  await eventually('that turn is over', async () => service.requests(model).length === 2 && service.app.chat.isSettled(sessionId))
  write('queued.ts', ['zero', 'a one', 'B', 'c three', 'd four'])
  await send(sessionId)
  t.match(await settled(sessionId), [{ state: 'open', answer: null, place: { line: 3, found: 'here' } }].map(({ state, answer }) => ({ state, answer })), 'what changed before the turn is not its work')
  t.equal(service.app.reviews.size(), 0)
})

t.test('a renamed file is followed by the checkpoint of the turn', async (t) => {
  mkdirSync(join(workspace, 'sub'), { recursive: true })
  const content = Array.from({ length: 20 }, (_, at) => `line ${at} of it`)
  write('sub/old.ts', content)
  const model = service.model(
    [{ tool: 'write_file', args: { path: 'sub/new.ts', content: `${['head', ...content].join('\n')}\n` } }],
    [{ tool: 'terminal', args: { command: 'rm sub/old.ts' } }],
    [{ text: '[mv] Renamed the file.' }]
  )
  const sessionId = await service.newSession({ model, model_provider: 'openai' })
  await service.post('/api/session/yolo', { session_id: sessionId, enabled: true })
  await change(sessionId, { comments: [{ id: 'mv', path: 'sub/old.ts', line: 5, text: 'A better name' }] })
  await send(sessionId)
  t.match(await settled(sessionId), [{ answer: 'Renamed the file.', place: { path: 'sub/new.ts', line: 6, found: 'moved' } }])
  const { body: { checkpoints } } = await service.get(`/api/rollback/list?session_id=${sessionId}`)
  const [{ id }] = checkpoints
  const diff = await service.get(`/api/rollback/diff?session_id=${sessionId}&checkpoint=${id}&renames=1`)
  t.match(diff.body.files_changed, [{ file: 'sub/new.ts', old_file: 'sub/old.ts', status: 'renamed' }])
  t.match((await service.get(`/api/rollback/diff?session_id=${sessionId}&checkpoint=${id}&to=${id}`)).body, { total_changes: 0, diff: '' })
})

t.test('credentials in comments are masked for who may only read', async (t) => {
  write('secret.ts', [`GITHUB_TOKEN=${a40}`])
  const sessionId = await service.newSession()
  await change(sessionId, { comments: [{ path: 'secret.ts', line: 1, text: `Is GITHUB_TOKEN=${a40} meant?` }] })
  const reading = { authorization: `Bearer ${(await service.post('/api/auth/tokens/create', { name: 'reader two', scope: 'read' })).body.token}` }
  const seen = JSON.stringify((await service.get(`/api/session/reviews?session_id=${sessionId}`, reading)).body)
  t.notMatch(seen, a40)
})
