import { fieldsOf } from '../../ground/fields.js'
import { table } from '../../ground/table.js'
import { isEffort, profileAgentId, tokenCount, type Effort } from '../../providers/index.js'

export type Config = Readonly<Record<string, unknown>>

/** A model that somebody asks for; either part may be left open. */
export interface WantedModel { model?: string | null, provider?: string | null }

/** What the section `model` of a profile's config.yaml says: the default model, and how models may be called. */
export interface ModelSelection {
  /** `model.default` without its prefix. The demo is no choice. */
  id: string | undefined
  /** The provider that the prefix of `model.default` names. */
  provider: string | undefined
  /** Whether `model.provider` or `model.base_url` says which provider comes first. */
  namesProvider: boolean
  /** Short names, and the models they stand for. */
  aliases: Record<string, string>
  /** `model.context_length`, the owner's word on a window, in tokens; `of` is the only model it holds for, null: any. */
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

/** How many tokens an answer may have: `max_tokens` at the root, else `agent.max_tokens`; null = as many as the provider lets it. */
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

/** What `auxiliary.<slot>` names for a kind of small task; undefined: nothing. */
export function auxiliaryModel (config: Config, slot: string): WantedModel | undefined {
  const { model, provider } = section(section(config, 'auxiliary'), slot)
  if (typeof model !== 'string' && typeof provider !== 'string') return undefined
  return { ...(typeof model === 'string' && { model }), ...(typeof provider === 'string' && { provider }) }
}

/**
 * `fallback_providers`: who answers when a model gives up, in order. An entry is a provider, `@provider:model`, or a mapping
 * of `provider` and `model`, of which either may be missing; what is none of these is left out.
 */
export function fallbackModels (config: Config): WantedModel[] {
  const list = config['fallback_providers']
  return [list].flat().flatMap((entry: unknown) => fallbackModel(entry) ?? [])
}

/** What one entry of `fallback_providers` names; null: nothing. */
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

/** `@provider:model` names a provider; model ids themselves may hold colons. */
export function splitPrefix (model: string): { provider: string | undefined, id: string } {
  const [, provider, id = model] = /^@([^:]+):([^]*)$/.exec(model) ?? []
  return { provider, id }
}

/** The provider that a value names; undefined: it leaves that open. */
export function providerName (value: unknown): string | undefined {
  const name = typeof value === 'string' ? value.trim() : ''
  return name === '' || name === 'auto' ? undefined : name
}

/** A mapping in a mapping; an empty one where there is something else. */
export function section (config: Config, key: string): Config {
  const value = config[key]
  return fieldsOf(value)
}
