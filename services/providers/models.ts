import { fieldsOf } from '../ground/fields.js'
import { wholeTo } from '../ground/text/whole-characters.js'
import { ownModel } from './agents.js'
import { catalogModelOf, catalogModels, defaultModel, findModel, type CatalogModel, type Cost } from './catalog.js'
import { leadsElsewhere, withoutSecrets } from './errors.js'
import { guardedFetch } from './guarded-fetch.js'
import { limitedFetch } from './limited-fetch.js'
import { AnswerTooLarge, responseLimits } from './limits.js'
import { missingCredential, tokenCount, type ProviderEntry } from './registry.js'

export interface ModelInfo {
  id: string
  label: string
  /** Tokens; null: unknown. */
  contextLength: number | null
  maxOutputTokens: number | null
  /** null: unknown. All rates 0: free, because it is self-hosted. */
  cost: Cost | null
  efforts: string[]
  /** What can be sent to it; only text if that is unknown. */
  input: Array<'text' | 'image'>
  /** Whether it sees images; null: unknown. */
  sees: boolean | null
  /** Whether it can think before it answers; null: unknown. */
  thinks: boolean | null
}

/** Facts from the provider's own list. The snapshot completes them. */
type LiveModel = Pick<ModelInfo, 'id'> & Partial<Omit<ModelInfo, 'id'>>

/** The largest catalogues have some hundred. */
const mostModels = 5_000
/** A longer id is invalid: no person could choose it. */
const longestId = 300
const longestLabel = 200

const freeOfCharge: Cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

/** Returns a model's facts without a request: from config.yaml, then from the snapshot, otherwise just its name. */
export function describeModel (entry: ProviderEntry, modelId: string, live: Partial<ModelInfo> = {}): ModelInfo {
  if (entry.kind === 'acp') return describeAgentModel(entry, modelId)
  const known = catalogModelOf(entry, modelId)
  const declared = entry.declaredModels?.find(({ id }) => id === modelId)
  // The operator of a compatible endpoint sets its own prices.
  const listPrice = entry.kind === 'openai-compatible' || known === undefined || isUnpriced(entry, known) ? null : known.cost
  const input = live.input ?? known?.input
  const efforts = known?.efforts ?? live.efforts
  return {
    id: modelId,
    label: (live.label === undefined ? undefined : wholeTo(live.label, longestLabel)) ?? known?.name ??
      (entry.kind === 'offline-demo' ? entry.displayName : modelId),
    contextLength: declared?.contextLength ?? live.contextLength ?? known?.contextWindow ?? null,
    maxOutputTokens: live.maxOutputTokens ?? known?.maxTokens ?? null,
    cost: entry.isSelfHosted ? freeOfCharge : live.cost ?? listPrice,
    efforts: efforts ?? [],
    input: input ?? ['text'],
    sees: input === undefined ? null : input.includes('image'),
    thinks: efforts === undefined ? live.thinks ?? null : efforts.length > 0
  }
}

/** Whether a model routes requests to other models: it then costs what those cost, and the snapshot's price of 0 means nothing. */
function isUnpriced ({ kind }: ProviderEntry, { id, cost }: Pick<CatalogModel, 'id' | 'cost'>): boolean {
  return kind === 'openrouter' && cost.input === 0 && cost.output === 0 && !/[:/]free$/.test(id)
}

/** Describes an agent's model. Only the agent knows its cost and context window. */
function describeAgentModel ({ agent, displayName }: ProviderEntry, id: string): ModelInfo {
  const label = agent?.models.find((model) => model.id === id)?.label ?? (id === ownModel ? displayName : id)
  const efforts = agent?.efforts ?? []
  const sees = agent?.seesImages ?? null
  return {
    id, label, contextLength: null, maxOutputTokens: null, cost: null, efforts, input: sees === true ? ['text', 'image'] : ['text'], sees,
    thinks: efforts.length > 0 ? true : null
  }
}

/** Returns the models that can be offered without asking the provider. */
export function staticModels (entry: ProviderEntry): ModelInfo[] {
  if (entry.kind === 'offline-demo') return [describeModel(entry, 'offline-demo')]
  if (entry.kind === 'acp') return (entry.agent?.models ?? []).map(({ id }) => describeModel(entry, id))
  const known = entry.kind === 'openai-compatible' ? [] : inOrder(entry, catalogModels(entry.kind).map(({ id }) => id))
  return [...new Set([...(entry.declaredModels ?? []).map(({ id }) => id), ...known])].map((id) => describeModel(entry, id))
}

/** Asks the provider for its models, the best default first. Throws an Error whose message can be shown: no key, no address, no stack. */
export async function listModels (entry: ProviderEntry, { signal, fetch = guardedFetch }: {
  signal?: AbortSignal
  fetch?: typeof globalThis.fetch
} = {}): Promise<ModelInfo[]> {
  if (entry.kind === 'offline-demo' || entry.kind === 'acp') return staticModels(entry)
  const problem = missingCredential(entry)
  if (problem !== null) throw new Error(problem)
  const live = await fetchList(entry, async (url, headers = {}) => await getJson(entry, url, headers, fetch, signal))
  const byId = new Map(live.filter(({ id }) => id !== '' && id.length <= longestId).map((model) => [model.id, model]))
  return inOrder(entry, [...byId.keys()]).map((id) => describeModel(entry, id, byId.get(id)))
}

