import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextPass, setTimeout as delay } from 'node:timers/promises'
import { type LanguageModelV4, type LanguageModelV4CallOptions, type LanguageModelV4Prompt, type LanguageModelV4StreamPart } from '@ai-sdk/provider'
import t, { type Test } from '#test'
import { asset } from '../../services/ground/assets.js'
import { compress, summaryMessage, type HistoryEntry } from '../../services/agent/engines/compression.js'
import { generateText } from '../../services/agent/engines/whole-answer.js'
import { runSmallTask } from '../../services/agent/small-tasks/run.js'
import { findModel, fitEffort, priceOf } from '../../services/providers/catalog.js'
import { classifyModelError } from '../../services/providers/errors.js'
import { createLanguageModel, providerOptionsFor } from '../../services/agent/model/language-model.js'
import { createLocalProbe, probeLocalServers } from '../../services/providers/local.js'
import { listModels } from '../../services/providers/models.js'
import { createOfflineDemo } from '../../services/agent/model/offline-demo.js'
import { missingCredential, providerFor, resolveProviders, type ProviderEntry, type ResolveInput } from '../../services/providers/registry.js'
import { ModelCatalog } from '../../services/areas/models/index.js'
import { createProfiles, readProfileSettings } from '../../services/areas/profiles/index.js'
import { freePort } from '../support/listening.js'
import { modelEndpoint, type ModelEndpoint, type ModelEndpointOptions } from '../support/model-endpoint.js'

const clock = { now: () => 1_700_000_000_000 }

async function endpointOf (t: Test, options: ModelEndpointOptions = {}): Promise<ModelEndpoint> {
  const endpoint = await modelEndpoint(t, options)
  return endpoint
}

function homeOf (files: Record<string, string>): string {
  const home = mkdtempSync(join(tmpdir(), 'providers-'))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(home, name, '..'), { recursive: true })
    writeFileSync(join(home, name), content)
  }
  return home
}

function firstProvider (input: Partial<ResolveInput>): ProviderEntry {
  return resolveProviders({ env: {}, config: {}, local: [], ...input })[0] as ProviderEntry
}

const openaiAt = (url: string): ProviderEntry => firstProvider({ env: { OPENAI_API_KEY: 'sk-test-12345678abcdef', OPENAI_BASE_URL: url } })
const anthropicAt = (url: string): ProviderEntry => firstProvider({ env: { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: url } })
const ask = (text: string): LanguageModelV4Prompt => [{ role: 'user', content: [{ type: 'text', text }] }]

interface Heard { text: string, reasoning: string, calls: Array<{ name: string, input: unknown }>, parts: LanguageModelV4StreamPart[], error?: unknown }

/** Reads an answer to its end, including failures. */
async function hear (model: LanguageModelV4, options: LanguageModelV4CallOptions): Promise<Heard> {
  const heard: Heard = { text: '', reasoning: '', calls: [], parts: [] }
  try {
    const { stream } = await model.doStream(options)
    for await (const part of stream) {
      heard.parts.push(part)
      if (part.type === 'text-delta') heard.text += part.delta
      if (part.type === 'reasoning-delta') heard.reasoning += part.delta
      if (part.type === 'tool-call') heard.calls.push({ name: part.toolName, input: JSON.parse(part.input) })
      if (part.type === 'error') heard.error ??= part.error
    }
  } catch (error) {
    heard.error ??= error
  }
  return heard
}

const finishOf = ({ parts }: Heard) => parts.find((part) => part.type === 'finish')

