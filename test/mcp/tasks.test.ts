import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { start } from '../support/app.js'
import { eventually, said } from '../support/chat.js'
import { startWith } from '../support/mcp/servers.js'

// The other server is this service too: its turns are tasks for a client that polls.
t.test('a task of a server is followed to its result, and what it asks is a card here', async (t) => {
  const other = await start(t)
  const service = await startWith(t, { mcp_servers: { other: { url: `${other.url}/mcp` } }, approvals: { allow: ['mcp:other:*'] } })
  const sessionId = await service.newSession()
  const model = service.model([{ tool: 'mcp__other__start_turn', args: { message: 'write far.txt: hello' } }], [{ text: 'Done.' }])
  const reader = await service.watch(await service.send(sessionId, 'Have it written', { model }))
  const card = await service.pending(sessionId, 'clarify')
  t.match(card, { form: { message: /write_file[^]*\+hello/, fields: [{ name: 'choice', options: [{ value: 'once' }, { value: 'session' }, { value: 'deny' }] }] } })
  t.notOk(existsSync(join(other.workspace, 'far.txt')))
  t.equal((await service.post('/api/clarify/respond', { session_id: sessionId, clarify_id: card.clarify_id, response: { choice: 'once' } })).status, 200)
  await reader.ended
  t.match(said(service.requests(model)[1], 'tool').at(-1), /"state":"ended","ended":"completed","answer":"/)
  t.ok(existsSync(join(other.workspace, 'far.txt')))
})

t.test('a task that goes on is looked after and stopped in a later turn; a turn that is stopped stops its own', async (t) => {
  const other = await start(t, { demoWordsPerSecond: 20 })
  const service = await startWith(t, { mcp_servers: { other: { url: `${other.url}/mcp`, timeout: 1 } }, approvals: { allow: ['mcp:other:*', 'mcp:unknown:*'] } })
  const running = async () => (await other.get('/api/sessions')).body.sessions.filter((row: { is_streaming: boolean }) => row.is_streaming).length
  const sessionId = await service.newSession()
  const goOn = async (tool: string, args: Record<string, unknown>): Promise<string> => {
    const model = service.model([{ tool, args }], [{ text: 'Done.' }])
    await (await service.watch(await service.send(sessionId, 'Go on', { model }))).ended
    return said(service.requests(model)[1], 'tool').at(-1) ?? ''
  }
  const [, task = ''] = /as its task "([0-9a-f]{32})", which survives this turn/.exec(await goOn('mcp__other__start_turn', { message: 'slow 4000' })) ?? []
  t.not(task, '')
  t.match(await goOn('mcp_task', { server: 'other', task }), new RegExp(`as its task "${task}"`))
  t.match(await goOn('mcp_task', { server: 'other', task: 'nobody' }), /Task not found/)
  t.match(await goOn('mcp_task', { server: 'elsewhere', task }), /no MCP server of this name with tasks/)
  t.equal(await running(), 1)
  t.match(await goOn('mcp_task', { server: 'other', task, action: 'stop' }), /was asked to stop/)
  await eventually('its end', async () => await running() === 0)
  t.match(await goOn('mcp_task', { server: 'other', task }), /It stopped this itself/)

  const model = service.model([{ tool: 'mcp__other__start_turn', args: { message: 'slow 4000' } }])
  const streamId = await service.send(sessionId, 'Once more', { model })
  await eventually('its task', async () => await running() === 1)
  await service.post('/api/chat/cancel', { stream_id: streamId })
  await eventually('its end', async () => await running() === 0)
})
