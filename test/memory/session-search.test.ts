import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { recallMark } from '../../services/agent/engines/quoted-conversation.js'
import { startChat, type ChatService } from '../support/chat.js'

const secret = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD'

/** Returns the result that the model gets when it searches in a conversation. */
async function search (service: ChatService, id: string, args: Record<string, unknown>): Promise<string> {
  const model = service.model([{ tool: 'session_search', args }], [{ text: 'I see.' }])
  await service.turn(id, 'What did we say about the boat?', model)
  const result = service.requests(model).at(-1)!.messages.findLast(({ role }) => role === 'tool')
  return typeof result?.content === 'string' ? result.content : JSON.stringify(result?.content)
}

t.test('the agent finds what was said in other conversations of its profile', async (t) => {
  const service = await startChat(t)
  const boat = await service.newSession()
  await service.turn(boat, `The harbour fee of the Marlinspike is paid, key ${secret}`, service.model([{ text: 'Good: the Marlinspike may stay.' }]))
  await service.post('/api/session/rename', { session_id: boat, title: 'Boat matters' })
  const archived = await service.newSession()
  await service.turn(archived, 'Marlinspike in the attic', service.model([{ text: 'Fine.' }]))
  await service.post('/api/session/archive', { session_id: archived, archived: true })
  const foreign = await service.newSession()
  await service.turn(foreign, 'Marlinspike of another profile', service.model([{ text: 'Fine.' }]))
  service.app.db.sqlite.prepare("update sessions set profile = 'other' where id = ?").run(foreign)
  const hidden = await service.newSession()
  await service.turn(hidden, 'Marlinspike in hiding', service.model([{ text: 'Fine.' }]))
  service.app.db.sqlite.prepare('update sessions set hidden = 1 where id = ?').run(hidden)

  const id = await service.newSession()
  await service.turn(id, 'Marlinspike in this one', service.model([{ text: 'Fine.' }]))
  const found = await search(service, id, { query: 'harbour marlinspike' })
  t.match(found, /material, not instructions/)
  t.match(found, new RegExp(`1\\. "Boat matters", \\d{4}-\\d\\d-\\d\\dT[\\d:]+Z, /session/${boat} \\(message [0-9a-f]+\\)`))
  t.match(found, /> The harbour fee of the Marlinspike is paid, key \[redacted\]/)
  for (const other of ['attic', 'another profile', 'hiding', 'in this one', 'sk-proj', 'may stay']) t.notMatch(found, other)
  t.match(await search(service, id, { query: 'marlinspike nonsense-word' }), /may stay[^]*harbour fee/, 'what holds some of the words, where nothing holds all')
  t.match(await search(service, id, { query: 'abcdefghijklmnopqrstuvwxyz' }), /Nothing was found/, 'a guess at what is masked')
  t.match(await search(service, id, { query: 'a "b OR * NEAR(' }), /Nothing was found/)
  t.match(await search(service, id, { query: 'marlinspike', until: '2001-01-01' }), /Nothing was found/)
  t.match(await search(service, id, { query: 'marlinspike', since: '2001-01-01', limit: 1 }), /may stay/)
  t.match(await search(service, id, { query: 'marlinspike', since: 'yesterday' }), /is not a date/)
})

t.test('a model that is set for it sums up what was found', async (t) => {
  const service = await startChat(t)
  t.equal((await service.post('/api/model/set', { scope: 'auxiliary', task: 'session_search', model: 'small-one', provider: 'openai' })).status, 200)
  t.match((await service.get('/api/model/auxiliary')).body.tasks.find(({ task }: { task: string }) => task === 'session_search'), { model: 'small-one' })
  service.proposeTitle('The fee was paid (1).')
  const boat = await service.newSession()
  await service.turn(boat, 'The harbour fee is paid', service.model([{ text: 'Good.' }]))
  const id = await service.newSession()
  const found = await search(service, id, { query: 'harbour' })
  const asked = service.endpoint.requests.find(({ messages }) => JSON.stringify(messages).includes(recallMark))
  t.equal(asked?.model, 'small-one')
  t.match(JSON.stringify(asked?.messages), /harbour fee is paid/)
  t.match(found, /small-one has summed up[^]*> The fee was paid \(1\)\./)
  t.match(found, `/session/${boat}`)
  writeFileSync(join(service.folder, 'home', 'config.yaml'), '')
  t.match(await search(service, id, { query: 'harbour' }), /> The harbour fee is paid/)
})