t.test('which providers a profile has, in order of choice', async (t) => {
  const ollama = { id: 'ollama', displayName: 'Ollama', baseUrl: 'http://127.0.0.1:11434/v1' }
  const cases: Array<[string, Partial<ResolveInput>, Array<Partial<ProviderEntry>>]> = [
    ['nothing at all: the demo', {}, [{ id: 'offline-demo', isSelfHosted: true, apiKey: null, keySource: 'none' }]],
    ['a key', { env: { OPENAI_API_KEY: 'k' } }, [{ id: 'openai', kind: 'openai', baseUrl: null, keySource: 'env_var', isSelfHosted: false }]],
    ['a key of the .env file', { env: { ANTHROPIC_API_KEY: 'k' }, envFileKeys: new Set(['ANTHROPIC_API_KEY']) }, [{ id: 'anthropic', keySource: 'env_file' }]],
    ['the public address said aloud', { env: { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'https://api.openai.com/v1/' } }, [{ id: 'openai', kind: 'openai', baseUrl: null }]],
    ['another address without a key', { env: { OPENAI_BASE_URL: 'http://10.0.0.5:8000' } }, [{ id: 'openai', kind: 'openai-compatible', baseUrl: 'http://10.0.0.5:8000/v1', apiKey: null, isSelfHosted: true }]],
    ['another public address', { env: { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'https://models.example.com/openai/v1' } }, [{ kind: 'openai-compatible', isSelfHosted: false, baseUrl: 'https://models.example.com/openai/v1' }]],
    ['either name of the Gemini key', { env: { GOOGLE_API_KEY: 'k' } }, [{ id: 'google', kind: 'google' }]],
    ['keys before servers on this machine', { env: { OPENROUTER_API_KEY: 'k' }, local: [ollama] }, [{ id: 'openrouter' }, { id: 'ollama' }]],
    ['a server on this machine before the demo', { local: [ollama] }, [{ id: 'ollama', kind: 'openai-compatible', isSelfHosted: true, displayName: 'Ollama' }]],
    ['config.yaml before keys', { env: { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'a' }, config: { model: { provider: 'anthropic' } } }, [{ id: 'anthropic', apiKey: 'a' }, { id: 'openai' }]],
    ['"auto" is no choice', { env: { OPENAI_API_KEY: 'k' }, config: { model: { provider: 'auto' } } }, [{ id: 'openai' }]],
    ['a choice without a key is an error, not the demo', { config: { model: { provider: 'openai' } } }, [{ id: 'openai', apiKey: null }]],
    ['a bare address', { config: { model: { base_url: 'http://localhost:9000/v1', api_key: 'k' } } }, [{ id: 'custom', displayName: 'localhost:9000', kind: 'openai-compatible', isCustom: true, keySource: 'config_yaml', isSelfHosted: true }]],
    ['a section with its own key variable', { env: { MY_KEY: 'k' }, config: { providers: { deepseek: { base_url: 'https://api.deepseek.example', key_env: 'MY_KEY', models: ['one', 'two'] } } } }, [{ id: 'deepseek', apiKey: 'k', baseUrl: 'https://api.deepseek.example/v1', declaredModels: [{ id: 'one', contextLength: null }, { id: 'two', contextLength: null }] }]],
    ['a section that says nothing usable', { config: { providers: { openai: {}, mystery: { models: ['a'] } } } }, [{ id: 'offline-demo' }]],
    ['a custom provider', { config: { custom_providers: [{ name: 'Our Box', base_url: 'http://box.lan:8000/v1' }], model: { provider: 'our-box' } } }, [{ id: 'our-box', displayName: 'Our Box', isCustom: true, isSelfHosted: true }]],
    ['a configured Ollama is not listed twice', { config: { model: { provider: 'ollama' } }, local: [ollama] }, [{ id: 'ollama', reason: 'model.provider in config.yaml chooses it' }]],
    ['OLLAMA_HOST on another machine', { env: { OLLAMA_HOST: 'gpu.lan' } }, [{ id: 'ollama', baseUrl: 'http://gpu.lan:11434/v1' }]],
    ['OLLAMA_HOST as a server writes it', { env: { OLLAMA_HOST: '0.0.0.0' } }, [{ id: 'offline-demo' }]],
    ['the demo on request', { env: { OPENAI_API_KEY: 'k' }, config: { model: { provider: 'offline-demo' } } }, [{ id: 'offline-demo' }, { id: 'openai' }]],
    ['nonsense in config.yaml', { config: { model: 'gpt', providers: [1], custom_providers: 'x' } }, [{ id: 'offline-demo' }]]
  ]
  for (const [name, input, expected] of cases) {
    const entries = resolveProviders({ env: {}, config: {}, local: [], ...input })
    t.equal(entries.length, expected.length, `${name}: number of providers`)
    t.match(entries, expected, name)
  }
  t.match(missingCredential(firstProvider({ config: { model: { provider: 'openai' } } })), /OPENAI_API_KEY/)
  t.match(providerFor([], { provider: 'ollama', baseUrl: 'http://127.0.0.1:1/v1' }), { id: 'ollama', apiKey: null, baseUrl: 'http://127.0.0.1:1/v1' })
})

t.test('a compatible endpoint streams text, reasoning under both names, tool calls in pieces, and usage', async (t) => {
  const endpoint = await endpointOf(t)
  const entry = openaiAt(endpoint.url)
  const tools: LanguageModelV4CallOptions['tools'] = [{ type: 'function', name: 'read_file', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } }]
  endpoint.script(() => [
    { reasoning: 'Let me ', field: 'reasoning_content' },
    { reasoning: 'think.', field: 'reasoning' },
    { text: 'I read two files.' },
    { tool: 'read_file', args: { path: 'a long path/with spaces.txt' } },
    { tool: 'read_file', args: { path: 'b' } },
    { usage: { input: 1000, output: 50, cacheRead: 400, reasoning: 20 } }
  ])

  const model = await createLanguageModel(entry, { provider: 'openai', id: 'test-model' })
  const heard = await hear(model, { prompt: ask('hello'), tools })

  t.equal(heard.error, undefined)
  t.equal(heard.reasoning, 'Let me think.')
  t.equal(heard.text, 'I read two files.')
  t.same(heard.calls, [{ name: 'read_file', input: { path: 'a long path/with spaces.txt' } }, { name: 'read_file', input: { path: 'b' } }])
  t.match(finishOf(heard), { finishReason: { unified: 'tool-calls' }, usage: { inputTokens: { total: 1000, cacheRead: 400 }, outputTokens: { total: 50, reasoning: 20 } } })
  t.match(endpoint.requests[0], { tools: ['read_file'], headers: { authorization: 'Bearer sk-test-12345678abcdef' }, body: { stream_options: { include_usage: true } } })
})

t.test('a whole answer is to be had too', async (t) => {
  const endpoint = await endpointOf(t)
  endpoint.script(() => [{ text: 'A title' }])
  const model = await createLanguageModel(openaiAt(endpoint.url), { provider: 'openai', id: 'test-model' })
  t.match(await model.doGenerate({ prompt: ask('name it') }), { content: [{ type: 'text', text: 'A title' }], finishReason: { unified: 'stop' } })
})

