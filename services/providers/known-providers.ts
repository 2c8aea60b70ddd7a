import { table } from '../ground/lookup-table.js'

export type ProviderKind = 'openai' | 'openai-compatible' | 'anthropic' | 'google' | 'openrouter' | 'offline-demo' | 'acp'

export interface KnownProvider {
  displayName: string
  kind: ProviderKind
  /** Its default address; null: the public address that its client knows, which needs a key. */
  baseUrl: string | null
  keys: string[]
  baseUrlKey?: string
}

/** Public services that are used with the person's own key. */
export const keyed: Readonly<Record<string, KnownProvider & { keys: [string, ...string[]] }>> = {
  openai: { displayName: 'OpenAI', kind: 'openai', baseUrl: null, keys: ['OPENAI_API_KEY'], baseUrlKey: 'OPENAI_BASE_URL' },
  anthropic: { displayName: 'Anthropic', kind: 'anthropic', baseUrl: null, keys: ['ANTHROPIC_API_KEY'], baseUrlKey: 'ANTHROPIC_BASE_URL' },
  google: { displayName: 'Google Gemini', kind: 'google', baseUrl: null, keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'] },
  openrouter: { displayName: 'OpenRouter', kind: 'openrouter', baseUrl: null, keys: ['OPENROUTER_API_KEY'] }
}

export const known = table<KnownProvider>({
  ...keyed,
  ollama: { displayName: 'Ollama', kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:11434/v1', keys: ['OLLAMA_API_KEY'] },
  lmstudio: {
    displayName: 'LM Studio', kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:1234/v1', keys: ['LMSTUDIO_API_KEY', 'LM_API_KEY']
  },
  llamacpp: { displayName: 'llama.cpp', kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:8080/v1', keys: [] },
  vllm: { displayName: 'vLLM', kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:8000/v1', keys: ['VLLM_API_KEY'] }
})

const aliases = table({
  gemini: 'google', 'google-gemini': 'google', 'lm-studio': 'lmstudio', 'llama.cpp': 'llamacpp', claude: 'anthropic'
})

/** The providers whose keys this service knows by name, for a list of what can be set up. */
export const keyedProviders = Object.entries(keyed).map(([id, { displayName, keys: [envName] }]) => ({ id, displayName, envName }))

/** Returns the variables in which a provider's key is searched, the usual one first; none for a provider without its own. */
export function keyVariablesOf (id: string): readonly string[] {
  return known[id]?.keys ?? []
}

/** Returns the display name of a known provider. */
export function providerDisplayName (id: string): string | undefined {
  return known[id]?.displayName
}

/** Returns the id of an entry of `custom_providers`; undefined if it has no name. */
export function customProviderId (entry: Readonly<Record<string, unknown>>): string | undefined {
  const name = text(entry['name'])
  return name === undefined || slug(name) === '' ? undefined : slug(name)
}

/** Returns the id of a provider, whatever alias a person wrote. */
export function canonicalProviderId (name: string): string {
  const id = slug(name)
  return aliases[id] ?? aliases[name.trim().toLowerCase()] ?? id
}

function slug (name: string): string {
  return name.trim().toLowerCase().replace(/[^a-z0-9._-]+/g, '-').replace(/^-+|-+$/g, '')
}

export function text (value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}
