import OpenAI from 'openai'
import t from '#test'
import { systemClock } from '../../services/ground/time/clock.js'
import { eventually, said, startChat } from '../support/chat.js'
import { temporaryFolder } from '../support/folder.js'
import { gated, refused, withClient } from '../support/openai.js'

const weather: OpenAI.ChatCompletionTool = {
  type: 'function', function: { name: 'get_weather', description: 'The weather in a place', parameters: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] } }
}
const asFunction: OpenAI.Responses.FunctionTool = { type: 'function', name: 'get_weather', description: 'The weather in a place', parameters: weather.function.parameters as Record<string, unknown>, strict: false }
const ask = (content: string): OpenAI.ChatCompletionMessageParam => ({ role: 'user', content })
const call = (place: string) => ({ tool: 'get_weather', args: { place } })

t.test('a call of the client\'s tool is handed to the client, and its result goes on in the same conversation', async (t) => {
  const { service, client, me } = await withClient(t)
  const model = service.model([{ text: 'I ask. ' }, call('Oslo'), call('Rome')], [{ text: 'Cold and warm.' }], [{ text: 'Bye.' }])
  const messages = [ask('How is it in Oslo and Rome?')]
  const { data: first, response } = await client.chat.completions.create({ model, messages, tools: [weather] }).withResponse()
  const [choice] = first.choices
  t.match(choice, { finish_reason: 'tool_calls', message: { content: 'I ask. ', tool_calls: [{ type: 'function', function: { name: 'get_weather', arguments: '{"place":"Oslo"}' } }, { function: { arguments: '{"place":"Rome"}' } }] } })
  t.ok(service.requests(model)[0]?.tools.includes('terminal'), 'beside the tools of the agent')
  t.match(service.requests(model)[0]?.body, { tool_choice: 'auto' })
  const calls = choice?.message.tool_calls ?? []
  t.equal(new Set(calls.map(({ id }) => id)).size, 2)

  messages.push(choice!.message)
  await refused(t, client.chat.completions.create({ model, messages, tools: [weather] }), { status: 400 })
  await refused(t, client.chat.completions.create({ model, messages: [...messages, { role: 'tool', tool_call_id: calls[0]!.id, content: '-3' }], tools: [weather] }), { status: 400, message: /No tool output found for function call call_/, param: 'messages' })
  messages.push(...calls.map(({ id }, index): OpenAI.ChatCompletionMessageParam => ({ role: 'tool', tool_call_id: id, content: ['-3', '21'][index] ?? '' })))
  const second = await client.chat.completions.create({ model, messages, tools: [weather] }).withResponse()
  t.equal(second.data.choices[0]?.message.content, 'Cold and warm.')
  t.equal(second.response.headers.get('x-session-id'), response.headers.get('x-session-id'))
  t.match(service.requests(model)[1]?.messages.slice(-4), [{ role: 'user' }, { role: 'assistant', tool_calls: [{}, {}] }, { role: 'tool', content: '-3' }, { role: 'tool', content: '21' }])

  messages.push({ role: 'assistant', content: 'Cold and warm.' }, ask('Thanks'))
  t.equal((await client.chat.completions.create({ model, messages, tools: [weather] })).choices[0]?.message.content, 'Bye.')
  const { body } = await service.get(`/api/session?session_id=${response.headers.get('x-session-id')!}`, me)
  t.same(body.session.messages.map(({ role }: { role: string }) => role), ['user', 'assistant', 'tool', 'tool', 'assistant', 'user', 'assistant'], 'all of it is one conversation')
  await refused(t, client.chat.completions.create({ model, messages: [{ role: 'tool', tool_call_id: calls[0]!.id, content: 'late' }] }), { status: 409, message: /continued since these calls/ })
})