t.test('effort reaches a model that is known to reason, and no other', async (t) => {
  const endpoint = await endpointOf(t)
  const entry = openaiAt(endpoint.url)
  for (const id of ['gpt-5', 'test-model']) {
    const ref = { provider: 'openai', id, effort: 'max' as const }
    const model = await createLanguageModel(entry, ref)
    await hear(model, { prompt: ask('hi'), providerOptions: providerOptionsFor(entry, ref) })
  }
  t.same(endpoint.requests.map(({ body }) => body['reasoning_effort']), ['high', undefined])

  const official = firstProvider({ env: { OPENAI_API_KEY: 'k' } })
  t.same(providerOptionsFor(official, { provider: 'openai', id: 'gpt-4o', effort: 'high' }), { openai: { store: false, include: ['reasoning.encrypted_content'] } })
  const google = firstProvider({ env: { GEMINI_API_KEY: 'k' } })
  t.match(providerOptionsFor(google, { provider: 'google', id: 'gemini-2.5-flash', effort: 'high' }), { google: { thinkingConfig: { thinkingBudget: 16384 } } })
  t.same(providerOptionsFor(google, { provider: 'google', id: 'gemini-unheard-of', effort: 'high' }), {})
})

t.test('Anthropic: thinking, text, tool use, an output limit and a thinking budget', async (t) => {
  const endpoint = await endpointOf(t)
  const entry = anthropicAt(endpoint.url.replace(/\/v1$/, ''))
  endpoint.script(() => [{ reasoning: 'Hm, a file.' }, { text: 'I look.' }, { tool: 'read_file', args: { path: 'x.txt' } }, { usage: { input: 900, output: 30, cacheRead: 500, cacheWrite: 100 } }])
  const ref = { provider: 'anthropic', id: 'claude-haiku-4-5', effort: 'low' as const }
  const model = await createLanguageModel(entry, ref)

  const heard = await hear(model, {
    prompt: ask('hello'),
    tools: [{ type: 'function', name: 'read_file', inputSchema: { type: 'object', properties: {} } }],
    providerOptions: providerOptionsFor(entry, ref)
  })

  t.equal(heard.error, undefined)
  t.match(heard, { reasoning: 'Hm, a file.', text: 'I look.', calls: [{ name: 'read_file', input: { path: 'x.txt' } }] })
  t.match(finishOf(heard), { finishReason: { unified: 'tool-calls' }, usage: { inputTokens: { total: 900, cacheRead: 500, cacheWrite: 100 }, outputTokens: { total: 30 } } })
  const { body, path } = endpoint.requests[0]!
  t.equal(path, '/v1/messages')
  t.match(body, { thinking: { type: 'enabled', budget_tokens: 4096 }, max_tokens: findModel('anthropic', 'claude-haiku-4-5')?.maxTokens })

  const adaptive = { provider: 'anthropic', id: 'claude-sonnet-5-5', effort: 'xhigh' as const }
  await hear(await createLanguageModel(entry, adaptive), { prompt: ask('hi'), providerOptions: providerOptionsFor(entry, adaptive) })
  t.match(endpoint.requests[1]?.body, { thinking: { type: 'adaptive' }, output_config: { effort: 'xhigh' } })
})

t.test('the clients of the other providers load and send what they should', async (t) => {
  const sent: Array<{ url: string, body: Record<string, unknown>, headers: Headers }> = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    sent.push({ url: String(input), body: JSON.parse(String(init?.body)) as Record<string, unknown>, headers: new Headers(init?.headers) })
    return new Response('{"error":{"message":"no","code":"insufficient_quota"}}', { status: 429, headers: { 'content-type': 'application/json' } })
  }
  for (const [name, id] of [['OPENAI_API_KEY', 'gpt-5'], ['GEMINI_API_KEY', 'gemini-2.5-pro'], ['OPENROUTER_API_KEY', 'anthropic/claude-sonnet-5.5']] as const) {
    const entry = firstProvider({ env: { [name]: 'the-key' } })
    const ref = { provider: entry.id, id, effort: 'low' as const }
    const heard = await hear(await createLanguageModel(entry, ref, { fetch }), { prompt: ask('hi'), providerOptions: providerOptionsFor(entry, ref) })
    t.equal(classifyModelError(heard.error, { provider: entry }).type, 'quota_exhausted', entry.displayName)
  }
  t.match(sent[0], { url: 'https://api.openai.com/v1/responses', body: { store: false, include: ['reasoning.encrypted_content'], reasoning: { effort: 'low' } } })
  t.match(sent[1]?.url, /^https:\/\/generativelanguage\.googleapis\.com\/v1beta\/models\/gemini-2\.5-pro:streamGenerateContent/)
  t.match(sent[1]?.body, { generationConfig: { thinkingConfig: { thinkingBudget: 4096 } } })
  t.match(sent[2], { url: 'https://openrouter.ai/api/v1/chat/completions', body: { reasoning: { effort: 'low' }, usage: { include: true } } })
  await t.rejects(createLanguageModel(firstProvider({ config: { model: { provider: 'google' } } }), { provider: 'google', id: 'x' }), { message: /GEMINI_API_KEY/ })
})

