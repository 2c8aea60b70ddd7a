import { canonicalProviderId } from './known-providers.js'

/** Providers that are used with the sign-in of an account (OAuth) and issue no API keys. */
const signedInTo: Readonly<Record<string, string>> = {
  'openai-codex': 'ChatGPT (Codex)',
  'claude-code': 'Claude (subscription)',
  'github-copilot': 'GitHub Copilot',
  'copilot-acp': 'GitHub Copilot',
  copilot: 'GitHub Copilot',
  'google-gemini-cli': 'Gemini Code Assist',
  'qwen-oauth': 'Qwen',
  'minimax-oauth': 'MiniMax',
  'xai-oauth': 'Grok (subscription)',
  nous: 'Nous Portal'
}

/** Returns as a sentence why a provider takes no API key; null if it takes one, or is unknown. */
export function signInOnly (provider: string): string | null {
  const id = canonicalProviderId(provider)
  const name = Object.hasOwn(signedInTo, id) ? signedInTo[id] : undefined
  return name === undefined
    ? null
    : `${name} is used with the sign-in of an account (OAuth) and takes no API key; this service cannot sign in there`
}