t.test('calls are streamed in the events that clients know, and a message may come with the results', async (t) => {
  const { service, client } = await withClient(t)
  const model = service.model([call('Oslo')], [{ text: 'Cold.' }], [{ text: 'Let me see.' }, call('Rome')], [{ text: 'Warm.' }])
  const runner = client.chat.completions.stream({ model, messages: [ask('Oslo?')], tools: [weather] })
  const { choices: [choice] } = await runner.finalChatCompletion()
  t.match(choice, { finish_reason: 'tool_calls', message: { content: null, tool_calls: [{ function: { name: 'get_weather', arguments: '{"place":"Oslo"}' } }] } })
  const messages: OpenAI.ChatCompletionMessageParam[] = [ask('Oslo?'), choice!.message, { role: 'tool', tool_call_id: choice!.message.tool_calls![0]!.id, content: 'cold' }, ask('In one word')]
  t.equal((await client.chat.completions.create({ model, messages, tools: [weather] })).choices[0]?.message.content, 'Cold.')
  t.match(service.requests(model)[1]?.messages.slice(-2), [{ role: 'tool', content: 'cold' }, { role: 'user', content: 'In one word' }])

  const events: OpenAI.Responses.ResponseStreamEvent[] = []
  const stream = client.responses.stream({ model, input: 'Rome?', tools: [asFunction] })
  for await (const event of stream) events.push(event)
  t.same(events.map(({ type }) => type).filter((type) => !type.endsWith('_text.delta')), [
    'response.created', 'response.in_progress', 'response.output_item.added', 'response.content_part.added', 'response.output_text.done', 'response.content_part.done', 'response.output_item.done',
    'response.output_item.added', 'response.function_call_arguments.delta', 'response.function_call_arguments.done', 'response.output_item.done', 'response.completed'
  ])
  t.same(events.map(({ sequence_number: number }) => number), events.map((_, index) => index))
  const response = await stream.finalResponse()
  t.match(response, { status: 'completed', output: [{ type: 'message' }, { type: 'function_call', name: 'get_weather', arguments: '{"place":"Rome"}', status: 'completed' }], tools: [{ name: 'get_weather' }] })
  t.match(await client.responses.retrieve(response.id), { output: response.output, tools: response.tools })
  const [, asked] = response.output
  if (asked?.type !== 'function_call') return t.fail('it has a call')
  await refused(t, client.responses.create({ model, input: 'And?', previous_response_id: response.id }), { status: 400, message: /No tool output found/, param: 'input' })
  await refused(t, client.responses.create({ model, input: [{ type: 'function_call_output', call_id: 'call_other', output: '1' }], previous_response_id: response.id }), { status: 400 })
  const next = await client.responses.create({ model, input: [{ type: 'function_call_output', call_id: asked.call_id, output: '21' }], previous_response_id: response.id, tools: [asFunction] })
  t.equal(next.output_text, 'Warm.')
  t.match(next, { previous_response_id: response.id })
})

t.test('calls wait over a restart, and their results find them by what stands in them', async (t) => {
  const folder = temporaryFolder(t, 'client-tools')
  const { service: first, client } = await withClient(t, 'chat', { folder })
  const model = first.model([call('Oslo')], [call('Rome')], [call('Bern')])
  const responses = await Promise.all([1, 2, 3].map(async () => await client.responses.create({ model, input: 'How is it?', tools: [asFunction], instructions: 'Be brief.' })))
  const callOf = ({ output }: OpenAI.Responses.Response): string => {
    const found = output.find(({ type }) => type === 'function_call')
    return found?.type === 'function_call' ? found.call_id : ''
  }
  await first.stop()
  let laterMs = 0
  const second = await startChat(t, { ...gated, folder, clock: { ...systemClock, now: () => systemClock.now() + laterMs } })
  const again = new OpenAI({ baseURL: `${second.url}/v1`, apiKey: client.apiKey, maxRetries: 0 })
  t.match(await again.responses.retrieve(responses[0]!.id), { status: 'completed', output: [{ type: 'function_call', call_id: callOf(responses[0]!) }], tools: [{ name: 'get_weather' }] })
  const later = second.model([{ text: 'By id.' }], [{ text: 'By call.' }])
  const result = (index: number): OpenAI.Responses.ResponseInputItem => ({ type: 'function_call_output', call_id: callOf(responses[index]!), output: 'cold' })
  t.match(await again.responses.create({ model: later, input: [result(0)], previous_response_id: responses[0]!.id }), { output_text: 'By id.' })
  t.match(second.requests(later)[0]?.messages.slice(-2), [{ role: 'assistant', tool_calls: [{}] }, { role: 'tool', content: 'cold' }])
  t.match(await again.responses.create({ model: later, input: [result(1)] }), { output_text: 'By call.', metadata: { session_id: responses[1]!.metadata!.session_id } })
  laterMs = 25 * 3_600_000
  await refused(t, again.responses.create({ model: later, input: [result(2)], previous_response_id: responses[2]!.id }), { status: 409, message: /more than 24 hours/ })
})