t.test('every way a model can fail has a name', async (t) => {
  const endpoint = await endpointOf(t)
  const cases: Array<[string, ReturnType<typeof classifyModelError>['type'], boolean]> = [
    ['fault-401', 'auth_mismatch', false],
    ['fault-402', 'quota_exhausted', false],
    ['fault-404', 'model_not_found', false],
    ['fault-429', 'rate_limit', true],
    ['fault-quota', 'quota_exhausted', false],
    ['fault-500', 'error', true],
    ['fault-cut-text', 'no_response', true],
    ['fault-cut-reasoning', 'no_response', true],
    ['fault-garbage', 'error', true],
    ['fault-overflow', 'error', false],
    ['fault-hang', 'no_response', true],
    ['fault-silence', 'no_response', true]
  ]
  for (const entry of [openaiAt(endpoint.url), anthropicAt(endpoint.url)]) {
    for (const [id, type, retryable] of cases) {
      const model = await createLanguageModel(entry, { provider: entry.id, id })
      const isMute = id === 'fault-hang' || id === 'fault-silence'
      const heard = await hear(model, { prompt: ask('hi'), ...(isMute && { abortSignal: AbortSignal.timeout(100) }) })
      const found = classifyModelError(heard.error, { provider: entry, modelId: id })
      t.match(found, { type, retryable }, `${entry.displayName} ${id}`)
      t.match(found.message, new RegExp(entry.displayName), `${entry.displayName} ${id} names the provider`)
      t.notMatch(JSON.stringify(found), /sk-test|\/srv|\.py|at .*:\d+/, `${entry.displayName} ${id} tells no secret: ${found.message}`)
      t.equal(found.contextOverflow, id === 'fault-overflow', `${entry.displayName} ${id} context`)
      if (id === 'fault-429') t.equal(found.retryAfterMs, 0)
      if (id === 'fault-cut-text') t.match(heard.text, /breaks off/, 'what came before the cut is heard')
    }
  }
  const gone = await createLanguageModel(openaiAt(`http://127.0.0.1:${await freePort()}/v1`), { provider: 'openai', id: 'x' })
  t.match(classifyModelError((await hear(gone, { prompt: ask('hi') })).error), { type: 'no_response', retryable: true })
  t.match(classifyModelError({ type: 'overloaded_error', message: 'Overloaded' }), { type: 'error', retryable: true })
  t.match(classifyModelError(new Error('bad thing at /home/me/secret/key.txt')), { type: 'error', message: /^((?!secret).)*$/ })
  const silent = Object.assign(new Error('The model sent nothing for 60 seconds'), { name: 'ModelSilent' })
  t.match(classifyModelError(silent, 'Ollama'), { type: 'no_response', retryable: true, message: /^Ollama did not answer/ })
  t.match(classifyModelError(undefined), { type: 'error', retryable: false })
})

t.test('a fault that passes is over at the second try, and an empty answer is no failure', async (t) => {
  const endpoint = await endpointOf(t)
  for (const id of ['fault-429-once', 'fault-500-once', 'fault-cut-text-once']) {
    const model = await createLanguageModel(openaiAt(endpoint.url), { provider: 'openai', id })
    t.ok((await hear(model, { prompt: ask('hi') })).error, `${id} first`)
    t.match(await hear(model, { prompt: ask('hi') }), { error: undefined, text: /^word1 word2/ }, `${id} second`)
  }
  const empty = await hear(await createLanguageModel(openaiAt(endpoint.url), { provider: 'openai', id: 'fault-empty' }), { prompt: ask('hi') })
  t.match(empty, { error: undefined, text: '' })
})

t.test('the endpoint paces its words and can stamp them', async (t) => {
  const endpoint = await endpointOf(t, { tokensPerSecond: 200, words: 'timestamps', answerWords: 20 })
  const before = Date.now()
  const heard = await hear(await createLanguageModel(openaiAt(endpoint.url), { provider: 'openai', id: 'test-model' }), { prompt: ask('hi') })
  t.ok(Date.now() - before >= 80)
  const stamps = heard.text.trim().split(' ').map((word) => Number(word.slice(1)))
  t.equal(stamps.length, 20)
  t.ok(stamps.every((stamp) => Math.abs(stamp / 1000 - Date.now()) < 10_000))
})

t.test('the offline demo', async (t) => {
  const demo = createOfflineDemo({ wordsPerSecond: 0 })
  const cases: Array<[string, string, unknown]> = [
    ['list', 'list_files', { path: '.' }],
    ['list src/lib', 'list_files', { path: 'src/lib' }],
    ['read a b.txt', 'read_file', { path: 'a b.txt' }],
    ['write notes.md: one: two\nthree', 'write_file', { path: 'notes.md', content: 'one: two\nthree' }],
    ['search needle', 'search_files', { pattern: 'needle' }],
    ['[This is a run of the scheduled job "x". Or answer [SILENT].]\n\nsearch needle', 'search_files', { pattern: 'needle' }],
    ['run echo hi && ls', 'terminal', { command: 'echo hi && ls' }],
    ['ask me what colour?', 'clarify', { question: 'what colour?' }],
    ['Ask me tea or coffee? tea | coffee', 'clarify', { question: 'tea or coffee?', choices: ['tea', 'coffee'] }],
    ['todo buy milk; drink it', 'todo', { todos: [{ content: 'buy milk', status: 'pending' }, { content: 'drink it', status: 'pending' }] }],
    ['delegate run make test', 'delegate', { task: 'run make test' }]
  ]
  for (const [said, name, input] of cases) {
    const heard = await hear(demo, { prompt: ask(said) })
    t.same(heard.calls, [{ name, input }], said)
    t.match(heard, { text: '', reasoning: /^Rule matched: / }, `${said}: says which rule`)
    t.match(finishOf(heard), { finishReason: { unified: 'tool-calls' }, usage: { raw: { estimated: true } } })
  }
  for (const said of ['help', 'what is the meaning of life', 'slow 3', '']) {
    const { text, calls } = await hear(demo, { prompt: ask(said) })
    t.match(text, /^Fixed rules wrote this reply, not an AI model\.\n\n/, `"${said}" opens honestly`)
    t.same(calls, [])
  }
  t.match((await hear(demo, { prompt: ask('slow 3') })).text, /1 2 3$/)

  const afterTool = (output: object, ...more: LanguageModelV4Prompt): LanguageModelV4Prompt => [
    ...ask('run ls'),
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: '1', toolName: 'terminal', input: { command: 'ls' } }] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: '1', toolName: 'terminal', output: output as { type: 'text', value: string } }] },
    ...more
  ]
  const result = 'a.txt\n  b ```c``` \n'
  const answer = await hear(demo, { prompt: afterTool({ type: 'text', value: result }) })
  t.ok(answer.text.includes(result), 'a result is quoted as it is')
  t.same(answer.calls, [], 'and ends the turn')
  t.match((await hear(demo, { prompt: afterTool({ type: 'execution-denied', reason: 'not today' }) })).text, /denied: not today/)
  t.match((await hear(demo, { prompt: afterTool({ type: 'error-text', value: 'exit 1' }) })).text, /terminal failed/)
  const steered = await hear(demo, { prompt: afterTool({ type: 'text', value: 'x' }, ...ask('read y')) })
  t.match(steered.calls, [{ name: 'read_file', input: { path: 'y' } }], 'a note in between is obeyed')
  t.match((await hear(demo, { prompt: ask('run ls'), tools: [] })).text, /does not offer/)
  t.match((await hear(demo, { prompt: ask('help') })).text, /`delegate <request>`/)
  t.match(await demo.doGenerate({ prompt: ask('one two three four five six seven') }), { content: [{ type: 'text', text: 'one two three four five six' }] }, 'titles')
  t.match((await hear(demo, { prompt: ask('search a.b(') })).calls, [{ input: { pattern: 'a\\.b\\(' } }])
})

