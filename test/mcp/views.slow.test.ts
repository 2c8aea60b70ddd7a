import { rmSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { eventually } from '../support/chat.js'
import { appsServer, startWith } from '../support/mcp/servers.js'
import { called } from '../support/mcp/calls.js'

t.test('the view of a call is kept with it, and its calls go by the rules of the session', async (t) => {
  const service = await startWith(t, { mcp_servers: { apps: appsServer }, approvals: { allow: ['mcp:apps:board', 'mcp:apps:change'], deny: ['mcp:apps:reaching'] } })
  const { session, requests, result } = await called(service, 'mcp__apps__board', { name: 'first' })
  t.equal(result, 'A board called first', 'the model has the text')
  t.ok(requests[0]?.tools.includes('mcp__apps__secret'))
  t.notOk(requests[0]?.tools.includes('mcp__apps__add'), 'what is for views alone is not for the model')
  t.match((await called(service, 'mcp__apps__client', {})).result, /"io.modelcontextprotocol\/ui":\{"mimeTypes":\["text\/html;profile=mcp-app"\]\}/)

  const { body: { call_ids: ids } } = await service.get(`/api/mcp/views?session_id=${session}`)
  t.equal(ids.length, 1)
  const query = `session_id=${session}&call_id=${ids[0]}`
  const { body: view } = await service.get(`/api/mcp/view?${query}`)
  t.match(view, { server: 'apps', tool: 'board', uri: 'ui://board/view.html', arguments: { name: 'first' }, result: { structuredContent: { name: 'first' } }, page: { html: /<title>Board/, domains: { connect: [] } } })
  t.equal((await service.get('/api/mcp/views?session_id=nobody')).status, 404)
  t.equal((await service.get(`/api/mcp/view?session_id=${session}&call_id=other`)).status, 404)

  const call = async (tool: string, args: object = {}) => await service.post('/api/mcp/view/call', { session_id: session, call_id: ids[0], tool, arguments: args })
  const answer = async (askId: string, choice: string) => await service.post('/api/mcp/view/answer', { session_id: session, ask_id: askId, choice })
  const { body: asked } = await call('add', { by: 2 })
  t.match(asked, { state: 'asked', server: 'apps', tool: 'add', arguments: { by: 2 }, may_last: true })
  t.match((await answer(asked.ask_id, 'deny')).body, { state: 'refused', message: /denied/ })
  t.equal((await answer(asked.ask_id, 'once')).status, 404, 'an answer counts once')
  const { body: earlier } = await call('add', { by: 2 })
  t.match((await call('change')).body, { state: 'done' })
  await eventually('the other description', async () => /Adds to something else/.test((await service.get('/api/mcp/tools')).text))
  t.match((await answer(earlier.ask_id, 'once')).body, { state: 'refused', message: /differently now/ }, 'what was shown is what is allowed')
  const { body: again } = await call('add', { by: 2 })
  t.match((await answer(again.ask_id, 'session')).body, { state: 'done', result: { content: [{ text: 'It is 2 now' }] } })
  t.match((await call('add', { by: 3 })).body, { state: 'done', result: { content: [{ text: 'It is 5 now' }] } }, 'allowed for the session')
  t.match((await call('secret')).body, { state: 'refused', message: /no tool "secret"/ })
  t.match((await call('nothing')).body, { state: 'refused' })
  t.match((await call('reaching')).body, { state: 'refused', message: /operator's rules/ })
  t.match((await call('add', { by: 'two' })).body, { state: 'refused', message: /does not fit/ })
  t.equal((await service.post('/api/mcp/view/call', { session_id: session, call_id: 'other', tool: 'add' })).status, 404)

  const read = async (uri: string) => await service.post('/api/mcp/view/call', { session_id: session, call_id: ids[0], uri })
  const { body: reading } = await read('board://note')
  t.match(reading, { state: 'asked', server: 'apps', tool: null, arguments: { uri: 'board://note' } }, 'a resource is asked about as the model\'s reading is')
  t.match((await answer(reading.ask_id, 'session')).body, { state: 'done', result: { contents: [{ uri: 'board://note', mimeType: 'text/plain', text: 'A note' }] } })
  t.match((await read('board://note')).body, { state: 'done' })
  for (const body of [{}, { tool: 'add', uri: 'board://note' }]) t.equal((await service.post('/api/mcp/view/call', { session_id: session, call_id: ids[0], ...body })).status, 400)

  const { body: { calls } } = await service.get(`/api/mcp/view/calls?session_id=${session}`)
  t.match(calls.map(({ tool, state }: { tool: string, state: string }) => `${tool} ${state}`), [
    'add refused', 'change done', 'add refused', 'add done', 'add done', 'secret refused', 'nothing refused', 'reaching refused', 'add refused', 'null done', 'null done'
  ], 'what was called stays with the conversation; what was only asked is not there')
  t.match(calls[3], { call_id: ids[0], server: 'apps', arguments: { by: 2 }, answer: 'It is 2 now', created_at: Number })
  t.match(calls[0].answer, /denied/)
  t.match(calls.at(-1), { arguments: { uri: 'board://note' }, answer: 'A note' })
  const other = await service.events(`/api/session/stream?session_id=${session}`)
  await other.until(({ event }) => event === 'initial')
  await call('add', { by: 1 })
  await other.until(({ event, data }) => event === 'view_calls_changed' && data.call_id === ids[0])
  t.equal((await service.get('/api/mcp/view/calls?session_id=nobody')).status, 404)

  rmSync(join(service.home, 'webui_state', 'mcp', 'view-pages'), { recursive: true })
  t.match((await service.get(`/api/mcp/view?${query}`)).body, { page: null, arguments: { name: 'first' } }, 'a page that is gone is said to be')
  await service.post('/api/session/delete', { session_id: session })
  t.equal((await service.get(`/api/mcp/view/calls?session_id=${session}`)).status, 404)
  t.equal((await service.get(`/api/mcp/view?${query}`)).status, 404)
})