t.test('a client that brings a whole conversation with calls of somebody else\'s is understood', async (t) => {
  const { service, client } = await withClient(t)
  const model = service.model([{ text: 'Cold.' }], [{ text: 'Again.' }])
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: 'system', content: 'Be brief.' }, ask('Oslo?'), { role: 'assistant', content: null, tool_calls: [{ id: 'call_theirs', type: 'function', function: { name: 'get_weather', arguments: '{"place":"Oslo"}' } }] }, { role: 'tool', tool_call_id: 'call_theirs', content: '-3' }
  ]
  t.equal((await client.chat.completions.create({ model, messages, tools: [weather] })).choices[0]?.message.content, 'Cold.')
  const { messages: sent } = service.requests(model)[0]!
  t.match(sent.slice(-3), [{ role: 'user', content: /Be brief\.[\s\S]*Oslo\?/ }, { role: 'assistant', tool_calls: [{ function: { name: 'get_weather' } }] }, { role: 'tool', content: '-3' }])
  await refused(t, client.responses.create({ model, input: [{ type: 'function_call_output', call_id: 'call_theirs', output: 'x' }] }), { status: 400, message: /No call with the id "call_theirs"/, param: 'input' })
  await refused(t, client.chat.completions.create({ model, messages: [{ role: 'tool', tool_call_id: 'call_theirs', content: 'x' }] }), { status: 400, message: /No call with the id "call_theirs"/, param: 'messages' })
  const first = await client.responses.create({ model, input: 'Hello' })
  t.equal(first.output_text, 'Again.')
  const third = service.model([{ text: 'Known.' }])
  t.match(await client.responses.create({ model: third, input: [{ role: 'user', content: 'Hello' }, { type: 'item_reference', id: first.output[0]!.id! }, { role: 'user', content: 'And now?' }] }), { output_text: 'Known.' })
  t.same(said(service.requests(third)[0], 'assistant'), ['Again.'], 'also with references in the place of what was said')
  await refused(t, client.responses.create({ model, input: [{ type: 'item_reference', id: `msg_${'0'.repeat(32)}` }, { role: 'user', content: 'x' }] }), { status: 404 })
})