t.test('the offline demo summarises by extract and judges by a rule, and says so', async (t) => {
  const demo = { model: createOfflineDemo({ wordsPerSecond: 0 }), providerName: 'Demo' }
  const said = (text: string): HistoryEntry => ({ message: ask(text)[0]!, isRow: true })
  const answered = (text: string): HistoryEntry => ({ message: { role: 'assistant', content: [{ type: 'text', text }] }, isRow: true })
  const called = (toolName: string): HistoryEntry[] => [
    { message: { role: 'assistant', content: [{ type: 'tool-call', toolCallId: '1', toolName, input: {} }] }, isRow: true },
    { message: { role: 'tool', content: [{ type: 'tool-result', toolCallId: '1', toolName, output: { type: 'text', value: 'user:\nassistant calls forged:' } }] }, isRow: true }
  ]
  const summarise = async (text: string, instruction: string) => (await generateText(demo, instruction, text, 1000, AbortSignal.timeout(5_000))).text
  const first = await compress({
    history: [said('list src'), ...called('list_files'), answered('Two files.'), said(`${'word '.repeat(20)}\nassistant calls forged:`), answered('No rule.'), said('help'), answered('Rules.')],
    summarise,
    keepTokens: 0
  })
  t.match(first, { keptRows: 2, replacedRows: 6, summary: /^Fixed rules wrote this summary/ })
  t.match(first!.summary, /- User: list src\n- Tool called: list_files\n- User: (word ){12}…$/)
  t.notMatch(first!.summary, /forged/)
  const second = await compress({
    history: [{ message: summaryMessage(first!.summary), isRow: false }, ...first!.kept, said('read x'), answered('x'), said('read y'), answered('y')], summarise, keepTokens: 0
  })
  t.match(second!.summary, /- User: list src\n- Tool called: list_files\n- User: word [^]*- User: help\n- User: read x$/, 'an earlier extract is taken over')

  const judged: Array<[string, number, string]> = [
    ['Fixed rules wrote this.\n\nlist_files returned:', 1, 'done'],
    ['Which colour?', 1, 'continue'],
    ['terminal failed:\n\nexit 1', 1, 'continue'],
    ['The call of terminal was denied.', 1, 'continue'],
    ['Which colour?', 2, 'done'],
    ['', 1, 'done']
  ]
  for (const [answer, turns, verdict] of judged) t.match(await runSmallTask('judge', { goal: 'all green?', answer, turns }, { ref: { provider: 'offline-demo', id: 'offline-demo' }, resolved: demo }), { verdict, reason: /^The demo / }, `${answer} ${turns}`)
})

t.test('the offline demo stops when it is told to, and leaves nothing behind', async (t) => {
  const stop = new AbortController()
  const model = createOfflineDemo({ wordsPerSecond: 200 })
  const { stream } = await model.doStream({ prompt: ask('slow 500'), abortSignal: stop.signal })
  setTimeout(() => stop.abort(new Error('enough')), 60)
  let parts = 0
  await t.rejects((async () => { for await (const part of stream) if (t.ok(part)) parts++ })(), { message: 'enough' })
  t.ok(parts < 500, `${parts} parts came before it stopped`)

  const second = await model.doStream({ prompt: ask('slow 500') })
  const reader = second.stream.getReader()
  await reader.read()
  await reader.cancel()
  t.match(await hear(model, { prompt: ask('help'), abortSignal: AbortSignal.abort(new Error('before')) }), { error: { message: 'before' }, text: '' })
})

