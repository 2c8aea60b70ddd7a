import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { eventually, startChat, type ChatService, type ScriptedAnswer } from '../support/chat.js'

const remember = (args: Record<string, unknown>): ScriptedAnswer => [{ tool: 'memory', args: { section: 'memory', ...args } }]
const notes = (service: ChatService): string => join(service.folder, 'home', 'memories', 'MEMORY.md')
const put = (service: ChatService, text: string): void => {
  mkdirSync(join(service.folder, 'home', 'memories'), { recursive: true })
  writeFileSync(notes(service), text)
}

t.test('the agent asks before it remembers, shows how, and is told of it from the next turn on', async (t) => {
  const service = await startChat(t)
  put(service, '- Old entry\n')
  const id = await service.newSession()
  const model = service.model(remember({ action: 'add', text: 'Prefers tea' }), [{ text: 'Noted.' }], [{ text: 'Tea.' }])
  const streamId = await service.send(id, 'Remember that I prefer tea', { model })
  const reader = await service.watch(streamId)
  const pending = await service.pending(id)
  t.match(pending, { pattern_key: 'write:memory', max_scope: 'always', file: 'MEMORY.md', content: 'Prefers tea', description: /memory that the agent reads in every chat/ })
  t.match(pending.diff, /^\+- Prefers tea$/m)
  t.equal(readFileSync(notes(service), 'utf8'), '- Old entry\n')
  await service.respond(id, 'once')
  await reader.ended
  t.equal(readFileSync(notes(service), 'utf8'), '- Old entry\n- Prefers tea\n')
  t.match(reader.frames.find(({ event }) => event === 'state_saved')?.data, { session_id: id, kind: 'memory', action: 'added', name: 'memory' })
  t.notMatch(JSON.stringify(service.requests(model)[1]!.messages.filter(({ role }) => role === 'system')), 'Prefers tea')
  await service.turn(id, 'What do I drink?', model)
  t.match(JSON.stringify(service.requests(model).at(-1)!.messages.filter(({ role }) => role === 'system')), 'Prefers tea')
  const { versions } = (await service.get('/api/memory/history?section=memory')).body
  t.match(versions, [{ author: 'agent' }, { author: 'disk' }])
})

t.test('what was denied, or changed after it was shown, is not written', async (t) => {
  const service = await startChat(t)
  put(service, 'one\n')
  const id = await service.newSession()
  const model = service.model(remember({ action: 'add', text: 'run rm -rf' }), remember({ action: 'replace', old_text: 'one', text: 'two' }))
  const reader = await service.watch(await service.send(id, 'Read this page', { model }))
  const first = await service.pending(id)
  await service.respond(id, 'deny')
  await eventually('another question', async () => {
    const { pending } = (await service.get(`/api/approval/pending?session_id=${id}`)).body
    return pending !== null && pending.approval_id !== first.approval_id
  })
  t.equal((await service.post('/api/memory/write', { section: 'memory', content: 'one, by a person\n' })).status, 200)
  await service.respond(id, 'once')
  await reader.ended
  t.equal(readFileSync(notes(service), 'utf8'), 'one, by a person\n')
  t.match(JSON.stringify(service.requests(model).at(-1)!.messages), /was changed by someone else/)
})

t.test('what would be changed is shown within limits, to the person who decides with nothing masked', async (t) => {
  const service = await startChat(t)
  const line = 'QWERTYUIOPASDFGHJKLZXCVBNMqwertyuiopasdfghjklzxcvbnm0123456789AB'
  put(service, `-----BEGIN PRIVATE KEY-----\n${line}\n-----END PRIVATE KEY-----\nkept\n`)
  const id = await service.newSession()
  const model = service.model(remember({ action: 'remove', old_text: '-----BEGIN PRIVATE KEY-----\n' }), remember({ action: 'add', text: 'ok\u200bnot' }))
  const reader = await service.watch(await service.send(id, 'Tidy up', { model }))
  const first = await service.pending(id)
  t.match(first, { file: 'MEMORY.md', diff: /^-/m, diff_truncated: false })
  t.match(first.diff, line, 'whoever decides reads what they decide')
  await service.respond(id, 'deny')
  await reader.ended
  // What cannot be done is not asked about: the turn has ended without an answer.
  t.match(reader.frames.filter(({ event }) => event === 'tool').at(-1)?.data, { file: 'memory', diff_note: /cannot be seen/ })
  t.notMatch((await service.get(`/api/session?session_id=${id}`)).text, line, 'a transcript masks it')
  t.notMatch(readFileSync(notes(service), 'utf8'), 'not')
})

t.test('with a grant nobody is asked; what cannot be done is said in words', async (t) => {
  const service = await startChat(t)
  put(service, 'same\nsame\n- gone\nkept\n')
  const config = join(service.folder, 'home', 'config.yaml')
  writeFileSync(config, 'approvals:\n  allow: ["write:memory"]\n')
  const id = await service.newSession()
  const results = async (...edits: Array<Record<string, unknown>>): Promise<string> => {
    const model = service.model(...edits.map(remember))
    await service.turn(id, 'Tidy up', model)
    return JSON.stringify(service.requests(model).at(-1)!.messages.filter(({ role }) => role === 'tool').slice(-edits.length))
  }
  t.match(await results({ action: 'remove', old_text: 'gone' }, { action: 'remove', old_text: 'same' }, { action: 'remove' }), /Done\.[^]*more than once[^]*old_text[^]*is missing/)
  t.equal(readFileSync(notes(service), 'utf8'), 'same\nsame\nkept\n')
  t.match(await results({ action: 'replace', text: 'new' }, { action: 'add', text: 'new' }, { action: 'add', text: 'hid\u{e0041}den' }), /Done\.[^]*already contain this[^]*cannot be seen/)
  t.match(await results({ action: 'add', text: 'x', section: 'soul' }), /does not fit the tool/)
  put(service, 'x'.repeat(19_990))
  t.match(await results({ action: 'add', text: 'a little more' }), /the agent reads 20000/)
  writeFileSync(config, 'approvals:\n  allow: ["write:memory"]\nmemory:\n  memory_enabled: false\n')
  t.match(await results({ action: 'add', text: 'y' }), /turned off/)
  t.equal(readFileSync(notes(service), 'utf8').length, 19_990)
})

t.test('where nobody is there, nothing is remembered unless it was granted for good: yolo does not do', async (t) => {
  const service = await startChat(t)
  const model = service.model(remember({ action: 'add', text: 'Planted' }), [{ text: 'No.' }])
  const parent = await service.newSession({ model })
  await service.post('/api/session/yolo', { session_id: parent, enabled: true })
  await service.post('/api/background', { session_id: parent, prompt: 'Read the page' })
  await eventually('its end', async () => service.requests(model).length === 2)
  t.match(JSON.stringify(service.requests(model)[1]!.messages), /write:memory/)
  t.equal((await service.get('/api/memory')).body.memory, '')
})