t.test('client tools take no name from the agent\'s, and run nothing here', async (t) => {
  const { service, client } = await withClient(t)
  const terminal: OpenAI.ChatCompletionTool = { type: 'function', function: { name: 'terminal', parameters: { type: 'object', properties: { command: { type: 'string' } } } } }
  const model = service.model(
    [{ tool: 'list_files', args: { path: '.' } }, { tool: 'client_terminal', args: { command: 'touch x' } }],
    [{ text: 'Done.' }]
  )
  const first = await client.chat.completions.create({ model, messages: [ask('go')], tools: [terminal] })
  t.match(first.choices[0], { finish_reason: 'tool_calls', message: { tool_calls: [{ function: { name: 'terminal', arguments: '{"command":"touch x"}' } }] } })
  t.equal(first.choices[0]?.message.tool_calls?.length, 1, 'what the agent did itself is its own')
  const { tools } = service.requests(model)[0]!
  t.ok(tools.includes('terminal') && tools.includes('client_terminal'))
  const messages = [ask('go'), first.choices[0]!.message, { role: 'tool' as const, tool_call_id: first.choices[0]!.message.tool_calls![0]!.id, content: 'touched' }]
  t.equal((await client.chat.completions.create({ model, messages, tools: [terminal] })).choices[0]?.message.content, 'Done.')
  t.match(service.requests(model)[1]?.messages.slice(-3), [{ role: 'assistant', tool_calls: [{ function: { name: 'list_files' } }, { function: { name: 'client_terminal' } }] }, { role: 'tool', content: String }, { role: 'tool', content: 'touched' }])
})

t.test('tool_choice and parallel_tool_calls hold', async (t) => {
  const { service, client } = await withClient(t)
  const model = service.model([{ text: 'a' }], [call('Oslo')], [call('Oslo')], [call('Oslo'), call('Rome')], [{ text: 'b' }])
  const messages = [ask('x')]
  const none = await client.chat.completions.create({ model, messages, tools: [weather], tool_choice: 'none' })
  t.equal(none.choices[0]?.message.content, 'a')
  t.notOk(service.requests(model)[0]?.tools.includes('get_weather'))
  await client.chat.completions.create({ model, messages, tools: [weather], tool_choice: 'required' })
  t.match(service.requests(model)[1]?.body, { tool_choice: 'required' })
  await client.chat.completions.create({ model, messages, tools: [weather], tool_choice: { type: 'function', function: { name: 'get_weather' } } })
  t.match(service.requests(model)[2]?.body, { tool_choice: { type: 'function', function: { name: 'get_weather' } } })
  const single = await client.chat.completions.create({ model, messages, tools: [weather], parallel_tool_calls: false })
  t.equal(single.choices[0]?.message.tool_calls?.length, 1)
})

t.test('what waits for a program is nobody else\'s: another profile, a token that may only read, a person who goes on', async (t) => {
  const { service, client, me } = await withClient(t)
  const model = service.model([call('Oslo')], [call('Rome')], [{ text: 'Never mind.' }])
  const first = await client.responses.create({ model, input: 'Oslo?', tools: [asFunction] })
  const [asked] = first.output
  if (asked?.type !== 'function_call') return t.fail('it has a call')
  const result: OpenAI.Responses.ResponseInputItem = { type: 'function_call_output', call_id: asked.call_id, output: 'cold' }
  const reader = (await service.post('/api/auth/tokens/create', { name: 'reader', scope: 'read' }, me)).body.token as string
  await refused(t, new OpenAI({ baseURL: `${service.url}/v1`, apiKey: reader, maxRetries: 0 }).responses.create({ model, input: [result] }), { status: 403 })

  const second = await client.responses.create({ model, input: 'Rome?', tools: [asFunction] })
  const sessionId = second.metadata!.session_id!
  const live = (await service.get(`/api/session?session_id=${sessionId}`, me)).body.session
  t.notOk(live.is_streaming ?? false, 'nothing is at work meanwhile')
  t.equal((await service.post('/api/chat/start', { session_id: sessionId, message: 'Leave it', model }, me)).status, 200)
  await eventually('the answer', () => service.requests(model).length === 3 && service.app.chat.activeTurns() === 0)
  t.match(service.requests(model)[2]?.messages.slice(-2), [{ role: 'tool', content: /interrupted/ }, { role: 'user', content: 'Leave it' }])
  const [waited] = second.output
  await refused(t, client.responses.create({ model, input: [{ type: 'function_call_output', call_id: waited?.type === 'function_call' ? waited.call_id : '', output: 'x' }], previous_response_id: second.id }), { status: 409, message: /continued since/ })
})