type Get = (url: string, headers?: Record<string, string>) => Promise<unknown>

async function fetchList (entry: ProviderEntry, get: Get): Promise<LiveModel[]> {
  const base = entry.baseUrl
  const bearer: Record<string, string> = entry.apiKey === null ? {} : { authorization: `Bearer ${entry.apiKey}` }
  switch (entry.kind) {
    case 'anthropic': return fromAnthropic(await get(`${base ?? 'https://api.anthropic.com/v1'}/models?limit=1000`, {
      'anthropic-version': '2023-06-01', ...(entry.apiKey !== null && { 'x-api-key': entry.apiKey })
    }))
    case 'google': return fromGoogle(await get(`${base ?? 'https://generativelanguage.googleapis.com/v1beta'}/models?pageSize=1000`, {
      ...(entry.apiKey !== null && { 'x-goog-api-key': entry.apiKey })
    }))
    case 'openrouter': return fromOpenAI(await get(`${base ?? 'https://openrouter.ai/api/v1'}/models`, bearer))
    case 'openai': return fromOpenAI(await get('https://api.openai.com/v1/models', bearer)).filter(({ id }) => isChatModel(id))
    default:
      if (entry.id === 'ollama') return fromOllama(await get(`${(base ?? '').replace(/\/v1$/, '')}/api/tags`, bearer))
      if (entry.id === 'lmstudio') return await fromLmStudio(base ?? '', get, bearer)
      return fromOpenAI(await get(`${base ?? ''}/models`, bearer))
  }
}

/** Thrown if a provider refused its key. */
export class KeyRefused extends Error {}

async function getJson (
  entry: ProviderEntry, url: string, headers: Record<string, string>, fetch: typeof globalThis.fetch, signal: AbortSignal | undefined
): Promise<unknown> {
  const isLate = (): boolean => signal?.aborted === true
  let response: Response
  try {
    response = await limitedFetch(fetch)(url, { headers, ...(signal !== undefined && { signal }) })
  } catch {
    throw new Error(isLate() ? `${entry.displayName} did not list its models in time.` : `${entry.displayName} cannot be reached.`)
  }
  try {
    if (response.ok) return JSON.parse(await wholeText(response))
  } catch {
    throw new Error(isLate()
      ? `${entry.displayName} did not list its models in time.`
      : `${entry.displayName} sent a list of models that could not be understood.`)
  }
  await response.body?.cancel().catch(() => {})
  const { status } = response
  if (status === 401 || status === 403) throw new KeyRefused(`${entry.displayName} refused the API key.`)
  throw new Error(status >= 300 && status < 400
    ? leadsElsewhere(entry.displayName, status)
    : `${entry.displayName} could not list its models (status ${status}).`)
}

