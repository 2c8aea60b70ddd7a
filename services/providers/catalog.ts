import { readFileSync } from 'node:fs'
import { asset } from '../ground/assets.js'
import { isOneOf } from '../ground/one-of.js'
import { table } from '../ground/lookup-table.js'
import { type ProviderEntry } from './registry.js'

export type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'

/** US dollars per million tokens. */
interface Rates { input: number, output: number, cacheRead: number, cacheWrite: number }
/** `tiers`: other rates that apply to the whole request once its input exceeds a number of tokens. */
export interface Cost extends Rates { tiers?: Array<Rates & { inputTokensAbove: number }> }

export interface CatalogModel {
  id: string
  name: string
  provider: string
  cost: Cost
  contextWindow: number
  maxTokens: number
  input: Array<'text' | 'image'>
  /** Reasoning levels that it accepts, from least to most; empty: it does not reason. */
  efforts: Effort[]
  /** Anthropic only: the model chooses its thinking budget itself. */
  adaptiveThinking: boolean
}

type RateRow = [number, number, number, number]
interface Snapshot {
  providers: Record<string, Array<Omit<CatalogModel, 'provider' | 'cost' | 'adaptiveThinking'> & {
    cost: RateRow
    tiers?: Array<[number, ...RateRow]>
    adaptiveThinking?: boolean
  }>>
}

let snapshot: Map<string, Map<string, CatalogModel>> | undefined

/** Each provider's default model if none is chosen: capable, but not the most expensive. */
const defaults = table({
  openai: 'gpt-6-sol',
  anthropic: 'claude-sonnet-5-5',
  google: 'gemini-3.8-flash',
  openrouter: 'anthropic/claude-sonnet-5.5'
})

/** Returns all known models of a provider. */
export function catalogModels (providerId: string): CatalogModel[] {
  return [...(load().get(providerId)?.values() ?? [])]
}

/** Returns the facts of a model, or undefined. A dated or tagged id (`gpt-5-2025-08-07`) is found under its plain one. */
export function findModel (providerId: string, modelId: string): CatalogModel | undefined {
  const models = load().get(providerId)
  return models?.get(modelId) ?? models?.get(modelId.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, ''))
}

/** Returns what the snapshot knows about a model of this provider. An endpoint set up as OpenAI usually serves its models too. */
export function catalogModelOf (entry: Pick<ProviderEntry, 'id' | 'kind'>, modelId: string): CatalogModel | undefined {
  return findModel(entry.kind === 'openai-compatible' ? entry.id : entry.kind, modelId)
}

export function defaultModel (providerId: string): CatalogModel | undefined {
  const id = defaults[providerId]
  return id === undefined ? undefined : findModel(providerId, id)
}

export interface PricedUsage { inputTokens: number, outputTokens: number, cacheReadTokens: number, cacheWriteTokens: number }

/**
 * Returns the price of a model call in US dollars. `inputTokens` counts the whole prompt, including cached tokens. Returns null if the
 * rates are unknown; self-hosted models have rates of 0.
 */
export function priceOf (usage: PricedUsage, model: { cost: Cost | null } | undefined): number | null {
  const cost = model?.cost
  if (cost === null || cost === undefined) return null
  const rates = cost.tiers?.filter((tier) => usage.inputTokens > tier.inputTokensAbove).at(-1) ?? cost
  const fresh = Math.max(0, usage.inputTokens - usage.cacheReadTokens - usage.cacheWriteTokens)
  return (fresh * rates.input + usage.cacheReadTokens * rates.cacheRead +
    usage.cacheWriteTokens * rates.cacheWrite + usage.outputTokens * rates.output) / 1_000_000
}

const effortOrder: Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

export function isEffort (value: unknown): value is Effort {
  return isOneOf(effortOrder, value)
}

/**
 * Returns the nearest level that a model accepts: the wanted one, otherwise the next lower one, otherwise its lowest; undefined if it
 * accepts none.
 */
export function fitEffort (effort: Effort, supported: readonly string[]): Effort | undefined {
  const levels = effortOrder.filter((level) => supported.includes(level))
  const lower = levels.filter((level) => effortOrder.indexOf(level) <= effortOrder.indexOf(effort))
  return lower.at(-1) ?? levels[0]
}

function load (): Map<string, Map<string, CatalogModel>> {
  if (snapshot !== undefined) return snapshot
  const { providers } = JSON.parse(readFileSync(asset('services/providers/catalog.json'), 'utf8')) as Snapshot
  const ratesOf = ([input, output, cacheRead, cacheWrite]: RateRow): Rates => ({ input, output, cacheRead, cacheWrite })
  snapshot = new Map(Object.entries(providers).map(([provider, rows]) => [provider, new Map(rows.map(({ tiers, ...row }) => {
    const cost: Cost = ratesOf(row.cost)
    if (tiers !== undefined) cost.tiers = tiers.map(([inputTokensAbove, ...rates]) => ({ inputTokensAbove, ...ratesOf(rates) }))
    return [row.id, { ...row, provider, cost, adaptiveThinking: row.adaptiveThinking ?? false }]
  }))]))
  return snapshot
}
