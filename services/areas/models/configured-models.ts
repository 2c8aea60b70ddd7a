import { fieldsOf } from '../../ground/fields.js'
import { table } from '../../ground/lookup-table.js'
import { isEffort, profileAgentId, tokenCount, type Effort } from '../../providers/index.js'

export type Config = Readonly<Record<string, unknown>>

/** A requested model; either part may be left open. */
export interface WantedModel { model?: string | null, provider?: string | null }

/** What the section `model` of a profile's config.yaml says: the default model, and aliases. */
export interface ModelSelection {
  /** `model.default` without its prefix. The demo does not count. */
  id: string | undefined
  /** The provider that the prefix of `model.default` names. */
  provider: string | undefined
  /** Whether `model.provider` or `model.base_url` determines the active provider. */
  namesProvider: boolean
  /** Short names, with the models they stand for. */
  aliases: Record<string, string>
  /** `model.context_length` in tokens, set by the owner; `of` is the only model it applies to, null: any. */
  window: { tokens: number, of: string | null } | null
}

export function readSelection (config: Config): ModelSelection {
  const model = section(config, 'model')
  const aliases = table(
    Object.fromEntries(Object.entries(section(model, 'aliases')).filter((pair): pair is [string, string] => typeof pair[1] === 'string'))
  )
  const written = typeof model['default'] === 'string' ? model['default'].trim() : null
  const { provider, id } = splitPrefix(aliases[written ?? ''] ?? written ?? '')
  const tokens = tokenCount(model['context_length'])
  const agent = profileAgentId(config)
  if (agent !== undefined) return { id: undefined, provider: agent, namesProvider: true, aliases, window: null }
  return {
    id: id === '' || id === 'offline-demo' ? undefined : id,
    provider,
    namesProvider: providerName(model['provider']) !== undefined || typeof model['base_url'] === 'string',
    aliases,
    window: tokens === null ? null : { tokens, of: written === null ? null : splitPrefix(written).id }
  }
}

/** The limit on tokens of an answer: `max_tokens` at the root, else `agent.max_tokens`; null = the provider's own. */
export function outputLimits (config: Config): { root: number | null, fallback: number | null, effective: number | null } {
  const root = tokenCount(config['max_tokens'])
  const fallback = tokenCount(section(config, 'agent')['max_tokens'])
  return { root, fallback, effective: root ?? fallback }
}

/** `agent.reasoning_effort`. */
export function configuredEffort (config: Config): Effort | undefined {
  const effort = section(config, 'agent')['reasoning_effort']
  return isEffort(effort) ? effort : undefined
}

/** Returns the model that `auxiliary.<slot>` names; undefined: none. */
export function auxiliaryModel (config: Config, slot: string): WantedModel | undefined {
  const { model, provider } = section(section(config, 'auxiliary'), slot)
  if (typeof model !== 'string' && typeof provider !== 'string') return undefined
  return { ...(typeof model === 'string' && { model }), ...(typeof provider === 'string' && { provider }) }
}

/**
 * `fallback_providers`: the models that take over when one fails, in order. An entry is a provider, `@provider:model`, or a mapping of
 * `provider` and `model`, either of which may be missing; other entries are ignored.
 */
export function fallbackModels (config: Config): WantedModel[] {
  const list = config['fallback_providers']
  return [list].flat().flatMap((entry: unknown) => fallbackModel(entry) ?? [])
}

/** Returns the model that one entry of `fallback_providers` names; null: none. */
export function fallbackModel (entry: unknown): WantedModel | null {
  if (typeof entry === 'string') {
    const { provider, id } = splitPrefix(entry.trim())
    return provider !== undefined ? { provider, model: id } : id === '' ? null : { provider: id }
  }
  const { provider: named, model } = section({ entry }, 'entry')
  const provider = providerName(named)
  const wanted = {
    ...(provider !== undefined && { provider }),
    ...(typeof model === 'string' && model.trim() !== '' && { model })
  }
  return Object.keys(wanted).length === 0 ? null : wanted
}

/** Splits `@provider:model`; model ids themselves may contain colons. */
export function splitPrefix (model: string): { provider: string | undefined, id: string } {
  const [, provider, id = model] = /^@([^:]+):([^]*)$/.exec(model) ?? []
  return { provider, id }
}

/** Returns the provider that a value names; undefined if it leaves that open. */
export function providerName (value: unknown): string | undefined {
  const name = typeof value === 'string' ? value.trim() : ''
  return name === '' || name === 'auto' ? undefined : name
}

/** Returns a mapping in a mapping; an empty one if the value is something else. */
export const section = (config: Config, key: string): Config => fieldsOf(config[key])
