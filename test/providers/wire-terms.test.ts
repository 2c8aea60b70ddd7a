import t from '#test'
import { createLanguageModel, providerOptionsFor } from '../../services/agent/model/language-model.js'
import { streamStep, type StepRequest } from '../../services/agent/engines/model-step.js'
import { catalogModels, fitEffort, priceOf, type Effort } from '../../services/providers/catalog.js'
import { describeModel } from '../../services/providers/models.js'
import { resolveProviders, type ProviderEntry } from '../../services/providers/registry.js'
import { type ModelRef, type StepUsage } from '../../services/agent/protocol.js'
import { modelEndpoint } from '../support/model-endpoint.js'

const efforts: Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']
const providerOf = (env: Record<string, string>): ProviderEntry => resolveProviders({ env, config: {}, local: [] })[0] as ProviderEntry

/** Streams one answer through the provider's own client. */
async function step (entry: ProviderEntry, ref: ModelRef, fetch?: typeof globalThis.fetch): Promise<StepUsage> {
  const request: Omit<StepRequest, 'model'> = {
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }], tools: [], mayCallTools: true, providerOptions: providerOptionsFor(entry, ref), signal: new AbortController().signal,
    firstChunkMs: 60_000, nextChunkMs: 60_000, turnRoom: 1_000_000, onSign () {}, onWasted () {}, onText () {}, onReasoning () {}, drained: () => undefined
  }
  return (await streamStep({ ...request, model: await createLanguageModel(entry, ref, { fetch }) })).usage
}

interface Sent { reasoning?: { effort?: string }, reasoning_effort?: string, max_tokens?: number, thinking?: { type: string, budget_tokens?: number }, output_config?: { effort?: string }, generationConfig?: { thinkingConfig?: { thinkingBudget?: number, thinkingLevel?: string, includeThoughts?: boolean } } }

/** Returns the request for a model at each effort, by effort. */
async function sentBy (entry: ProviderEntry, id: string, wanted: readonly Effort[] = efforts): Promise<Array<[Effort, Sent]>> {
  const sent: Array<[Effort, Sent]> = []
  for (const effort of wanted) {
    const fetch: typeof globalThis.fetch = async (_url, init) => {
      sent.push([effort, JSON.parse(String(init?.body)) as Sent])
      return new Response('{"error":{"message":"no"}}', { status: 401, headers: { 'content-type': 'application/json' } })
    }
    await step(entry, { provider: entry.id, id, effort }, fetch).catch(() => {})
  }
  return sent
}

const kinds: Array<{ entry: ProviderEntry, catalog: string, told: (sent: Sent) => string | undefined }> = [
  { entry: providerOf({ OPENAI_API_KEY: 'k' }), catalog: 'openai', told: ({ reasoning }) => reasoning?.effort },
  { entry: providerOf({ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'https://models.example.org/v1' }), catalog: 'openai', told: ({ reasoning_effort: effort }) => effort },
  { entry: providerOf({ OPENROUTER_API_KEY: 'k' }), catalog: 'openrouter', told: ({ reasoning }) => reasoning?.effort }
]

for (const { entry, catalog, told } of kinds) {
  t.test(`${entry.kind}: the effort is sent in the provider's own field, lowered to what the model takes`, async (t) => {
    const models = catalogModels(catalog)
    // One model for each set of levels is enough.
    const each = [...new Map(models.map((model) => [model.efforts.join(), model])).values()]
    for (const { id, efforts: taken } of each) {
      const sent = await sentBy(entry, id)
      t.same(sent.map(([, body]) => told(body)), efforts.map((effort) => fitEffort(effort, taken)), `${id}: ${taken.join(' ')}`)
    }
    const [, unknown] = (await sentBy(entry, 'unheard-of', ['high']))[0]!
    t.equal(told(unknown), undefined, 'a model that nobody knows gets none')
  })
}

t.test('anthropic: an effort is a budget that leaves room for an answer, or a level; none switches thinking off', async (t) => {
  const entry = providerOf({ ANTHROPIC_API_KEY: 'k' })
  for (const { id, efforts: taken, adaptiveThinking, maxTokens } of catalogModels('anthropic')) {
    for (const [effort, { thinking, max_tokens: most, output_config: output }] of await sentBy(entry, id)) {
      const fit = fitEffort(effort, taken)
      const what = `${id} at ${effort}`
      t.ok(most! <= maxTokens, `${what}: no more than the model gives`)
      if (fit === undefined) t.equal(thinking, undefined, what)
      else if (fit === 'none') t.same(thinking, { type: 'disabled' }, what)
      else if (adaptiveThinking) t.match({ thinking, output }, { thinking: { type: 'adaptive' }, output: { effort: fit === 'minimal' ? 'low' : fit } }, what)
      else t.ok(thinking?.type === 'enabled' && thinking.budget_tokens! >= 1_024 && thinking.budget_tokens! <= most! / 2, what)
    }
  }
})

