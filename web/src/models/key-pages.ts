/** The pages on which makers of models give keys, by the provider's id. */
const keyPages: ReadonlyMap<string, string> = new Map([
  ['openai', 'https://platform.openai.com/api-keys'],
  ['anthropic', 'https://console.anthropic.com/settings/keys'],
  ['google', 'https://aistudio.google.com/apikey'],
  ['openrouter', 'https://openrouter.ai/settings/keys']
])

/** Where to get a key; null: not known. */
export const keyPageOf = (provider: string): string | null => keyPages.get(provider) ?? null
