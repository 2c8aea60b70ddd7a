import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import OpenAI from 'openai'
import t from '#test'
import { said, startChat } from '../support/chat.js'
import { elsewhere } from '../support/elsewhere.js'
import { temporaryFolder } from '../support/folder.js'
import { refused, withClient } from '../support/openai.js'

const samples: Record<string, unknown> = {
  messages: [{ role: 'user', content: 'x' }], input: 'x', instructions: 'Be kind.', stream: false, stream_options: { include_usage: true, include_obfuscation: false }, background: false, tools: [], tool_choice: 'auto', parallel_tool_calls: true, response_format: { type: 'text' }, text: { format: { type: 'text' }, verbosity: 'low' }, moderation: { model: 'x' }, image: { a: 1 }, background_options: { a: 1 }, access_programs: { a: 1 }, prompt_cache_options: { mode: 'explicit' },
  reasoning_effort: 'low', reasoning: { effort: 'low' }, metadata: { a: 'b' }, temperature: 0.5, top_p: 1, max_tokens: 10, max_completion_tokens: 10, max_output_tokens: 10, frequency_penalty: 0, presence_penalty: 0, seed: 1, verbosity: 'low', prediction: { type: 'content', content: 'x' }, store: false, user: 'u',
  safety_identifier: 's', prompt_cache_key: 'k', prompt_cache_retention: '24h', service_tier: 'auto', truncation: 'auto', include: ['reasoning.encrypted_content'], n: 2, stop: ['x'], logit_bias: { 50256: -100 }, logprobs: true, top_logprobs: 2, modalities: ['text', 'audio'], audio: { voice: 'x' }, functions: [{ name: 'x' }],
  function_call: { name: 'x' }, web_search_options: {}, conversation: 'conv_1', previous_response_id: 'x', max_tool_calls: 3, context_management: [{ type: 'compaction' }], prompt: { id: 'x' }
}
/** Returns what an interface's column of the table says about each parameter. */
function told (column: number): Array<[string, string]> {
  const table = /\| Parameter \|[^\n]*\n\|[-|]*\n([\s\S]*?)\n\n/.exec(readFileSync(resolve('docs/openai.md'), 'utf8'))?.[1] ?? ''
  return table.split('\n').map((row): [string, string] => {
    const cells = row.split('|').map((cell) => cell.trim())
    return [(cells[1] ?? '').replaceAll('`', ''), cells[column + 1] ?? '']
  })
}
/** Returns the parameters that the published client knows. */
function published (file: string, name: string): string[] {
  const text = readFileSync(resolve('node_modules/openai/resources', file), 'utf8')
  const body = text.slice(text.indexOf(`export interface ${name} {`))
  return [...body.slice(0, body.indexOf('\n}')).matchAll(/\n {4}(\w+)\??:/g)].map(([, found = '']) => found)
}

t.test('each parameter does what the documentation says, and none is passed over in silence', async (t) => {
  const { service, token } = await withClient(t)
  const interfaces = [
    { path: '/v1/chat/completions', column: 1, names: published('chat/completions/completions.d.ts', 'ChatCompletionCreateParamsBase'), least: { messages: samples['messages'] } },
    { path: '/v1/responses', column: 2, names: published('responses/responses.d.ts', 'ResponseCreateParamsBase'), least: { input: 'x' } }
  ]
  for (const { path, column, names, least } of interfaces) {
    const rows = told(column)
    const listed = rows.filter(([, what]) => what !== '').map(([name]) => name)
    t.same(names.filter((name) => !listed.includes(name)), [], 'all that the client knows are in the table')
    const model = service.model(...rows.map(() => [{ text: 'Fine.' }]))
    for (const [name, what] of rows) {
      if (['model', 'previous_response_id'].includes(name) && what === 'used') continue
      const { status, body } = await service.post(path, { model, ...least, [name]: samples[name] }, { authorization: `Bearer ${token}` })
      const label = `${path} ${name}: ${what === '' ? 'unknown' : what}`
      if (what === 'used' || what === 'accepted') t.equal(status, 200, label)
      else t.match({ status, body }, { status: 400, body: { error: { type: 'invalid_request_error', param: name, code: what === 'refused' ? 'unsupported_parameter' : 'unknown_parameter' } } }, label)
    }
    t.match(await service.post(path, { model, ...least, num_ctx: 4096 }, { authorization: `Bearer ${token}` }), { status: 400, body: { error: { message: "Unknown parameter: 'num_ctx'.", param: 'num_ctx', code: 'unknown_parameter' } } })
    t.equal((await service.post(path, { model, ...least, stop: path.endsWith('completions') ? null : undefined, temperature: null }, { authorization: `Bearer ${token}` })).status, 200, 'null is nothing')
  }
})