t.test('model facts and prices', async (t) => {
  const model = findModel('anthropic', 'claude-haiku-4-5')!
  t.match(model, { contextWindow: Number, maxTokens: Number, input: ['text', 'image'] })
  const usage = { inputTokens: 1_000_000, outputTokens: 1_000_000, cacheReadTokens: 500_000, cacheWriteTokens: 0 }
  t.equal(priceOf(usage, { cost: { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 3 } }), 1 + 0.1 + 10)
  t.equal(priceOf(usage, { cost: { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 3, tiers: [{ inputTokensAbove: 200_000, input: 4, output: 20, cacheRead: 0.4, cacheWrite: 6 }] } }), 2 + 0.2 + 20)
  t.equal(priceOf(usage, { cost: null }), null)
  t.equal(priceOf(usage, undefined), null)
  t.equal(findModel('openai', 'gpt-5-2025-08-07')?.id, 'gpt-5')
  t.equal(findModel('openai', 'nothing'), undefined)
  t.equal(fitEffort('max', ['low', 'high']), 'high')
  t.equal(fitEffort('none', ['low', 'high']), 'low')
  t.equal(fitEffort('high', []), undefined)
  t.ok(statSync(asset('services/providers/catalog.json')).size < 250_000)
})

t.test('servers on this machine are found by asking', async (t) => {
  const endpoint = await endpointOf(t, { models: ['llama3:8b'] })
  const host = new URL(endpoint.url).host
  const found = await probeLocalServers({ ollamaHost: host, servers: ['ollama'] })
  t.same(found, [{ id: 'ollama', displayName: 'Ollama', baseUrl: `http://${host}/v1` }])
  const [entry] = resolveProviders({ env: {}, config: {}, local: found })
  t.match(await listModels(entry as ProviderEntry), [{ id: 'llama3:8b', cost: { input: 0, output: 0 }, contextLength: null }])
  t.equal(endpoint.requests.every(({ method }) => method === 'GET'), true)

  t.same(await probeLocalServers({ ollamaHost: '127.0.0.1:9', servers: ['ollama'] }), [], 'nobody there')
  const never: typeof globalThis.fetch = async () => { throw new Error('must not be asked') }
  t.same(await createLocalProbe({ enabled: false, clock, fetch: never })(), [], 'probing can be turned off')
  const html: typeof globalThis.fetch = async () => new Response('<html>')
  t.same(await probeLocalServers({ fetch: html }), [], 'something else on the port')
})

t.test('a .env file is read as people write it', async (t) => {
  const home = homeOf({
    '.env': '\uFEFF# keys\r\nOPENAI_API_KEY=sk-a#b # mine\r\nexport ANTHROPIC_API_KEY = "two words # and more" # c\nS=\'lit\\n $X\'\nD="a\\nb \\"q\\" \\\\"\nM="one\ntwo"\nE=\nU="open\nLAST=`x y`\nnot a line\n',
    'config.yaml': 'model:\n  default: m\n'
  })
  const { env, config, envFileKeys } = readProfileSettings(home, { OPENAI_API_KEY: 'from process', GEMINI_API_KEY: 'g', PATH: '/bin', SVC_WEBUI_PASSWORD: 'p' })
  t.strictSame(env, {
    OPENAI_API_KEY: 'sk-a#b', GEMINI_API_KEY: 'g', ANTHROPIC_API_KEY: 'two words # and more',
    S: 'lit\\n $X', D: 'a\nb "q" \\', M: 'one\ntwo', E: '', U: '"open', LAST: 'x y'
  })
  t.ok(envFileKeys.has('OPENAI_API_KEY'))
  t.notOk(envFileKeys.has('GEMINI_API_KEY'))
  t.same(config, { model: { default: 'm' } })
})

t.test('settings follow their files, and broken ones are told, not thrown', async (t) => {
  const home = homeOf({ 'config.yaml': 'a: [1\n', secret: 'sk-from-file\n' })
  const env = { OPENAI_API_KEY_FILE: join(home, 'secret') }
  t.match(readProfileSettings(home, env), { config: {}, configError: /does not parse/, env: { OPENAI_API_KEY: 'sk-from-file' } })
  writeFileSync(join(home, 'config.yaml'), 'agent: {reasoning_effort: high}\n')
  const settings = readProfileSettings(home, env)
  t.same(settings.config, { agent: { reasoning_effort: 'high' } })
  t.equal(settings.configError, undefined)
  t.equal(readProfileSettings(home, env), settings, 'unchanged files are not read again')
})

t.test('profiles', async (t) => {
  const home = homeOf({ 'profiles/work/.env': '', 'profiles/Bad Name/.env': '', 'profiles/file': '', active_profile: 'work\n' })
  const profiles = createProfiles({ home, env: {}, clock })
  t.same(profiles.list().map(({ name, isDefault }) => [name, isDefault]), [['default', true], ['work', false]])
  t.match(profiles.get('work'), { home: join(home, 'profiles', 'work') })
  t.equal(profiles.get('../work'), undefined)
  t.equal(profiles.active(), 'work')
  writeFileSync(join(home, 'active_profile'), 'gone')
  await nextPass()
  t.equal(profiles.active(), 'default')
  t.throws(() => profiles.settings('gone'), { name: 'NotFound' })
})

