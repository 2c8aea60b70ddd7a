import { Invalid } from '../../ground/errors.js'
import {
  agentOf, canonicalProviderId, customProviderId, keyVariablesOf, providerDisplayName, signInOnly, slotSection
} from '../../providers/index.js'
import { type Profiles } from '../profiles/index.js'
import { reachedAddressOf, readAdvanced, writeAdvanced } from './advanced-settings.js'
import { type ModelCatalog } from './catalog.js'
import { customPlace, placeForCustom } from './custom-providers.js'
import { Fallbacks } from './fallbacks.js'
import { addressIn, assertKeyStays, assertKeyStaysIn } from './key-bounds.js'
import { keyOf, ownKeyVariable, stripKeys } from './provider-keys.js'
import { providerName, section, splitPrefix, type Config } from './configured-models.js'
import { type ModelSlot } from '../../agent/index.js'
import { slotNamed } from './slots.js'
import { activateProvider } from './active-provider.js'

/** The new default model of a profile. */
export interface NewDefault {
  /** May carry a prefix `@provider:`. */
  model: string
  /** Null = the provider that has the model. */
  provider: string | null
  /** Advanced settings, as clients send them. */
  advanced: Readonly<Record<string, unknown>>
}

export interface SelfHosted { provider: string, model: string, baseUrl: string, apiKey: string | null, activate: boolean }

export interface CustomProvider { name: string, baseUrl: string, apiKey: string | null, models: readonly string[], activate: boolean }

/** Self-hosted providers that are set up by an address. */
const selfHosted = new Set(['ollama', 'lmstudio', 'llamacpp', 'vllm'])

export interface ModelConfigurationOptions {
  profiles: Pick<Profiles, 'settings' | 'configure' | 'change'>
  catalog: Pick<ModelCatalog, 'providerOf' | 'describe'>
  /** Where external agents are searched. */
  path?: string | undefined
}

/** Changes the models in a profile's config.yaml, effective from the next turn on. */
export class ModelConfiguration {
  /** The models that take over when one fails. */
  readonly fallbacks: Fallbacks

  constructor (readonly options: ModelConfigurationOptions) {
    this.fallbacks = new Fallbacks({
      ...options,
      providerFor: async (profile, { model, provider }) =>
        model == null ? this.#known(profile, provider ?? '') : await this.#homeOf(profile, model, providerName(provider))
    })
  }

  /**
   * Sets the default model. Throws Invalid for an unknown provider, or a model that no provider has; Conflict for what is not supported,
   * and when config.yaml is broken.
   */
  async setDefault (profile: string, { model, provider, advanced }: NewDefault): Promise<{ model: string, provider: string }> {
    const asked = readAdvanced(advanced)
    const { apiKey } = asked
    const wanted = splitPrefix(model.trim())
    if (wanted.id === '') throw new Invalid('Missing required field(s): model')
    const named = wanted.provider ?? providerName(provider)
    const id = asked.baseUrl !== null ? canonicalProviderId(named ?? 'custom') : await this.#homeOf(profile, wanted.id, named)
    const baseUrl = asked.baseUrl === null ? null : await this.#addressOf(profile, id, asked.baseUrl)
    await this.options.profiles.configure(profile, (config) => {
      activateProvider(config, id, wanted.id, baseUrl)
      if (asked.clearsKey) config.delete(['model', 'api_key'])
      writeAdvanced(config, ['model'], asked)
      if (apiKey !== null) config.set(['model', 'api_key'], apiKey)
      else assertKeyStaysIn(this.options.profiles.settings(profile), id, config)
    })
    return { model: wanted.id, provider: id }
  }