t.test('what asks the model to think goes to it', async (t) => {
  const { service, client } = await withClient(t)
  await client.chat.completions.create({ model: '@openai:gpt-5', messages: [{ role: 'user', content: 'x' }], reasoning_effort: 'high' })
  t.match(service.endpoint.requests.find(({ model, stream }) => model === 'gpt-5' && stream)?.body, { reasoning_effort: 'high' })
})

t.test('models are listed with what is known of them, as clients read it', async (t) => {
  const { client } = await withClient(t)
  const { data } = await client.models.list()
  for (const model of data) t.match(model, { id: String, object: 'model', created: 0, owned_by: String, supported_parameters: ['tools'] })
  t.match(data[0], { id: 'agent', name: 'Agent' })
})

t.test('values that would change the answer and have no effect are refused, by the name of the parameter', async (t) => {
  const { service, token } = await withClient(t)
  const model = service.model()
  const asked = { completions: ['/v1/chat/completions', { messages: samples['messages'] }], responses: ['/v1/responses', { input: 'x' }] } as const
  const wrong: ReadonlyArray<readonly [keyof typeof asked, object, string]> = [
    ['completions', { temperature: 2.5 }, 'temperature'], ['completions', { temperature: 'hot' }, 'temperature'], ['completions', { top_p: -1 }, 'top_p'], ['completions', { presence_penalty: 3 }, 'presence_penalty'], ['completions', { seed: 1.5 }, 'seed'],
    ['completions', { max_tokens: 0 }, 'max_tokens'], ['completions', { max_completion_tokens: 1.5 }, 'max_completion_tokens'], ['completions', { verbosity: 'loud' }, 'verbosity'], ['completions', { service_tier: 'flex' }, 'service_tier'], ['completions', { reasoning_effort: 'much' }, 'reasoning_effort'],
    ['completions', { stream_options: { include_obfuscation: true } }, 'stream_options'], ['completions', { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==', detail: 'low' } }] }] }, 'messages.0.content.0.detail'],
    ['responses', { truncation: 'disabled' }, 'truncation'], ['responses', { service_tier: 'priority' }, 'service_tier'], ['responses', { reasoning: { summary: 'detailed' } }, 'reasoning.summary'], ['responses', { reasoning: { effort: 'much' } }, 'reasoning.effort'],
    ['responses', { text: { verbosity: 'loud' } }, 'text.verbosity'], ['responses', { text: { tone: 'kind' } }, 'text'], ['responses', { max_output_tokens: 0 }, 'max_output_tokens'], ['responses', { include: ['message.output_text.logprobs'] }, 'include'], ['responses', { store: false, background: true }, 'store']
  ]
  for (const [kind, body, param] of wrong) {
    const [path, least] = asked[kind]
    t.match(await service.post(path, { model, ...least, ...body }, { authorization: `Bearer ${token}` }), { status: 400, body: { error: { type: 'invalid_request_error', param } } }, JSON.stringify(body))
  }
  t.same(service.requests(model), [], 'no model was asked')
})

t.test('sampling goes to the model with each call', async (t) => {
  const { service, client } = await withClient(t)
  const model = service.model([{ tool: 'list_files', args: { path: '.' } }], [{ text: 'Fine.' }], [{ text: 'Good.' }])
  await client.chat.completions.create({ model, messages: [{ role: 'user', content: 'x' }], temperature: 0.2, top_p: 0.5, frequency_penalty: 1, presence_penalty: -1, seed: 7 })
  for (const { body } of service.requests(model)) t.match(body, { temperature: 0.2, top_p: 0.5, frequency_penalty: 1, presence_penalty: -1, seed: 7 })
  t.equal(service.requests(model).length, 2)
  const response = await client.responses.create({ model, input: 'x', temperature: 0, top_p: 1, max_output_tokens: 50, truncation: 'auto' })
  t.match(service.requests(model)[2]?.body, { temperature: 0, top_p: 1, max_tokens: 50 })
  t.match(response, { truncation: 'auto', store: true })
})

t.test('a model whose provider does not take an option refuses it, unless the value changes nothing', async (t) => {
  const first = await startChat(t)
  const service = await first.again(t, temporaryFolder(t, 'sampling'), { env: { ANTHROPIC_BASE_URL: elsewhere(first.endpoint.url).replace('/v1', ''), ANTHROPIC_API_KEY: 'test-key-67890' } })
  const client = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: 'none', maxRetries: 0 })
  const ask = { model: '@anthropic:claude-sonnet-5-5', messages: [{ role: 'user' as const, content: 'x' }] }
  await refused(t, client.chat.completions.create({ ...ask, seed: 1 }), { status: 400, code: 'unsupported', message: /does not take this value of seed/ })
  t.match(await client.chat.completions.create({ ...ask, presence_penalty: 0 }), { object: 'chat.completion' })
})