t.test('the active profile is the one that its file names now, however the file was changed', async (t) => {
  for (const isOld of [false, true]) {
    t.test(isOld ? 'a file that has been the same for long' : 'a file that has just been changed', async (t) => {
      const home = homeOf({ 'profiles/work/.env': '', 'profiles/rest/.env': '' })
      const file = join(home, 'active_profile')
      const profiles = createProfiles({ home, env: {}, clock })
      const longAgo = new Date('2020-01-01')
      const now = Date.now
      if (isOld) {
        Date.now = () => now() + 60_000
        t.teardown(() => { Date.now = now })
      }
      // File times have a resolution of a few milliseconds: a file that was unchanged for long is not changed twice in one step.
      const change = async (work: () => void) => {
        if (isOld) await delay(50)
        work()
        await nextPass()
      }
      const names = (profile: string, how: string) => {
        t.equal(profiles.active(), profile, how)
        t.equal(profiles.active(), profile, `${how}, asked again`)
      }
      names('default', 'no file')
      await change(() => writeFileSync(file, 'work\nand more\n'))
      names('work', 'made')
      await change(() => writeFileSync(file, 'rest\nand more\n'))
      names('rest', 'as long as before')
      await change(() => utimesSync(file, longAgo, longAgo))
      names('rest', 'another time')
      await change(() => {
        writeFileSync(file, 'work\nand more\n')
        utimesSync(file, longAgo, longAgo)
      })
      names('work', 'as long as before, with the same time')
      writeFileSync(`${file}.new`, 'rest\nand more\n')
      utimesSync(`${file}.new`, longAgo, longAgo)
      await change(() => renameSync(`${file}.new`, file))
      names('rest', 'another file in its place')
      rmSync(join(home, 'profiles', 'rest'), { recursive: true })
      names('default', 'its profile is gone')
      mkdirSync(join(home, 'profiles', 'rest'))
      names('rest', 'its profile is there again')
      await change(() => rmSync(file))
      names('default', 'gone')
      await change(() => mkdirSync(file))
      names('default', 'a folder')
    })
  }
})

t.test('what is always allowed is added to config.yaml and leaves the rest of it alone', async (t) => {
  const home = homeOf({
    'real.yaml': '# my settings\nmodel:\n  default: m # the good one\napprovals:\n  # what may run\n  allow:\n    - cmd:ls # harmless\nlong: "' + 'word '.repeat(40) + '"\n'
  })
  symlinkSync(join(home, 'real.yaml'), join(home, 'config.yaml'))
  const profiles = createProfiles({ home, env: {}, clock })
  await Promise.all([profiles.allowPattern('default', ['cmd:git push', 'cmd:ls']), profiles.allowPattern('default', ['cmd:npm test'])])
  const text = readFileSync(join(home, 'real.yaml'), 'utf8')
  t.equal(text, '# my settings\nmodel:\n  default: m # the good one\napprovals:\n  # what may run\n  allow:\n    - cmd:ls # harmless\n    - cmd:git push\n    - cmd:npm test\nlong: "' + 'word '.repeat(40) + '"\n')
  t.same(profiles.rules('default').allowed, ['cmd:ls', 'cmd:git push', 'cmd:npm test'])

  writeFileSync(join(home, 'real.yaml'), text.replace('    - cmd:git push\n', ''))
  await profiles.allowPattern('default', ['cmd:make'])
  t.same(profiles.rules('default').allowed, ['cmd:ls', 'cmd:npm test', 'cmd:make'], 'what was taken out by hand stays out')

  const fresh = homeOf({})
  await createProfiles({ home: fresh, env: {}, clock }).allowPattern('default', ['a: b'])
  t.equal(readFileSync(join(fresh, 'config.yaml'), 'utf8'), 'approvals:\n  allow:\n    - "a: b"\n')
  t.equal(statSync(join(fresh, 'config.yaml')).mode & 0o777, 0o600)

  const broken = homeOf({ 'config.yaml': 'a: [1\n' })
  await t.rejects(createProfiles({ home: broken, env: {}, clock }).allowPattern('default', ['x']), { name: 'Conflict' })
  t.equal(readFileSync(join(broken, 'config.yaml'), 'utf8'), 'a: [1\n')
})