  /**
   * Sets the model of a slot and its settings; an empty model resets the slot to the main model. Throws Invalid for an unknown slot, and if
   * a provider's key would be sent to another server.
   */
  async setSlot (
    profile: string, task: string, { model, provider, advanced }: NewDefault
  ): Promise<{ task: string, model: string, provider: string }> {
    const slot = slotNamed(task)
    const asked = readAdvanced(advanced)
    const before = slotSection(this.options.profiles.settings(profile).config, slot.task)
    const baseUrl = asked.baseUrl === null ? null : await reachedAddressOf(asked.baseUrl, before['base_url'])
    const wanted = splitPrefix(model.trim())
    const named = wanted.provider ?? providerName(provider)
    const isMain = wanted.id === '' && named === undefined
    if ((isMain && (baseUrl !== null || asked.apiKey !== null)) || (wanted.id === '' && baseUrl !== null)) {
      throw new Invalid('model: name the model that the address and the key are for')
    }
    const id = isMain
      ? 'auto'
      : baseUrl !== null
        ? canonicalProviderId(named ?? 'custom')
        : wanted.id === '' && named !== undefined ? this.#known(profile, named) : await this.#homeOf(profile, wanted.id, named)
    const place = ['auxiliary', slot.task] as const
    const variable = slotKeyVariable(slot.task)
    const movesOn = isMain || before['provider'] !== id || (baseUrl === null && advanced['base_url'] !== undefined) ||
      (baseUrl !== null && serverOf(baseUrl) !== serverOf(before['base_url']))
    const losesKey = asked.clearsKey || asked.apiKey !== null || movesOn
    await this.options.profiles.change(profile, {
      variables: asked.apiKey !== null
        ? { [variable]: asked.apiKey }
        : losesKey && before['key_env'] === variable ? { [variable]: null } : {},
      configure: (config) => {
        if (isMain || before['provider'] !== id) config.delete(place)
        if (!isMain) config.set([...place, 'provider'], id)
        if (wanted.id === '') config.delete([...place, 'model'])
        else config.set([...place, 'model'], wanted.id)
        if (baseUrl !== null) config.set([...place, 'base_url'], baseUrl)
        else if (movesOn) config.delete([...place, 'base_url'])
        if (losesKey) for (const key of ['api_key', 'key_env']) config.delete([...place, key])
        if (asked.apiKey !== null) config.set([...place, 'key_env'], variable)
        else if (baseUrl !== null && (losesKey || (before['key_env'] === undefined && before['api_key'] === undefined))) {
          this.#keepKeyHome(
            profile, id, baseUrl
          )
        }
        writeAdvanced(config, place, asked)
      }
    })
    return { task: slot.task, model: wanted.id, provider: id }
  }

  /** Resets every slot to the main model. */
  async resetSlots (profile: string): Promise<void> {
    await this.options.profiles.configure(profile, (config) => config.delete(['auxiliary']))
  }

  /** Returns the section `model` of config.yaml. */
  mainSection (profile: string): Config {
    return section(this.options.profiles.settings(profile).config, 'model')
  }

  /** Returns the model of each slot; null = the main model. `section`: its settings in config.yaml. */
  slots (profile: string): Array<ModelSlot & { model: string | null, provider: string | null, section: Config, hasKey: boolean }> {
    const { config, env } = this.options.profiles.settings(profile)
    return slotNamed.known.map((slot) => {
      const own = slotSection(config, slot.task)
      const { model, provider, api_key: key, key_env: variable } = own
      const hasKey = (typeof key === 'string' && key !== '') || (typeof variable === 'string' && (env[variable] ?? '') !== '')
      return {
        ...slot, model: typeof model === 'string' && model !== '' ? model : null, provider: providerName(provider) ?? null, section: own,
        hasKey
      }
    })
  }

  /**
   * Sets up a self-hosted provider. Throws Invalid for another kind of provider and for an invalid address, Conflict when a file is broken:
   * then neither file is changed.
   */
  async useSelfHosted (
    profile: string, { provider, model, baseUrl, apiKey, activate }: SelfHosted
  ): Promise<{ provider: string, baseUrl: string, model: string }> {
    const id = canonicalProviderId(provider)
    if (!selfHosted.has(id)) throw new Invalid(`provider: one of ${[...selfHosted].join(', ')}`)
    const address = await this.#addressOf(profile, id, baseUrl)
    const [usual] = keyVariablesOf(id)
    const variable = usual ?? ownKeyVariable(id)
    await this.options.profiles.change(profile, {
      variables: apiKey === null ? {} : { [variable]: keyOf(apiKey) },
      configure: (config) => {
        config.set(['providers', id, 'base_url'], address)
        if (apiKey !== null) {
          stripKeys(config, id)
          if (usual === undefined) config.set(['providers', id, 'key_env'], variable)
        }
        if (activate) activateProvider(config, id, model, address)
        if (apiKey === null) assertKeyStaysIn(this.options.profiles.settings(profile), id, config)
      }
    })
    return { provider: id, baseUrl: address, model }
  }

  /**
   * Adds an OpenAI-compatible endpoint under a name, or changes the one of that name. Throws Invalid, and Conflict when a file is broken:
   * then neither file is changed.
   */
  async useCustom (
    profile: string, { name, baseUrl, apiKey, models, activate }: CustomProvider
  ): Promise<{ provider: string, displayName: string, baseUrl: string }> {
    const id = customProviderId({ name })
    if (id === undefined || id.length > 64) throw new Invalid('name: letters and digits, 64 characters at most')
    if (providerDisplayName(id) !== undefined || providerName(id) === undefined || ['custom', 'offline-demo'].includes(id)) {
      throw new Invalid(`name: ${name} is the name of a known provider`)
    }
    const address = await this.#addressOf(profile, id, baseUrl)
    const variable = ownKeyVariable(id)
    await this.options.profiles.change(profile, {
      variables: apiKey === null ? {} : { [variable]: keyOf(apiKey) },
      configure: (config) => {
        const index = placeForCustom(config, { name, id, address })
        if (models.length > 0) config.set(['custom_providers', index, 'models'], [...models])
        if (apiKey !== null) {
          config.delete(['custom_providers', index, 'api_key'])
          config.set(['custom_providers', index, 'key_env'], variable)
        }
        if (activate) activateProvider(config, id, models[0] ?? null, null)
        if (apiKey === null) assertKeyStaysIn(this.options.profiles.settings(profile), id, config)
      }
    })
    return { provider: id, displayName: name, baseUrl: address }
  }

  /** Returns the address that is meant for a provider. Throws Invalid. */
  async #addressOf (profile: string, id: string, baseUrl: string): Promise<string> {
    return await reachedAddressOf(baseUrl, addressIn(this.options.profiles.settings(profile), id))
  }

  /** Returns the provider that is written down for a model. Throws Invalid. */
  async #homeOf (profile: string, model: string, named: string | undefined): Promise<string> {
    if (named !== undefined) return this.#known(profile, named)
    const home = await this.options.catalog.providerOf(profile, model)
    if (home === null) {
      throw new Invalid(`model: no provider of this profile is known to have ${model.slice(0, 120)}; name one in "provider"`)
    }
    return home
  }

  /** Checks that a stored key is sent only to servers that it was stored for. Throws Invalid. */
  #keepKeyHome (profile: string, id: string, baseUrl: string): void {
    const settings = this.options.profiles.settings(profile)
    assertKeyStays(settings, id, { ...settings.config, model: { provider: id, base_url: baseUrl } })
  }

  #known (profile: string, name: string): string {
    const { config } = this.options.profiles.settings(profile)
    if (agentOf(config, name, this.options.path) !== undefined) return name
    const id = canonicalProviderId(name)
    const isKnown = id === 'offline-demo' || providerDisplayName(
      id
    ) !== undefined || Object.keys(section(config, 'providers')).some((key) => canonicalProviderId(key) === id) ||
      customPlace(config['custom_providers'], id) !== -1 || id === 'custom'
    const signIn = isKnown ? null : signInOnly(id)
    if (signIn !== null) throw new Invalid(`provider: ${signIn}`)
    if (!isKnown) throw new Invalid(`provider: there is no provider "${name.slice(0, 80)}"`)
    return id
  }
}

/** Returns the variable for a slot's own key. */
const slotKeyVariable = (task: string): string => `AUXILIARY_${task.toUpperCase()}_API_KEY`

const serverOf = (address: unknown): string | null => typeof address === 'string' && URL.canParse(address) ? new URL(address).origin : null
