import type OpenAI from 'openai'
import t from '#test'
import { eventually, gate, held, said } from '../support/chat.js'
import { refused, withClient } from '../support/openai.js'

const tool: OpenAI.Responses.FunctionTool = { type: 'function', name: 'get_weather', parameters: { type: 'object', properties: {} }, strict: false }

t.test('a conversation that is not to be stored is in no list, and is gone with the end of its answer', async (t) => {
  const { service, client, me } = await withClient(t)
  const listed = async (): Promise<string[]> => (await service.get('/api/sessions', me)).body.sessions.map(({ session_id: id }: { session_id: string }) => id)
  const answered = gate()
  const model = service.model(held(answered, [], [{ text: 'First.' }]), [{ text: 'Second.' }], [{ tool: 'get_weather', args: {} }], [{ text: 'Cold.' }])
  const asking = client.responses.create({ model, input: 'one', store: false })
  await eventually('the question', () => service.requests(model).length > 0)
  t.same(await listed(), [], 'not while it runs')
  answered.open()
  const first = await asking
  t.match(first, { status: 'completed', output_text: 'First.', store: false })
  const gone = async (id: string): Promise<void> => {
    await eventually('its removal', async () => (await service.get(`/api/session?session_id=${id}`, me)).status === 404)
  }
  await gone(first.metadata!['session_id']!)
  await refused(t, client.responses.retrieve(first.id), { status: 404 })
  await refused(t, client.responses.create({ model, input: 'two', previous_response_id: first.id }), { status: 404 })

  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'one' }, { role: 'assistant', content: 'First.' }, { role: 'user', content: 'two' }]
  const { data, response } = await client.chat.completions.create({ model, messages, store: false, stream: true }).withResponse()
  let text = ''
  for await (const chunk of data) text += chunk.choices[0]?.delta.content ?? ''
  t.equal(text, 'Second.')
  t.same(said(service.requests(model)[1], 'user'), ['one', 'two'], 'with all that the client has sent')
  await gone(response.headers.get('x-session-id')!)

  const called = await client.responses.create({ model, input: 'three', tools: [tool], store: false })
  const [call] = called.output
  await gone(called.metadata!['session_id']!)
  const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'three' }, call as OpenAI.Responses.ResponseFunctionToolCall, { type: 'function_call_output', call_id: (call as OpenAI.Responses.ResponseFunctionToolCall).call_id, output: '-3' }]
  t.match(await client.responses.create({ model, input, tools: [tool], store: false }), { output_text: 'Cold.' }, 'results come with all that led to them')
  t.same(await listed(), [])
})

t.test('what needs a conversation is refused for one that is not to be stored', async (t) => {
  const { service, client } = await withClient(t)
  const model = service.model([{ text: 'Kept.' }])
  const kept = await client.responses.create({ model, input: 'one' })
  const ask = { model, input: 'two', store: false }
  const why = { status: 400, code: 'unsupported_parameter', param: 'store' }
  await refused(t, client.responses.create({ ...ask, previous_response_id: kept.id }), why)
  await refused(t, client.responses.create(ask, { headers: { 'X-Session-Id': kept.metadata!['session_id']! } }), why)
  await refused(t, client.responses.create(ask, { headers: { 'X-Agent-Ask': 'wait' } }), why)
  await refused(t, client.responses.create({ ...ask, background: true }), why)
  t.equal(service.requests(model).length, 1)
})

t.test('a client that leaves takes such a conversation with it', async (t) => {
  const { service, client, me } = await withClient(t)
  const model = service.model(held(gate(), [{ text: 'First ' }], []))
  const leaving = new AbortController()
  const { data, response } = await client.chat.completions.create({ model, messages: [{ role: 'user', content: 'one' }], store: false, stream: true }, { signal: leaving.signal }).withResponse()
  for await (const chunk of data) if (chunk.choices[0]?.delta.content === 'First ') leaving.abort()
  await eventually('its removal', async () => (await service.get(`/api/session?session_id=${response.headers.get('x-session-id')!}`, me)).status === 404)
  await eventually('the end of the call', () => service.requests(model)[0]?.isClosed === true)
  t.pass('the model was told to stop')
})

t.test('a turn that has outlived the service in such a conversation is stopped by the next start', async (t) => {
  const { service, client, me } = await withClient(t)
  const model = service.model(held(gate(), [{ text: 'First ' }], []))
  const { data, response } = await client.chat.completions.create({ model, messages: [{ role: 'user', content: 'one' }], store: false, stream: true }).withResponse()
  const chunks = data[Symbol.asyncIterator]()
  while ((await chunks.next()).value?.choices[0]?.delta.content !== 'First ');
  // What each start does with what it finds.
  await service.app.sessions.sweep()
  t.equal((await service.get(`/api/session?session_id=${response.headers.get('x-session-id')!}`, me)).status, 404)
  await eventually('the end of the call', () => service.requests(model)[0]?.isClosed === true)
  await t.rejects(chunks.next(), 'its client, if it is still there, gets an error')
  await eventually('the end of the turn', async () => (await service.get('/health')).body.active_streams === 0)
})