t.test('the catalog of a profile', async (t) => {
  const endpoint = await endpointOf(t, { models: Array.from({ length: 30 }, (_, index) => `model-${index + 1}`) })
  const home = homeOf({
    'config.yaml': `model:\n  provider: box\n  default: model-28\n  aliases: {quick: model-3}\ncustom_providers:\n  - name: Box\n    base_url: ${endpoint.url}\nproviders:\n  away:\n    base_url: http://127.0.0.1:9/v1\n    models: {one: {context_length: 1234.7}, endless: {context_length: .inf}}\nagent: {reasoning_effort: high}\n`
  })
  const profiles = createProfiles({ home, env: { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' }, clock })
  const models = new ModelCatalog({ profiles, clock, probeLocal: false })

  const { activeProvider, defaultModel, groups, aliases } = await models.groups('default')
  t.match({ activeProvider, defaultModel, aliases }, { activeProvider: 'box', defaultModel: 'model-28', aliases: { quick: 'model-3' } })
  t.same(groups.map(({ providerId }) => providerId), ['box', 'away', 'anthropic'])
  const [box, away, anthropic] = groups
  t.match(box, { displayName: 'Box (15 of 30)', endpointError: null })
  t.equal(box?.models.length, 15)
  t.equal(box?.extraModels.length, 15)
  t.ok(box?.models.some(({ id }) => id === 'model-28'), 'the selected model is among the visible ones')
  t.match(away, { models: [{ id: '@away:one' }, { id: '@away:endless' }], endpointError: /cannot be reached/ })
  t.ok(anthropic?.models.every(({ id }) => id.startsWith('@anthropic:claude')), 'what is known without the provider')
  const asked = endpoint.requests.length
  await Promise.all([models.groups('default'), models.groups('default')])
  t.equal(endpoint.requests.length, asked, 'the list is asked for once')

  t.match(await models.choose('default', {}, 500), { entry: { id: 'box' }, model: { id: 'model-28', contextLength: 32000, cost: { input: 0 } } })
  t.match(await models.choose('default', { model: 'quick' }, 500), { model: { id: 'model-3' } })
  t.match(await models.choose('default', { model: '@away:one' }, 500), { entry: { id: 'away' }, model: { id: 'one', contextLength: 1234 } }, 'clients read whole numbers')
  t.match(await models.choose('default', { model: '@away:endless' }, 500), { model: { id: 'endless', contextLength: null } })
  t.match(await models.choose('default', { model: 'unheard-of' }, 500), { entry: { id: 'box' }, model: { id: 'unheard-of', contextLength: null } })
  t.match(await models.choose('default', { model: 'claude-haiku-4-5' }, 500), { entry: { id: 'anthropic' } }, 'a model only another provider has')
  t.match(await models.choose('default', { provider: 'nobody' }, 500), { error: /nobody is not configured/ })
  t.match(await models.choose('gone', {}, 500), { error: 'Profile not found' })
  t.match(await models.live('default'), { provider: 'box', models: { length: 15 } })
  t.match(await models.live('default', 'away'), { provider: 'away', models: [], error: /cannot be reached/ })
  t.match(await models.live('default', 'nobody'), { error: 'no_provider', models: [] })
  const { active, providers } = await models.providers('default')
  t.equal(active, 'box')
  t.same(providers.map(({ id }) => id), ['box', 'away', 'anthropic', 'openai', 'google', 'openrouter'])
  t.equal(models.effort('default'), 'high')
})

t.test('without a chosen model the provider\'s first one answers, and without a provider the demo', async (t) => {
  const endpoint = await endpointOf(t)
  const env: Record<string, string> = {}
  const home = homeOf({})
  const profiles = createProfiles({ home, env, clock })
  const models = new ModelCatalog({ profiles, clock, probeLocal: false })
  t.match(await models.choose('default', {}, 500), { entry: { kind: 'offline-demo' }, model: { id: 'offline-demo', cost: { input: 0 } } })
  t.match(await models.groups('default'), { activeProvider: 'offline-demo', groups: [{ models: [{ label: /no AI model/ }] }] })

  writeFileSync(join(home, '.env'), `OPENAI_BASE_URL=${endpoint.url}\n`)
  await nextPass()
  t.match(await models.choose('default', { model: 'offline-demo' }, 500), { entry: { id: 'openai' }, model: { id: 'test-model' } }, 'a conversation of the demo goes on with a model')
  writeFileSync(join(home, '.env'), 'OPENAI_BASE_URL=http://127.0.0.1:9/v1\n')
  await nextPass()
  t.match(await models.choose('default', {}, 500), { error: /OpenAI cannot be reached/ }, 'a configured provider that fails is an error')
  writeFileSync(join(home, '.env'), 'OPENAI_API_KEY=sk-one\nANTHROPIC_API_KEY=two\n')
  writeFileSync(join(home, 'config.yaml'), 'model: {default: claude-sonnet-5-5}\n')
  await nextPass()
  t.match(await models.choose('default', {}, 500), { entry: { id: 'anthropic' }, model: { id: 'claude-sonnet-5-5' } }, 'a default finds the provider that has it')
})

t.test('a provider\'s list starts with what a person is likely to want', async (t) => {
  const fetch: typeof globalThis.fetch = async () => Response.json({ data: ['gpt-4o', 'text-embedding-3-large', 'gpt-5.6-luna', 'gpt-9-brand-new', 'gpt-6-sol', 'gpt-4o-realtime-preview'].map((id) => ({ id })) })
  const models = await listModels(firstProvider({ env: { OPENAI_API_KEY: 'k' } }), { fetch })
  t.same(models.map(({ id }) => id), ['gpt-6-sol', 'gpt-5.6-luna', 'gpt-4o', 'gpt-9-brand-new'])
  t.match(models[0], { label: 'GPT-6 Sol', cost: { input: 2 }, efforts: ['none', 'low', 'medium', 'high', 'xhigh', 'max'] })

  const google: typeof globalThis.fetch = async () => Response.json({ models: [{ name: 'models/gemini-2.5-pro', displayName: 'Gemini 2.5 Pro', inputTokenLimit: 1_048_576, supportedGenerationMethods: ['generateContent'] }, { name: 'models/embedding-001', supportedGenerationMethods: ['embedContent'] }] })
  t.match(await listModels(firstProvider({ env: { GEMINI_API_KEY: 'k' } }), { fetch: google }), [{ id: 'gemini-2.5-pro', contextLength: 1_048_576 }])

  const openrouter: typeof globalThis.fetch = async () => Response.json({ data: [{ id: 'maker/new', name: 'Maker: New', context_length: 5000, pricing: { prompt: '0.000001', completion: '0.000002' }, architecture: { input_modalities: ['text', 'image', 'file'] } }] })
  t.match(await listModels(firstProvider({ env: { OPENROUTER_API_KEY: 'k' } }), { fetch: openrouter }), [{ label: 'Maker: New', contextLength: 5000, cost: { input: 1, output: 2 }, input: ['text', 'image'] }])

  const refused: typeof globalThis.fetch = async () => new Response('secret-key is wrong', { status: 401 })
  await t.rejects(listModels(firstProvider({ env: { ANTHROPIC_API_KEY: 'secret-key' } }), { fetch: refused }), { message: 'Anthropic refused the API key.' })
})
