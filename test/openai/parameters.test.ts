import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import t from '#test'
import { withClient } from '../support/openai.js'

const samples: Record<string, unknown> = {
  messages: [{ role: 'user', content: 'x' }], input: 'x', instructions: 'Be kind.', stream: false, stream_options: { include_usage: true }, background: false, tools: [], tool_choice: 'auto', parallel_tool_calls: true, response_format: { type: 'text' }, text: { format: { type: 'text' }, verbosity: 'low' },
  reasoning_effort: 'low', reasoning: { effort: 'low', summary: 'auto' }, metadata: { a: 'b' }, temperature: 0.5, top_p: 1, max_tokens: 10, max_completion_tokens: 10, max_output_tokens: 10, frequency_penalty: 0, presence_penalty: 0, seed: 1, verbosity: 'low', prediction: { type: 'content', content: 'x' }, store: false, user: 'u',
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
