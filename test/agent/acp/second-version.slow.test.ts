import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from '#test'
import { asset } from '../../../services/ground/assets.js'
import { startAgent, type AgentService } from '../../support/acp/agents.js'

// Agents that speak version 2 of the protocol, through its own library. One place translates the differences to version 1, so that policy,
// approvals and limits are the same for every agent.
const command = [process.execPath, asset('test/support/acp/agent-v2.js')]
const start = async (t: Parameters<typeof startAgent>[0], env: Record<string, string> = {}, options: Parameters<typeof startAgent>[2] = {}, more: Record<string, unknown> = {}): Promise<AgentService> =>
  await startAgent(t, { agent: { type: 'acp', name: 'Scripted', command, env, allow_unasked_modes: ['ask', 'plan'], ...more } }, options)

t.test('version 2: a turn with text, thoughts, a plan, figures and a notice', async (t) => {
  const service = await start(t)
  const session = await service.newSession()
  const { text, frames } = await service.turn(session, 'think about it\nwhole One two.\nplan first; second\nusage\nnotice Mind the gap\nsnapshots')
  t.match(text, /One two\. And more\.Still here\./)
  t.equal(text.match(/One/g)?.length, 1, 'what was said in pieces and as a whole is said once')
  t.match(frames.find(({ event }) => event === 'reasoning')?.data, { text: 'about it' })
  t.match(frames.find(({ event }) => event === 'todo_state')?.data.todos, [{ content: 'first', status: 'in_progress' }, { content: 'second' }])
  t.match(frames.filter(({ event }) => event === 'warning').map(({ data }) => data.message), [/Mind the gap/])
  t.match(frames.find(({ event }) => event === 'done')?.data.usage, { last_prompt_tokens: 5_000, estimated_cost: 0.25 })
  t.match((await service.turn(session, 'options')).text, /model small, mode ask/)
  t.match((await service.turn(session, 'options', { model: 'large' })).text, /model large/)
  t.match((await service.turn(session, 'file /etc/hostname')).text, /Refused: /, 'a client of this version has no files')
  t.match((await service.turn(session, 'fail')).last.data, { type: 'rate_limit', message: /429 rate limit/ })
  t.match((await service.turn(session, 'mode yolo\nsay more')).last.data.message, /not known to ask before it acts in its mode "yolo"/)
})

t.test('version 2: what it asks for is judged and shown like that of any agent', async (t) => {
  const service = await start(t)
  const session = await service.newSession()
  const run = service.turn(session, 'run touch here')
  t.match(await service.approve(session, 'once'), { command: 'touch here', pattern_key: 'cmd:touch' })
  const { text, frames } = await run
  t.match(text, /Run: yes\./)
  t.match(frames.find(({ event }) => event === 'tool_complete')?.data, { name: 'terminal', preview: 'the answer was yes', is_error: false })
  const own = service.turn(session, 'command touch there')
  t.match(await service.approve(session, 'deny'), { command: 'touch there' })
  t.match((await own).text, /Command: no\./)
  const thought = service.turn(session, 'think_command touch thought')
  t.match(await service.approve(session, 'deny'), { command: 'touch thought' }, 'a thought with a command is a command')
  t.match((await thought).text, /Thought: no\./)
  const bare = service.turn(session, 'bare Send the parcel')
  t.match(JSON.stringify(await service.approve(session, 'once')), /Send the parcel.*Because it matters|Because it matters.*Send the parcel/s)
  t.match((await bare).text, /Bare: yes\./)
  const path = join(service.workspace, 'notes.txt')
  writeFileSync(path, 'one\ntwo\nthree\n')
  const edit = service.turn(session, `edit ${path} := two := TWO`)
  t.match(await service.approve(session, 'once'), { pattern_key: 'write:workspace', file: 'notes.txt', diff: /-two\n\+TWO/ })
  t.match((await edit).text, /Edit: yes\./)
  const blind = service.turn(session, `blind ${path}`)
  t.match(await service.approve(session, 'deny'), { pattern_key: 'write:workspace' }, 'a change of which no text is told is a change')
  t.match((await blind).text, /Blind: no\./)
  t.match((await service.turn(session, 'pieces one two three')).frames.find(({ event }) => event === 'tool_complete')?.data.preview, /onetwothree/)
  const asking = service.turn(session, 'elicit')
  const question = await service.pending(session, 'clarify')
  await service.post('/api/clarify/respond', { session_id: session, response: 'blue', clarify_id: question.clarify_id })
  t.match((await asking).text, /accept blue/)
})

t.test('version 2: a turn is cancelled, an agent that dies is started again, and one that does not listen is ended', async (t) => {
  const service = await start(t)
  const session = await service.newSession()
  const streamId = await service.send(session, 'wait')
  const reader = await service.watch(streamId)
  await reader.until('token')
  await service.post('/api/chat/cancel', { stream_id: streamId })
  await reader.ended
  t.equal(reader.frames.at(-1)!.event, 'cancel')
  t.match((await service.turn(session, 'recall')).text, /I remember: wait \| /, 'the same session goes on')
  t.match((await service.turn(session, 'die')).last.data, { type: 'interrupted', message: /exit code 3; it said last: out of luck/ })
  t.match((await service.turn(session, 'say again')).text, /again/)
})

t.test('version 2: the order in which an agent answers and tells its states does not matter', async (t) => {
  const service = await start(t, { AGENT_ORDER: 'early' })
  const session = await service.newSession()
  t.match((await service.turn(session, 'say one')).text, /one/)
  const run = service.turn(session, 'run touch here')
  await service.approve(session, 'once')
  t.match((await run).text, /Run: yes\./)
})

t.test('version 2: a conversation goes on after a restart, with images and servers', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'agents-'))
  const env = { AGENT_STATE: join(folder, 'sessions.jsonl') }
  const first = await start(t, env, { folder })
  const session = await first.newSession()
  await first.turn(session, 'say the word is tulip')
  await first.stop()
  const second = await start(t, env, { folder })
  const { text } = await second.turn(session, 'recall')
  t.match(text, /tulip/)
  t.notMatch(text, /This conversation has gone on without you/)
  const form = new FormData()
  form.set('session_id', session)
  form.set('file', new Blob([Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=', 'base64')], { type: 'image/png' }), 'dot.png')
  const uploaded = await (await fetch(`${second.url}/api/upload`, { method: 'POST', body: form })).json() as { path: string }
  t.match((await second.turn(session, 'images', { attachments: [{ name: 'dot.png', path: uploaded.path, mime: 'image/png', is_image: true }] })).text, /1 images/)
  t.notOk(existsSync(join(second.workspace, 'nothing')))
})

t.test('a session whose cancelled turn has not ended yet is gone on with, and is not closed', async (t) => {
  const service = await start(t, { AGENT_STATE: join(mkdtempSync(join(tmpdir(), 'agents-')), 'sessions.jsonl') })
  const session = await service.newSession()
  await service.turn(session, 'say the word is tulip')
  const streamId = await service.send(session, 'linger')
  const reader = await service.watch(streamId)
  await reader.until('token')
  await service.post('/api/chat/cancel', { stream_id: streamId })
  await reader.ended
  t.match((await service.turn(session, 'recall')).text, /tulip/)
  t.match((await service.turn(session, 'recall')).text, /tulip.*recall/, 'the agent still has it')
})

t.test('version 2 is offered and never demanded: an agent can be held to version 1', async (t) => {
  const service = await start(t, {}, {}, { protocol: 1 })
  t.match((await service.turn(await service.newSession(), 'say hello')).last.data.message, /version|Unsupported protocol/i)
})
