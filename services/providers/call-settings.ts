import { fieldsOf, isRecord } from '../ground/fields.js'
import { table } from '../ground/lookup-table.js'
import { resolveProviders, providerFor, type ProviderEntry, type ResolveInput } from './registry.js'
import { canonicalProviderId } from './known-providers.js'

/** Settings for calls of a model, from a section of config.yaml. */
export interface CallSettings {
  /** Additional keys of the request's body. */
  extraBody: Readonly<Record<string, unknown>>
  serviceTier: string | null
  timeoutMs: number | null
  maxConcurrency: number | null
}

type Section = Readonly<Record<string, unknown>>

/** Keys that the service itself sets in requests, in all the interfaces that it uses. */
const ownKeys = new Set([
  'model', 'messages', 'stream', 'stream_options', 'tools', 'tool_choice', 'functions', 'function_call', 'n', 'input', 'instructions',
  'store', 'include', 'previous_response_id', 'conversation',
  'background', 'system', 'prompt', 'contents', 'systemInstruction', 'system_instruction', 'toolConfig', 'tool_config', 'mcp_servers',
  'web_search_options', 'service_tier'
])

/** Returns the keys of `extra_body` that only the service may set. */
export const ownKeysIn = (extraBody: Section): string[] => Object.keys(extraBody).filter((key) => ownKeys.has(key) || key === '__proto__')

/** A requested model. `slot`: the kind of small task whose section has the settings. */
interface RequestedModel { provider: string, id: string, baseUrl?: string, slot?: string }

/** Returns the settings in config.yaml for calls of a model. `origin` identifies the section; null if none applies to this model. */
export function callSettingsFor (config: Section, asked: RequestedModel): CallSettings & { origin: string | null } {
  if (asked.slot !== undefined) return { ...callSettings(slotSection(config, asked.slot)), origin: asked.slot }
  const main = fieldsOf(config['model'])
  return isMain(main, asked) ? { ...callSettings(main), origin: 'main' } : { ...callSettings({}), origin: null }
}

/** Returns the provider of a model, with the address and key from the section of its slot; undefined if it is not configured here. */
export function requestedProvider (input: ResolveInput, asked: RequestedModel): ProviderEntry | undefined {
  const section = asked.slot === undefined ? {} : slotSection(input.config, asked.slot)
  const baseUrl = text(section['base_url'])
  const config = baseUrl === null ? input.config : { ...input.config, model: { provider: asked.provider, base_url: baseUrl } }
  const entry = providerFor(resolveProviders({ ...input, config }), asked)
  const apiKey = text(section['api_key']) ?? text(input.env[text(section['key_env']) ?? ''])
  return entry === undefined || apiKey === null ? entry : { ...entry, apiKey }
}

export const slotSection = (config: Section, slot: string): Section => fieldsOf(fieldsOf(config['auxiliary'])[slot])

/**
 * Whether the section `model` applies to a model: it is about the default model, or, if it names none, about all models of its provider.
 */
function isMain (main: Section, { provider, id }: RequestedModel): boolean {
  const written = text(main['default'])
  const aliased = written === null ? null : text(fieldsOf(main['aliases'])[written]) ?? written
  const [, prefix, bare] = /^@([^:]+):([^]*)$/.exec(aliased ?? '') ?? [null, null, aliased]
  const named = prefix ?? text(main['provider']) ?? (text(main['base_url']) === null ? 'auto' : 'custom')
  return (named === 'auto' ? bare != null : canonicalProviderId(named) === provider) && (bare ?? id) === id
}

export function callSettings (section: Section): CallSettings {
  const { extra_body: extra, service_tier: tier, timeout, max_concurrency: most } = section
  const extraBody = isRecord(extra) ? Object.fromEntries(Object.entries(extra).filter(([key]) => !ownKeys.has(key))) : {}
  return {
    extraBody: table(extraBody),
    serviceTier: text(tier),
    timeoutMs: typeof timeout === 'number' ? timeout * 1_000 : null,
    maxConcurrency: typeof most === 'number' ? most : null
  }
}

/** Returns a fetch that adds these keys to JSON bodies. Other keys stay as the service has set them. */
export function fetchWithExtras (
  fetch: typeof globalThis.fetch, { extraBody, serviceTier }: Pick<CallSettings, 'extraBody' | 'serviceTier'>
): typeof globalThis.fetch {
  const along = { ...extraBody, ...(serviceTier === null ? {} : { service_tier: serviceTier }) }
  if (Object.keys(along).length === 0) return fetch
  return async (input, init) => {
    if (typeof init?.body !== 'string') return await fetch(input, init)
    return await fetch(input, { ...init, body: JSON.stringify(merged(JSON.parse(init.body) as Section, along)) })
  }
}

function merged (body: Section, along: Section): Section {
  const both = { ...body }
  for (const [key, value] of Object.entries(along)) {
    const before = both[key]
    both[key] = isRecord(before) && isRecord(value) ? merged(before, value) : value
  }
  return both
}

const text = (value: unknown): string | null => typeof value === 'string' && value.trim() !== '' ? value.trim() : null
