import { Invalid } from '../../ground/errors.js'
import { canonicalProviderId, resolveProviders, type ProviderEntry } from '../../providers/index.js'
import { type ConfigEdit, type ProfileSettings } from '../profiles/index.js'
import { type Config } from './selection.js'

export type KeyedSettings = Pick<ProfileSettings, 'env' | 'envFileKeys' | 'config'>

const awayWords = 'api_key: send the key along with this address. The one that is stored goes to the server it was stored for, and to no other'

/**
 * Whoever names another server for a provider brings the key for it: a stored one goes to the servers that it was stored for.
 * Throws Invalid where `config` would send the stored key of a provider to one that the profile did not name for it before.
 */
export function assertKeyStays (before: KeyedSettings, provider: string, config: Config): void {
  const id = canonicalProviderId(provider)
  const entry = entryIn(before, config, id)
  if (entry === undefined || entry.apiKey === null) return
  const { model: _, ...unchosen } = before.config
  // The profile may name several, of which the section `model` covers one; and there is the usual one.
  const own = [before.config, unchosen, { ...unchosen, model: { provider: id } }].map((each) => entryIn(before, each, id))
  if (!own.some((each) => each !== undefined && serverOf(each) === serverOf(entry))) throw new Invalid(awayWords)
}

/** The same for a config.yaml that is being changed. */
export function assertKeyStaysIn (before: KeyedSettings, provider: string, edit: ConfigEdit): void {
  const named = (['model', 'providers', 'custom_providers'] as const).map((key) => [key, edit.get([key])])
  assertKeyStays(before, provider, Object.fromEntries(named))
}

function entryIn ({ env, envFileKeys }: KeyedSettings, config: Config, id: string): ProviderEntry | undefined {
  return resolveProviders({ env, envFileKeys, config, local: [] }).find((entry) => entry.id === id)
}

/** Null = the provider's public address, which each kind has one of. */
function serverOf ({ baseUrl, kind }: ProviderEntry): string {
  return baseUrl === null ? kind : new URL(baseUrl).origin
}