t.test('a limit of tokens holds for all calls of the model together', async (t) => {
  const { service, client } = await withClient(t)
  const look = { tool: 'list_files', args: { path: '.' } }
  const used = (output: number) => ({ usage: { input: 10, output } })
  const model = service.model([look, used(30)], [{ text: 'Fine.' }, used(5)], [{ text: 'I look.' }, look, used(40)], [{ text: 'Not asked for.' }])
  const whole = await client.chat.completions.create({ model, messages: [{ role: 'user', content: 'x' }], max_tokens: 200, max_completion_tokens: 100 })
  t.same(service.requests(model).map(({ body }) => body['max_tokens']), [100, 70])
  t.match(whole, { choices: [{ finish_reason: 'stop', message: { content: 'Fine.' } }] })
  const cut = await client.responses.create({ model, input: 'x', max_output_tokens: 40 })
  t.match(cut, { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, usage: { output_tokens: 40 } })
  t.equal(service.requests(model).length, 3, 'no call is made with what is not granted')
})

t.test('verbosity is told to the model in words', async (t) => {
  const { service, client } = await withClient(t)
  const model = service.model([{ text: 'Yes.' }], [{ text: 'Yes, indeed.' }], [{ text: 'Yes.' }])
  await client.chat.completions.create({ model, messages: [{ role: 'user', content: 'Is it?' }], verbosity: 'low' })
  await client.responses.create({ model, input: 'Is it?', instructions: 'In verse.', text: { verbosity: 'high' } })
  await client.responses.create({ model, input: 'Is it?', text: { verbosity: 'medium' } })
  const [low = '', high = '', medium = ''] = service.requests(model).map((request) => said(request, 'user').at(-1))
  t.match(low, /Answer briefly\.\n\nThe message:\nIs it\?/)
  t.match(high, /In verse\.\n\nAnswer at length and in detail\./)
  t.notMatch(medium, /Answer/)
})

t.test('null counts as left out, also inside of a parameter', async (t) => {
  const { service, client } = await withClient(t)
  const model = service.model([{ text: 'One.' }], [{ text: 'Two.' }])
  t.match(await client.responses.create({ model, input: 'x', reasoning: { effort: null, summary: null }, text: { verbosity: null }, temperature: null, store: null }), { output_text: 'One.', store: true })
  t.match(await client.chat.completions.create({ model, messages: [{ role: 'user', content: 'x' }], verbosity: null, reasoning_effort: null, stop: null }), { choices: [{ message: { content: 'Two.' } }] })
})