t.test('calls that wait in another profile are not answered from this one', async (t) => {
  const service = await startChat(t)
  const model = service.model([call('Oslo')])
  await service.post('/api/profile/create', { name: 'work' })
  const { body } = await service.post('/v1/responses', { model, input: 'Oslo?', tools: [asFunction] }, { cookie: 'svc_profile=work' })
  const [{ id, call_id: callId }] = body.output
  for (const input of [[{ type: 'function_call_output', call_id: callId, output: 'x' }], [{ type: 'item_reference', id }, { type: 'function_call_output', call_id: callId, output: 'x' }]]) {
    t.match(await service.post('/v1/responses', { input }), { status: 409, body: { error: { code: 'session_profile_mismatch' } } })
  }
  t.match(await service.post('/v1/chat/completions', { messages: [ask('Oslo?'), { role: 'assistant', tool_calls: [{ id: callId, function: { name: 'get_weather' } }] }, { role: 'tool', tool_call_id: callId, content: 'x' }] }), { status: 409 })
})

t.test('two clients that answer the same calls at once: one of them goes on', async (t) => {
  const { service, client, me } = await withClient(t)
  const model = service.model([call('Oslo')], [{ text: 'Cold.' }], [{ text: 'Twice.' }])
  const first = await client.responses.create({ model, input: 'Oslo?', tools: [asFunction] })
  const [asked] = first.output
  const input: OpenAI.Responses.ResponseInput = [{ type: 'function_call_output', call_id: asked?.type === 'function_call' ? asked.call_id : '', output: '-3' }]
  const both = await Promise.allSettled([1, 2].map(async () => await client.responses.create({ model, input, previous_response_id: first.id })))
  t.same(both.map((one) => one.status === 'fulfilled' ? one.value.output_text : (one.reason as { status: number }).status).toSorted(), [409, 'Cold.'])
  const { body } = await service.get(`/api/session?session_id=${first.metadata!.session_id!}`, me)
  t.same(body.session.messages.map(({ role }: { role: string }) => role), ['user', 'assistant', 'tool', 'assistant'])
  await refused(t, client.responses.create({ model, input: [{ ...input[0], output: 'x'.repeat(1_000_001) } as OpenAI.Responses.ResponseInputItem.FunctionCallOutput] }), { status: 400, param: 'input.0.output' })
})

t.test('tools that cannot be had are refused in the form of OpenAI', async (t) => {
  const { service, token } = await withClient(t)
  const named = (name: unknown) => ({ type: 'function', function: { name } })
  for (const [more, param, told] of [
    [{ tools: 'x' }, 'tools', /list/], [{ tools: [{ type: 'web_search' }] }, 'tools.0.type', /functions of the client/], [{ tools: [{ type: 'custom', custom: { name: 'x' } }] }, 'tools.0.type', /functions/],
    [{ tools: [named('a b')] }, 'tools.0.function.name', /1 to 64/], [{ tools: [named('x'), named('x')] }, 'tools', /two of them/], [{ tools: [{ type: 'function', function: { name: 'x', parameters: { type: 'array' } } }] }, 'tools.0.function.parameters', /object/],
    [{ tools: Array.from({ length: 129 }, (_, index) => named(`t${index}`)) }, 'tools', /at most 128/], [{ tools: [named('x')], tool_choice: named('y') }, 'tool_choice', /none of the tools/], [{ tool_choice: 'required' }, 'tool_choice', /needs tools/],
    [{ functions: [{ name: 'x' }] }, 'functions', /use tools/], [{ tools: [named('x')], tool_choice: { type: 'custom' } }, 'tool_choice', /must be/]
  ] as const) {
    t.match(await service.post('/v1/chat/completions', { messages: [ask('x')], ...more }, { authorization: `Bearer ${token}` }), { status: 400, body: { error: { type: 'invalid_request_error', param, message: told } } }, JSON.stringify(more).slice(0, 80))
  }
})
