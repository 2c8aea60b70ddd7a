/** A maker of models, recognised by the form of its keys. */
export interface KeyMaker {
  name: string
  looks: RegExp
  /** Its id in the service; null: the service knows it only as an endpoint. */
  provider: string | null
  /** The page on which it issues keys. */
  page: string
}

export const keyMakers: readonly KeyMaker[] = [
  { name: 'OpenAI', looks: /^sk-(?!ant-|or-)/, provider: 'openai', page: 'https://platform.openai.com/api-keys' },
  { name: 'Anthropic', looks: /^sk-ant-/, provider: 'anthropic', page: 'https://console.anthropic.com/settings/keys' },
  { name: 'Google', looks: /^AIza[\w-]{20,}$/, provider: 'google', page: 'https://aistudio.google.com/apikey' },
  { name: 'OpenRouter', looks: /^sk-or-/, provider: 'openrouter', page: 'https://openrouter.ai/settings/keys' },
  { name: 'Groq', looks: /^gsk_/, provider: null, page: 'https://console.groq.com/keys' },
  { name: 'xAI', looks: /^xai-/, provider: null, page: 'https://console.x.ai' },
  { name: 'Perplexity', looks: /^pplx-/, provider: null, page: 'https://www.perplexity.ai/settings/api' },
  { name: 'Hugging Face', looks: /^hf_/, provider: null, page: 'https://huggingface.co/settings/tokens' },
  { name: 'NVIDIA', looks: /^nvapi-/, provider: null, page: 'https://build.nvidia.com' }
]

/** Returns the page on which a provider's keys are issued; null if unknown. */
export const keyPageOf = (provider: string): string | null => keyMakers.find((maker) => maker.provider === provider)?.page ?? null

/** Returns the maker whose keys have this form; null if there is none. */
export const makerOfKey = (key: string): KeyMaker | null => keyMakers.find(({ looks }) => looks.test(key)) ?? null

/** Returns whether keys of other makers have the same form: many begin as OpenAI's once did. */
export const looksShared = (key: string): boolean => /^sk-(?!ant-|or-|proj-|svcacct-)/.test(key)

/** Returns the key in a pasted text, which may be a line of an `.env` file or of a shell, or a header. */
export function keyIn (pasted: string): string {
  const value = pasted.trim().replace(/^(?:export\s+)?[A-Z][A-Z0-9_]*\s*=\s*/, '').replace(/^(?:authorization:\s*)?bearer\s+/i, '')
  return value.replace(/^(["'])(.*)\1;?$/, '$2').trim()
}