/** Reads a body that is parsed at once, whatever its content type. Throws AnswerTooLarge. */
async function wholeText ({ body }: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let sizeBytes = 0
  for await (const chunk of body ?? []) {
    sizeBytes += chunk.length
    // Leaving the loop closes the connection.
    if (sizeBytes > responseLimits.bodyBytes) throw new AnswerTooLarge('response')
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

function rowsOf (answer: unknown, key: string): Array<Record<string, unknown>> {
  const rows: unknown = Array.isArray(answer) ? answer : fieldsOf(answer)[key]
  if (!Array.isArray(rows)) throw new Error('The list of models could not be understood.')
  return rows.slice(0, mostModels).filter((row): row is Record<string, unknown> => typeof row === 'object' && row !== null)
}

/** Reads `/models` as OpenAI defines it, with the context sizes that OpenRouter, vLLM, llama.cpp and other servers add. */
function fromOpenAI (answer: unknown): LiveModel[] {
  return rowsOf(answer, 'data').flatMap((row) => {
    if (typeof row['id'] !== 'string') return []
    const top = fieldsOf(row['top_provider'])
    const model: LiveModel = { id: row['id'] }
    const contextLength = firstCount(row['context_length'], row['max_model_len'], row['loaded_context_length'], row['max_context_length'],
      row['context_window'], fieldsOf(row['meta'])['n_ctx'], fieldsOf(row['meta'])['n_ctx_train'])
    const maxOutputTokens = firstCount(top['max_completion_tokens'], row['max_completion_tokens'])
    const cost = costOf(fieldsOf(row['pricing']))
    const kinds: unknown = fieldsOf(row['architecture'])['input_modalities']
    if (typeof row['name'] === 'string' && row['name'] !== '') model.label = withoutSecrets(row['name'])
    if (contextLength !== undefined) model.contextLength = contextLength
    if (maxOutputTokens !== undefined) model.maxOutputTokens = maxOutputTokens
    if (cost !== undefined) model.cost = cost
    const takes: unknown = row['supported_parameters']
    if (Array.isArray(takes)) model.thinks = takes.includes('reasoning')
    if (Array.isArray(kinds)) model.input = (['text', 'image'] as const).filter((kind) => kinds.includes(kind))
    return [model]
  })
}

/** Reads OpenRouter's prices: US dollars per token, as strings. A negative price means "depends". */
function costOf (pricing: Record<string, unknown>): Cost | undefined {
  const perMillion = (value: unknown): number => Number(value ?? 0) * 1_000_000
  const cost = {
    input: perMillion(pricing['prompt']), output: perMillion(pricing['completion']), cacheRead: perMillion(pricing['input_cache_read']),
    cacheWrite: perMillion(pricing['input_cache_write'])
  }
  const usable = pricing['prompt'] !== undefined && Object.values(cost).every((rate) => Number.isFinite(rate) && rate >= 0)
  return usable ? cost : undefined
}

function fromAnthropic (answer: unknown): LiveModel[] {
  return rowsOf(answer, 'data').flatMap((row) => typeof row['id'] !== 'string'
    ? []
    : [{
        id: row['id'], ...(typeof row['display_name'] === 'string' && { label: row['display_name'] }),
        input: findModel('anthropic', row['id'])?.input ?? ['text', 'image']
      }])
}

function fromGoogle (answer: unknown): LiveModel[] {
  return rowsOf(answer, 'models').flatMap((row) => {
    const methods = row['supportedGenerationMethods']
    if (typeof row['name'] !== 'string' || (Array.isArray(methods) && !methods.includes('generateContent'))) return []
    const id = row['name'].replace(/^models\//, '')
    if (/embedding|imagen|veo|tts|image|aqa/.test(id)) return []
    const model: LiveModel = { id }
    if (typeof row['displayName'] === 'string') model.label = row['displayName']
    const contextLength = firstCount(row['inputTokenLimit'])
    const maxOutputTokens = firstCount(row['outputTokenLimit'])
    if (contextLength !== undefined) model.contextLength = contextLength
    if (maxOutputTokens !== undefined) model.maxOutputTokens = maxOutputTokens
    return [model]
  })
}

function fromOllama (answer: unknown): LiveModel[] {
  return rowsOf(answer, 'models').flatMap((row) => {
    const id = row['model'] ?? row['name']
    const families: unknown = fieldsOf(row['details'])['families']
    const isEmbedding = /embed/i.test(String(id)) || (Array.isArray(families) && families.some((family) => /bert/.test(String(family))))
    if (typeof id !== 'string' || isEmbedding) return []
    const seesImages = Array.isArray(families) && families.some((family) => /clip|mllama|vl/.test(String(family)))
    return [{ id, input: seesImages ? ['text', 'image'] : ['text'] }]
  })
}

/** Reads LM Studio's own list, which tells which models are loaded and their context windows; older versions have only the common list. */
async function fromLmStudio (base: string, get: Get, headers: Record<string, string>): Promise<LiveModel[]> {
  const answer = await get(`${base.replace(/\/v1$/, '')}/api/v0/models`, headers).catch(() => undefined)
  const usable = answer !== undefined && Array.isArray(fieldsOf(answer)['data'])
  if (!usable) return fromOpenAI(await get(`${base}/models`, headers)).filter(({ id }) => !/embed/i.test(id))
  const rows = rowsOf(answer, 'data').filter((row) => row['type'] !== 'embeddings')
  const loadedFirst = rows.toSorted((a, b) => Number(b['state'] === 'loaded') - Number(a['state'] === 'loaded'))
  return fromOpenAI(loadedFirst).map((
    model, index
  ) => ({ ...model, input: loadedFirst[index]?.['type'] === 'vlm' ? ['text', 'image'] : ['text'] }))
}

/** Selects chat models, because OpenAI lists all its models together. */
function isChatModel (id: string): boolean {
  return /^(?:gpt-|chatgpt-|chat-|o\d|codex)/.test(id) &&
    !/audio|realtime|transcribe|tts|image|search|instruct|embedding|moderation/.test(id)
}

/**
 * Sorts model ids: the usual default first, then models that the snapshot knows, newest generation first, then the rest. A compatible
 * server may serve models of many makers, so its own order is kept.
 */
function inOrder (entry: ProviderEntry, ids: string[]): string[] {
  if (entry.kind === 'openai-compatible') return ids
  const first = defaultModel(entry.kind)?.id
  const rank = (id: string): number => id === first ? 0 : findModel(entry.kind, id) !== undefined ? 1 : 2
  const generation = (id: string): number => entry.kind === 'openrouter' ? 0 : generationOf(id)
  return ids.toSorted((a, b) => rank(a) - rank(b) || generation(b) - generation(a))
}

/** Returns the version in a model's name: 5.6 for `gpt-5.6-luna`, 4.5 for `claude-haiku-4-5-20251001`; 0 if there is none. */
function generationOf (id: string): number {
  const match = /(?:^|[^\d.])([1-9]\d?)(?:[.-](\d{1,2}))?(?!\d)/.exec(id)
  return match === null ? 0 : Number(`${match[1]}.${match[2] ?? 0}`)
}

function firstCount (...values: unknown[]): number | undefined {
  return values.map(tokenCount).find((count) => count !== null) ?? undefined
}
