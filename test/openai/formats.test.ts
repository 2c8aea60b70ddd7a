import type OpenAI from 'openai'
import t from '#test'
import { said } from '../support/chat.js'
import { refused, withClient } from '../support/openai.js'

const schema = { type: 'object', properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 0 } }, required: ['name', 'age'], additionalProperties: false }
const format: OpenAI.ResponseFormatJSONSchema = { type: 'json_schema', json_schema: { name: 'person', schema, strict: true } }
const asText: OpenAI.Responses.ResponseFormatTextJSONSchemaConfig = { type: 'json_schema', name: 'person', schema, strict: true }
const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Who is it?' }]
const ada = '{"name":"Ada","age":36}'

t.test('an answer has the form that was asked for, which the model is told in words and by the request', async (t) => {
  const { service, client } = await withClient(t)
  const model = service.model([{ text: 'I look. ' }, { tool: 'list_files', args: { path: '.' } }], [{ text: '{"name":"Ada",' }, { text: '"age":36}' }], [{ text: ada }], [{ text: '{"any":["thing"]}' }])
  const first = await client.chat.completions.create({ model, messages, response_format: format })
  t.equal(first.choices[0]?.message.content, ada, 'nothing that was said on the way is in it')
  t.match(service.requests(model)[0]?.body, { response_format: { type: 'json_schema', json_schema: { name: 'person', schema, strict: true } } })
  t.match(JSON.stringify(service.requests(model)[0]?.messages.at(-1)), /nothing but a JSON object that fits this JSON Schema/)

  const stream = client.responses.stream({ model, input: 'Who?', text: { format: asText } })
  const texts: string[] = []
  for await (const event of stream) if (event.type === 'response.output_text.delta') texts.push(event.delta)
  t.same(texts, [ada])
  const response = await stream.finalResponse()
  t.match(response, { output: [{ content: [{ text: ada }] }], text: { format: asText } })
  t.match(await client.responses.retrieve(response.id), { output_text: ada, text: { format: asText } })

  t.equal((await client.chat.completions.create({ model, messages, response_format: { type: 'json_object' } })).choices[0]?.message.content, '{"any":["thing"]}')
  t.match(service.requests(model)[3]?.body, { response_format: { type: 'json_object' } })
})

t.test('an answer in another form is asked for once more, and then is none', async (t) => {
  const { service, client } = await withClient(t)
  const model = service.model([{ text: 'It is Ada.' }], [{ text: ada }], [{ text: '{"name":"Ada"}' }], [{ text: '{"name":"Ada","age":-1}' }], [{ text: '[1]' }], [{ text: '```json\n{}\n```' }])
  const stream = await client.chat.completions.create({ model, messages, response_format: format, stream: true })
  let text = ''
  for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
  t.equal(text, ada, 'the answer that did not fit is not heard')
  t.match(said(service.requests(model)[1], 'user').at(-1), /is not valid JSON\. Give it again/)
  await refused(t, client.chat.completions.create({ model, messages, response_format: format }), { status: 502, code: 'format_missed', type: 'server_error', message: /does not fit the schema at "age"/ })
  t.match(said(service.requests(model)[3], 'user').at(-1), /does not fit the schema: it must have required property 'age'/)
  const events: OpenAI.Responses.ResponseStreamEvent[] = []
  for await (const event of await client.responses.create({ model, input: 'Who?', text: { format: { type: 'json_object' } }, stream: true })) events.push(event)
  t.match(events.at(-1), { type: 'response.failed', response: { status: 'failed', error: { code: 'format_missed' } } })
  t.notOk(events.some(({ type }) => type === 'response.output_text.delta'))
})

t.test('formats that cannot be had are refused in the form of OpenAI, and a schema is never run as a pattern', async (t) => {
  const { service, client, token } = await withClient(t)
  for (const [given, param] of [
    [{ type: 'xml' }, 'response_format.type'], [{ type: 'json_schema', json_schema: { name: 'a b', schema: {} } }, 'response_format.json_schema.name'],
    [{ type: 'json_schema', json_schema: { name: 'x', schema: { type: 'array' } } }, 'response_format.json_schema.schema'], [{ type: 'json_schema' }, 'response_format.name'], ['json', 'response_format.type']
  ] as const) {
    t.match(await service.post('/v1/chat/completions', { messages, response_format: given }, { authorization: `Bearer ${token}` }), { status: 400, body: { error: { type: 'invalid_request_error', param } } }, JSON.stringify(given))
  }
  const model = service.model([{ text: JSON.stringify({ name: `${'a'.repeat(40)}!` }) }])
  const evil = { type: 'object', properties: { name: { type: 'string', pattern: '^(a+)+$' }, next: { $ref: 'https://example.org/schema' } } }
  t.type((await client.chat.completions.create({ model, messages, response_format: { type: 'json_schema', json_schema: { name: 'evil', schema: evil } } })).choices[0]?.message.content, 'string')
})