t.test('google: an effort is a budget for the models that take one, a level for the others; none is the least there is', async (t) => {
  const entry = providerOf({ GEMINI_API_KEY: 'k' })
  const budgets: Record<string, Array<number | undefined>> = {
    'gemini-2.5-flash': [0, 1_024, 4_096, 8_192, 16_384, 16_384, 16_384],
    'gemini-2.5-flash-lite': [0, 1_024, 4_096, 8_192, 16_384, 16_384, 16_384],
    'gemini-2.5-pro': [128, 1_024, 4_096, 8_192, 16_384, 16_384, 16_384]
  }
  for (const [id, expected] of Object.entries(budgets)) {
    const sent = await sentBy(entry, id)
    t.same(sent.map(([, body]) => body.generationConfig?.thinkingConfig?.thinkingBudget), expected, id)
    t.same(sent.map(([, body]) => body.generationConfig?.thinkingConfig?.includeThoughts === true), efforts.map((effort) => effort !== 'none'))
  }
  for (const { id, efforts: taken } of catalogModels('google').filter(({ id }) => !id.includes('2.5'))) {
    for (const [effort, { generationConfig }] of await sentBy(entry, id)) {
      const fit = fitEffort(effort, taken)
      t.equal(generationConfig?.thinkingConfig?.thinkingLevel, fit === 'none' ? 'minimal' : fit, `${id} at ${effort}`)
    }
  }
})

const events = (...payloads: unknown[]) => async (): Promise<Response> => new Response(payloads.map((payload) => `data: ${JSON.stringify(payload)}\n\n`).join(''), { headers: { 'content-type': 'text/event-stream' } })

const answers: Array<{ env: Record<string, string>, id: string, fetch: () => Promise<Response>, cacheWrite: number, cost: number }> = [
  {
    env: { OPENAI_API_KEY: 'k' },
    id: 'gpt-6-sol',
    fetch: events(
      { type: 'response.created', response: { id: 'r', created_at: 1, model: 'gpt-6-sol' } },
      { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'm' } },
      { type: 'response.output_text.delta', item_id: 'm', delta: 'Hi' },
      { type: 'response.output_item.done', output_index: 0, item: { type: 'message', id: 'm' } },
      { type: 'response.completed', response: { usage: { input_tokens: 300_000, input_tokens_details: { cached_tokens: 100_000 }, output_tokens: 1_000, output_tokens_details: { reasoning_tokens: 400 } } } }
    ),
    cacheWrite: 0,
    cost: (200_000 * 4 + 100_000 * 0.4 + 1_000 * 15) / 1e6
  },
  {
    env: { ANTHROPIC_API_KEY: 'k' },
    id: 'claude-haiku-5-5',
    fetch: events(
      { type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', model: 'claude-haiku-5-5', content: [], stop_reason: null, usage: { input_tokens: 150_000, output_tokens: 1, cache_read_input_tokens: 100_000, cache_creation_input_tokens: 50_000 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1_000 } },
      { type: 'message_stop' }
    ),
    cacheWrite: 50_000,
    cost: (150_000 * 0.5 + 100_000 * 0.05 + 50_000 * 0.625 + 1_000 * 2.5) / 1e6
  },
  {
    env: { GEMINI_API_KEY: 'k' },
    id: 'gemini-2.5-pro',
    fetch: events({
      candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 300_000, cachedContentTokenCount: 100_000, candidatesTokenCount: 600, thoughtsTokenCount: 400, totalTokenCount: 301_000 }
    }),
    cacheWrite: 0,
    cost: (200_000 * 2.5 + 100_000 * 0.25 + 1_000 * 15) / 1e6
  },
  {
    env: { OPENROUTER_API_KEY: 'k' },
    id: 'anthropic/claude-sonnet-5.5',
    fetch: events(
      { id: 'o', object: 'chat.completion.chunk', created: 1, model: 'anthropic/claude-sonnet-5.5', choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }] },
      { id: 'o', object: 'chat.completion.chunk', created: 1, model: 'anthropic/claude-sonnet-5.5', choices: [], usage: { prompt_tokens: 300_000, completion_tokens: 1_000, total_tokens: 301_000, prompt_tokens_details: { cached_tokens: 100_000, cache_write_tokens: 50_000 } } }
    ),
    cacheWrite: 50_000,
    cost: (150_000 * 2 + 100_000 * 0.1 + 50_000 * 2.5 + 1_000 * 10) / 1e6
  }
]

for (const { env, id, fetch, cacheWrite, cost } of answers) {
  const entry = providerOf(env)
  t.test(`${entry.kind}: reads and writes of the cache are counted apart, at the price of a prompt of this length`, async (t) => {
    const usage = await step(entry, { provider: entry.id, id }, fetch)
    t.same(usage, { inputTokens: 300_000, outputTokens: 1_000, cacheReadTokens: 100_000, cacheWriteTokens: cacheWrite, estimated: false })
    t.equal(priceOf(usage, describeModel(entry, id))?.toFixed(9), cost.toFixed(9))
  })
}

t.test('a compatible endpoint counts its cache too; it costs nothing here, and nobody knows what elsewhere', async (t) => {
  const endpoint = await modelEndpoint(t)
  endpoint.script(() => [{ text: 'Hi' }, { usage: { input: 1_000, output: 10, cacheRead: 400 } }])
  const here = providerOf({ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: endpoint.url })
  const usage = await step(here, { provider: 'openai', id: 'gpt-5' })
  t.same(usage, { inputTokens: 1_000, outputTokens: 10, cacheReadTokens: 400, cacheWriteTokens: 0, estimated: false })
  t.equal(priceOf(usage, describeModel(here, 'gpt-5')), 0)
  t.equal(priceOf(usage, describeModel(providerOf({ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'https://models.example.org/v1' }), 'gpt-5')), null)
  t.equal(priceOf(usage, describeModel(providerOf({ ANTHROPIC_API_KEY: 'k' }), 'claude-unheard-of')), null)
})
