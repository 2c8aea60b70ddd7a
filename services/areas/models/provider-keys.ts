import { Conflict, Invalid } from '../../ground/errors.js'
import { canonicalProviderId, customProviderId, keyVariablesOf, providerDisplayName, signInOnly } from '../../providers/index.js'
import { type ConfigEdit, type Profiles } from '../profiles/index.js'
import { customEntries, customEntry, customPlace } from './custom-providers.js'
import { section, type Config } from './configured-models.js'

/** A provider whose key is being changed: the variable that holds it, and the provider's name. */
interface KeyHolder { id: string, displayName: string, variable: string, others: string[] }

/**
 * Manages the keys of a profile's providers. A key is stored in the profile's `.env`, under the common variable of the provider; a
 * self-hosted server gets a variable of its own, which its section in config.yaml names (`key_env`). Keys are never returned.
 */
export class ProviderKeys {
  constructor (readonly profiles: Pick<Profiles, 'settings' | 'change'>) {}

  /**
   * Sets a provider's key, effective from the next turn on. A key in config.yaml is removed, as it would take precedence. Throws Invalid
   * for an invalid key and for an unknown provider, Conflict when a file that has to be changed is broken: then neither file is changed.
   */
  async set (profile: string, provider: string, apiKey: string): Promise<{ id: string, displayName: string }> {
    const key = keyOf(apiKey)
    const { config } = this.profiles.settings(profile)
    const holder = this.#holder(provider, config)
    const isConfigured = lacksItsVariable(config, holder) || holdsKey(config, holder.id)
    await this.profiles.change(profile, {
      variables: { [holder.variable]: key },
      ...(isConfigured && {
        configure: (edit) => {
          stripKeys(edit, holder.id)
          nameVariable(edit, holder)
        }
      })
    })
    return holder
  }

  /**
   * Removes a provider's key from all files of this profile. Throws Invalid for an unknown provider, and Conflict for a key that only the
   * service's environment has, or when a file that holds it is broken.
   */
  async remove (profile: string, provider: string): Promise<{ id: string, displayName: string }> {
    const { config, env, envFileKeys } = this.profiles.settings(profile)
    const holder = this.#holder(provider, config)
    const variables = [holder.variable, ...holder.others]
    const inFile = variables.filter((name) => envFileKeys.has(name))
    const inConfig = holdsKey(config, holder.id)
    if (inFile.length === 0 && !inConfig) {
      const pinned = variables.find((name) => (env[name] ?? '') !== '')
      if (pinned !== undefined) {
        throw new Conflict(
          `The key of ${holder.displayName} is set by ${pinned} of the service's environment: change it there and restart the service`,
          'key_in_environment'
        )
      }
    }
    await this.profiles.change(profile, {
      variables: Object.fromEntries(inFile.map((name) => [name, null])),
      ...(inConfig && { configure: (edit) => stripKeys(edit, holder.id) })
    })
    return holder
  }

  #holder (provider: string, config: Config): KeyHolder {
    const id = canonicalProviderId(provider)
    const [variable, ...others] = keyVariablesOf(id)
    if (variable !== undefined) return { id, displayName: providerDisplayName(id) ?? id, variable, others }
    const own = section(section(config, 'providers'), id)
    const custom = customEntry(config['custom_providers'], id)
    const isChosen = section(config, 'model')['provider'] === id ||
      (id === 'custom' && typeof section(config, 'model')['base_url'] === 'string')
    const isSetUp = Object.keys(own).length > 0 || custom !== undefined
    const signIn = isSetUp ? null : signInOnly(id)
    if (signIn !== null) throw new Invalid(`provider: ${signIn}`)
    if (!isSetUp && !isChosen) throw new Invalid(`provider: there is no provider "${provider.slice(0, 80)}" whose key could be set`)
    const named = own['key_env'] ?? custom?.['key_env']
    return { id, displayName: text(custom?.['name']) ?? text(own['name']) ?? id, variable: text(named) ?? ownKeyVariable(id), others: [] }
  }
}

/** Returns the variable for the key of a provider without a common one. */
export function ownKeyVariable (id: string): string {
  return `${id.toUpperCase().replace(/[^A-Z0-9]+/g, '_').replace(/^(?=\d)/, '_')}_API_KEY`
}

/** Returns the trimmed key. Throws Invalid for what cannot be a key: a key is one word of at least 8 characters. */
export function keyOf (apiKey: string): string {
  const key = apiKey.trim()
  // eslint-disable-next-line no-control-regex -- that is what is looked for
  if (/[\s\u0000-\u001f\u007f]/.test(key)) throw new Invalid('api_key: a key has no blanks, line breaks or control characters. Copy the key alone')
  if (key.length < 8) throw new Invalid('api_key: a key has at least 8 characters')
  return key
}

/** Removes a provider's key from the three places in which config.yaml may hold it. */
export function stripKeys (edit: ConfigEdit, id: string): void {
  const providers = edit.get(['providers'])
  for (const name of Object.keys(section({ providers }, 'providers'))) {
    if (canonicalProviderId(name) === id) edit.delete(['providers', name, 'api_key'])
  }
  if (isModelProvider({ model: edit.get(['model']) }, id)) edit.delete(['model', 'api_key'])
  for (const [index, entry] of customEntries(edit.get(['custom_providers'])).entries()) {
    if (customProviderId(entry) === id) edit.delete(['custom_providers', index, 'api_key'])
  }
}

function holdsKey (config: Config, id: string): boolean {
  const providers = section(config, 'providers')
  return Object.entries(providers).some(([name]) =>
    canonicalProviderId(name) === id && section(providers, name)['api_key'] !== undefined) ||
    (isModelProvider(config, id) && section(config, 'model')['api_key'] !== undefined) ||
    customEntries(config['custom_providers']).some((entry) => customProviderId(entry) === id && entry['api_key'] !== undefined)
}

/** Whether the section `model` is about this provider. */
function isModelProvider (config: Config, id: string): boolean {
  const { provider, base_url: baseUrl } = section(config, 'model')
  const named = text(provider)
  return named === undefined || named === 'auto' ? id === 'custom' && typeof baseUrl === 'string' : canonicalProviderId(named) === id
}

/** Whether config.yaml does not name the variable of such a provider's key yet. */
function lacksItsVariable (config: Config, { id, variable }: KeyHolder): boolean {
  return keyVariablesOf(id).length === 0 && section(section(config, 'providers'), id)['key_env'] !== variable &&
    customEntry(config['custom_providers'], id)?.['key_env'] !== variable
}

function nameVariable (edit: ConfigEdit, { id, variable }: KeyHolder): void {
  if (keyVariablesOf(id).length > 0) return
  const index = customPlace(edit.get(['custom_providers']), id)
  if (index !== -1) edit.set(['custom_providers', index, 'key_env'], variable)
  else edit.set(['providers', id, 'key_env'], variable)
}

const text = (value: unknown): string | undefined => typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
