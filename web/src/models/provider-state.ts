import { type Wire } from '../core/service/api.js'

type Provider = Wire<'Provider'>

/** Returns whether the profile uses a provider, or could do so at once. */
export const isSetUp = (provider: Provider, active: string | null): boolean =>
  provider.id === active || provider.has_key || provider.is_custom || provider.is_self_hosted || provider.models_total > 0

export type ProviderState = 'active' | 'ready' | 'problem' | 'missing'

/** Returns the state of a provider. */
export function providerState (provider: Provider, isActive: boolean): ProviderState {
  if (provider.auth_error !== null && (provider.has_key || provider.is_self_hosted || provider.is_custom)) return 'problem'
  if (isActive) return 'active'
  if (provider.has_key || provider.is_self_hosted || provider.is_custom || provider.models_total > 0) return 'ready'
  return 'missing'
}

/** Servers that people run themselves: they need an address, not a key. */
export const ownServers = ['ollama', 'lmstudio', 'llamacpp', 'vllm'] as const
export type OwnServer = typeof ownServers[number]
export const isOwnServer = (id: string): id is OwnServer => ownServers.some((own) => own === id)

/** Returns whether the key can be changed here: not if it comes from the environment, config.yaml or an account. */
export const canChangeKey = ({ configurable, is_oauth: isOauth, key_source: source, id }: Provider): boolean =>
  configurable && !isOauth && source !== 'env_var' && source !== 'token' && id !== 'offline-demo'

/** Whether a text can be a key. */
export const looksLikeKey = (text: string): boolean => text.trim().length >= 8 && !/\s/.test(text.trim())
