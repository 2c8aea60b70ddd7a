import { Invalid } from '../../ground/errors.js'
import { canonicalProviderId, resolveProviders, type ProviderEntry } from '../../providers/index.js'
import { type ConfigEdit, type ProfileSettings } from '../profiles/index.js'
import { type Config } from './configured-models.js'

export type KeyedSettings = Pick<ProfileSettings, 'env' | 'envFileKeys' | 'config'>

const awayWords = 'api_key: send the key along with this address. The stored token is only sent to the server that it was stored for'

/**
 * Checks that a stored key is sent only to servers that it was stored for: an address of another server needs its own key. Throws Invalid
 * if `config` would send the stored key of a provider to a server that the profile did not name for it before.
 */
export function assertKeyStays (before: KeyedSettings, provider: string, config: Config): void {
  const id = canonicalProviderId(provider)
  const entry = entryIn(before, config, id)
  if (entry === undefined || entry.apiKey === null) return
  const { model: _, ...unchosen } = before.config
  // The profile may name several addresses, of which the section `model` overrides one; the usual address counts too.
  const own = [before.config, unchosen, { ...unchosen, model: { provider: id } }].map((each) => entryIn(before, each, id))
  if (!own.some((each) => each !== undefined && serverOf(each) === serverOf(entry))) throw new Invalid(awayWords)
}

/** Does the same for a config.yaml that is being edited. */
export function assertKeyStaysIn (before: KeyedSettings, provider: string, edit: ConfigEdit): void {
  const named = (['model', 'providers', 'custom_providers'] as const).map((key) => [key, edit.get([key])])
  assertKeyStays(before, provider, Object.fromEntries(named))
}

/** Returns the address that the profile names for a provider. */
export const addressIn = (settings: KeyedSettings, id: string): string | null => entryIn(settings, settings.config, id)?.baseUrl ?? null

function entryIn ({ env, envFileKeys }: KeyedSettings, config: Config, id: string): ProviderEntry | undefined {
  return resolveProviders({ env, envFileKeys, config, local: [] }).find((entry) => entry.id === id)
}

/** Null = the provider's public address; each kind has one. */
function serverOf ({ baseUrl, kind }: ProviderEntry): string {
  return baseUrl === null ? kind : new URL(baseUrl).origin
}
