import t from '#test'
import { Message, ToolCard } from '../../schemas/sessions-messages.js'
import { createRemasking } from '../../services/areas/sessions/index.js'
import { startChat } from '../support/chat.js'

type Fields = Record<string, unknown>

const service = await startChat(t)
const bringIn = async (messages: Fields[], toolCalls: Fields[] = []): Promise<string> => {
  const { status, text, body } = await service.post('/api/session/import', { messages, tool_calls: toolCalls })
  t.equal(status, 200, text)
  return body.session.session_id as string
}
const shown = async (id: string, more = ''): Promise<{ messages: Fields[], tool_calls: Fields[] }> =>
  (await service.get(`/api/session?session_id=${id}${more}`)).body.session

const call = { id: 'c1', call_id: 'c1', type: 'function', function: { name: 'look', arguments: '{"path":"a.txt"}' }, name: 'look', args: { path: 'a.txt' } }
const attachment = { name: 'a.txt', filename: 'a.txt', path: '/docs/a.txt', mime: 'text/plain', size: 8, is_image: false }
const partialCall = { name: 'look', tid: 'c2', args: { path: 'b.txt' }, snippet: 'one', done: true, is_error: false, duration: 1.5 }
const times = { timestamp: 1_600_000_000, _ts: 1_600_000_000 }
/** Everything that clients of this interface read of a message, on the roles that have it. */
const asking = {
  role: 'user',
  content: [{ type: 'text', text: 'Look', cache_control: { type: 'ephemeral' } }, { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
  ...times,
  id: 'm1',
  attachments: [attachment, 'bare.txt'],
  _source: 'steer'
}
const answering = {
  role: 'assistant',
  content: 'I look.',
  ...times,
  tool_calls: [call],
  reasoning: 'They want it.',
  reasoning_content: 'They want it.',
  thinking: 'They want it.',
  _reasoning: 'They want it.',
  finish_reason: 'length',
  hint: 'Go on',
  provider_details: 'HTTP 429',
  provider_details_label: 'Terminal state details',
  _error: false,
  _errorAbout: { provider: 'Ours', model: 'small' },
  _partial: true,
  _partial_tool_calls: [partialCall],
  _recovered: true,
  _pending_journal_recovery: true,
  _unreadable: false,
  _usedModel: 'small',
  _usedProvider: 'ours',
  _turnTps: 12.5,
  _turnDuration: 3,
  _firstTokenMs: 200,
  _gatewayRouting: { chosen: 'a' },
  _compressionRecovery: { offers: [] },
  _statusCard: { kind: 'note' },
  _anchor_activity_scene: { at: 1 }
}
const result = { role: 'tool', content: 'one', ...times, tool_call_id: 'c1', tool_use_id: 'c1', name: 'look', is_error: true, duration: 2.5 }
const card = { name: 'look', snippet: 'one', tid: 'c1', assistant_msg_idx: 1, args: { path: 'a.txt' }, is_error: true, done: true, duration: 2.5 }
const whole: Fields[] = [asking, answering, result]

/** Returns messages with unknown keys, and with values of unexpected types. */
const strange = (): Fields[] => [
  { ...asking, secret: 's', api_content: 's', attachments: [{ ...attachment, secret: 's' }, 5, 'bare.txt'] },
  { ...answering, secret: { deep: 's' }, tool_calls: [{ ...call, index: 0, function: { ...call.function, secret: 's' } }], _partial_tool_calls: [{ ...partialCall, secret: 's' }] },
  { ...result, secret: 's', _turnUsage: { secret: 's' } }
]
const withoutIds = (messages: Fields[]): Fields[] => messages.map(({ message_id: _id, ...message }) => message)

t.test('an import keeps every key of a message and a card that the interface has', async (t) => {
  const named = new Set(whole.flatMap((message) => Object.keys(message)))
  t.same(Object.keys(Message.properties).filter((key) => !named.has(key)), ['message_id', '_active_turn_user'], 'this test has all of them')
  t.same(Object.keys(ToolCard.properties).filter((key) => !Object.hasOwn(card, key)), [])
  const id = await bringIn(whole, [card])
  for (const read of [await shown(id), await shown(id, '&msg_limit=10'), (await service.get(`/api/session/export?session_id=${id}`)).body]) {
    t.strictSame(withoutIds(read.messages), whole)
    t.strictSame(read.tool_calls, [card])
  }
})

t.test('an import leaves out what the interface does not name, and values of the wrong kind', async (t) => {
  const id = await bringIn(strange(), [{ ...card, secret: 's' }])
  const read = await shown(id)
  t.strictSame(withoutIds(read.messages), whole)
  t.strictSame(read.tool_calls, [card])
  const wrong = { tool_calls: {}, reasoning: 5, thinking: {}, _partial: 'yes', _statusCard: 'none', _turnTps: '12', attachments: [{ name: 5 }], _active_turn_user: true }
  const [message] = withoutIds((await shown(await bringIn([{ role: 'user', content: 'Hello', ...times, ...wrong }]))).messages)
  t.strictSame(message, { role: 'user', content: 'Hello', ...times, attachments: [{}] })
})

t.test('a bare text among the parts of a message is a part', async (t) => {
  const [message] = (await shown(await bringIn([{ role: 'user', content: ['One ', { type: 'text', text: 'two' }] }]))).messages
  t.strictSame(message!.content, [{ type: 'text', text: 'One ' }, { type: 'text', text: 'two' }])
})

t.test('rows of an older version are closed by an upgrade, and lose nothing else', async (t) => {
  const id = await bringIn(whole, [card])
  const own = await service.newSession()
  await service.turn(own, 'Hello', service.model([{ text: 'Hi.' }]))
  const { sqlite } = service.app.db
  const rows = (): unknown[] => sqlite.prepare('select body, redacted_body, card from messages where session_id = ? order by position').all(own)
  const before = rows()
  const put = sqlite.prepare("update messages set body = json_patch(body, ?), card = case when card is null then null else json_patch(card, '{\"secret\":\"s\"}') end where session_id = ? and position = ?")
  for (const [position, { role: _role, content: _content, ...fields }] of strange().entries()) put.run(JSON.stringify(fields), id, position)
  sqlite.prepare("update messages set body = json_set(body, '$.hint', 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789') where session_id = ? and position = 1").run(id)
  sqlite.pragma('user_version = 2')
  const remasking = createRemasking({ db: service.app.db, clock: service.app.clock })
  remasking.prepare()
  const copy = (await service.post('/api/session/branch', { session_id: id })).body.session_id
  await remasking.work()
  const { messages, tool_calls: cards } = await shown(id, '&msg_limit=20')
  t.strictSame(withoutIds(messages), whole.map((message, at) => at === 1 ? { ...message, hint: messages[1]!.hint } : message))
  t.notMatch(messages[1]!.hint, /abcdefghijklm/, 'and are masked as before')
  t.strictSame(cards, [card])
  t.same(rows(), before, 'those of turns stay as they are')
  t.notMatch(JSON.stringify(await shown(copy)), /secret/, 'and what was copied meanwhile is closed too')
})
