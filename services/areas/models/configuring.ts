import { Invalid } from '../../ground/errors.js'
import {
  agentOf, canonicalProviderId, customProviderId, keyVariablesOf, profileAgentId, providerDisplayName, reachedAddressProblem, signInOnly,
  slotSection
} from '../../providers/index.js'
import { type ConfigEdit, type NewProfile, type Profiles } from '../profiles/index.js'
import { addressOf, forgetAdvanced, readAdvanced, writeAdvanced } from './advanced.js'
import { type ModelCatalog } from './catalog.js'
import { customPlace } from './custom-providers.js'
import { Fallbacks } from './fallbacks.js'
import { assertKeyStays, assertKeyStaysIn, type KeyedSettings } from './key-bounds.js'
import { keyOf, ownKeyVariable, stripKeys } from './provider-keys.js'
import { providerName, section, splitPrefix, type Config } from './selection.js'
import { type ModelSlot } from '../../agent/index.js'
import { slotNamed } from './slots.js'

/** A model that a profile is to answer with from now on. */
export interface NewDefault {
  /** May carry a prefix `@provider:`. */
  model: string
  /** Null = whichever has the model. */
  provider: string | null
  /** How it is to be asked, as clients send it. */
  advanced: Readonly<Record<string, unknown>>
}

export interface SelfHosted { provider: string, model: string, baseUrl: string, apiKey: string | null, activate: boolean }

export interface CustomProvider { name: string, baseUrl: string, apiKey: string | null, models: readonly string[], activate: boolean }

/** Providers on one's own machine or network that are set up by an address. */
const selfHosted = new Set(['ollama', 'lmstudio', 'llamacpp', 'vllm'])

export interface ModelConfigurationOptions {
  profiles: Pick<Profiles, 'settings' | 'configure' | 'change'>
  catalog: Pick<ModelCatalog, 'providerOf' | 'describe'>
  /** Where agents of other makers are looked for. */
  path?: string | undefined
}

/** Which model answers, as a profile's config.yaml says it: changed here, it holds for the next turn. */
export class ModelConfiguration {
  /** Who goes on when a model gives up. */
  readonly fallbacks: Fallbacks

  constructor (readonly options: ModelConfigurationOptions) {
    this.fallbacks = new Fallbacks({
      ...options,
      providerFor: async (profile, { model, provider }) =>
        model == null ? this.#known(profile, provider ?? '') : await this.#homeOf(profile, model, providerName(provider))
    })
  }

  /**
   * Throws Invalid for a provider that nobody knows, or a model that no provider has; Conflict for what is not
   * supported, and when config.yaml is broken.
   */
  async setDefault (profile: string, { model, provider, advanced }: NewDefault): Promise<{ model: string, provider: string }> {
    const asked = readAdvanced(advanced)
    const { baseUrl, apiKey } = asked
    if (baseUrl !== null) await reachedAddressOf(baseUrl)
    const wanted = splitPrefix(model.trim())
    if (wanted.id === '') throw new Invalid('Missing required field(s): model')
    const named = wanted.provider ?? providerName(provider)
    const id = baseUrl !== null ? canonicalProviderId(named ?? 'custom') : await this.#homeOf(profile, wanted.id, named)
    await this.options.profiles.configure(profile, (config) => {
      choose(config, id, wanted.id, baseUrl)
      if (asked.clearsKey) config.delete(['model', 'api_key'])
      writeAdvanced(config, ['model'], asked)
      if (apiKey !== null) config.set(['model', 'api_key'], apiKey)
      else assertKeyStaysIn(this.options.profiles.settings(profile), id, config)
    })
    return { model: wanted.id, provider: id }
  }

  /**
   * What a slot is answered with, and how it is asked; an empty model gives it back to the main model. Throws Invalid for an
   * unknown slot, and where the key of a provider would go to another server.
   */
  async setSlot (
    profile: string, task: string, { model, provider, advanced }: NewDefault
  ): Promise<{ task: string, model: string, provider: string }> {
    const slot = slotNamed(task)
    const asked = readAdvanced(advanced)
    const { baseUrl } = asked
    if (baseUrl !== null) await reachedAddressOf(baseUrl)
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
        : wanted.id === '' ? this.#known(profile, named!) : await this.#homeOf(profile, wanted.id, named)
    const place = ['auxiliary', slot.task] as const
    const before = slotSection(this.options.profiles.settings(profile).config, slot.task)
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

  /** Every slot goes back to the main model. */
  async resetSlots (profile: string): Promise<void> {
    await this.options.profiles.configure(profile, (config) => config.delete(['auxiliary']))
  }

  /** The section `model` of config.yaml. */
  mainSection (profile: string): Config {
    return section(this.options.profiles.settings(profile).config, 'model')
  }

  /** What each slot is set to; null = the main model. `section`: how it is asked, as config.yaml has it. */
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
   * Throws Invalid for another kind of provider, and for an address that cannot be one; Conflict when a
   * file is broken: neither is changed then.
   */
  async useSelfHosted (
    profile: string, { provider, model, baseUrl, apiKey, activate }: SelfHosted
  ): Promise<{ provider: string, baseUrl: string, model: string }> {
    const id = canonicalProviderId(provider)
    if (!selfHosted.has(id)) throw new Invalid(`provider: one of ${[...selfHosted].join(', ')}`)
    const address = await reachedAddressOf(baseUrl)
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
        if (activate) choose(config, id, model, address)
        if (apiKey === null) assertKeyStaysIn(this.options.profiles.settings(profile), id, config)
      }
    })
    return { provider: id, baseUrl: address, model }
  }

  /**
   * Adds an OpenAI-compatible endpoint under a name, or changes the one of that name. Throws Invalid, and Conflict when a
   * file is broken: neither is changed then.
   */
  async useCustom (
    profile: string, { name, baseUrl, apiKey, models, activate }: CustomProvider
  ): Promise<{ provider: string, displayName: string, baseUrl: string }> {
    const id = customProviderId({ name })
    if (id === undefined || id.length > 64) throw new Invalid('name: letters and digits, 64 characters at most')
    if (providerDisplayName(id) !== undefined || providerName(id) === undefined || ['custom', 'offline-demo'].includes(id)) {
      throw new Invalid(`name: ${name} is the name of a known provider`)
    }
    const address = await reachedAddressOf(baseUrl)
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
        if (activate) choose(config, id, models[0] ?? null, null)
        if (apiKey === null) assertKeyStaysIn(this.options.profiles.settings(profile), id, config)
      }
    })
    return { provider: id, displayName: name, baseUrl: address }
  }

  /** The provider of a model that is to be written down. */
  async #homeOf (profile: string, model: string, named: string | undefined): Promise<string> {
    if (named !== undefined) return this.#known(profile, named)
    const home = await this.options.catalog.providerOf(profile, model)
    if (home === null) {
      throw new Invalid(`model: no provider of this profile is known to have ${model.slice(0, 120)}; name one in "provider"`)
    }
    return home
  }

  /** A stored key goes to the servers that it was stored for. Throws Invalid. */
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

/**
 * What a new profile is to answer with, as its files hold it. A key goes where the provider's keys are looked for: into
 * the `.env`, or for an endpoint without a variable of its own into `model.api_key`. `before` is what the profile begins with.
 * Throws Invalid.
 */
export async function firstModelOf (
  { model, provider, baseUrl, apiKey }: { model: string | null, provider: string | null, baseUrl: string | null, apiKey: string | null },
  before: KeyedSettings
): Promise<Pick<NewProfile, 'configure' | 'env'>> {
  const wanted = splitPrefix(model?.trim() ?? '')
  const name = wanted.provider ?? providerName(provider)
  const named = name === undefined ? null : canonicalProviderId(name)
  const address = baseUrl === null || baseUrl === '' ? null : await reachedAddressOf(baseUrl)
  const key = apiKey === null || apiKey === '' ? null : keyOf(apiKey)
  const variable = named === null ? undefined : keyVariablesOf(named)[0]
  return {
    configure: (config) => {
      if (wanted.id !== '') config.set(['model', 'default'], wanted.id)
      if (named !== null) config.set(['model', 'provider'], named)
      if (address !== null) config.set(['model', 'base_url'], address)
      if (key !== null && variable === undefined) config.set(['model', 'api_key'], key)
      if (key === null && address !== null) {
        assertKeyStaysIn(before, named ?? providerName(config.get(['model', 'provider'])) ?? 'custom', config)
      }
    },
    ...(key !== null && variable !== undefined ? { env: { [variable]: key } } : {})
  }
}

/** Puts an endpoint into `custom_providers`, or another address into its entry; where it then stands. */
function placeForCustom (config: ConfigEdit, { name, id, address }: { name: string, id: string, address: string }): number {
  const list = config.get(['custom_providers'])
  const place = customPlace(list, id)
  if (place !== -1) {
    config.set(['custom_providers', place, 'base_url'], address)
    return place
  }
  config.append(['custom_providers'], { name, base_url: address })
  return Array.isArray(list) ? list.length : 0
}

/** Makes a provider the one that answers. What the section `model` said of the one before goes to that one's own section. */
function choose (config: ConfigEdit, id: string, model: string | null, baseUrl: string | null): void {
  const before = section({ model: config.get(['model']) }, 'model')
  const previous = providerName(before['provider']) ?? (typeof before['base_url'] === 'string' ? 'custom' : undefined)
  if (previous !== undefined && canonicalProviderId(previous) !== id) {
    for (const key of ['base_url', 'api_key'] as const) {
      const value = before[key]
      if (value === undefined) continue
      if (config.get(['providers', previous, key]) === undefined) config.set(['providers', previous, key], value)
      config.delete(['model', key])
    }
    forgetAdvanced(config, ['model'])
  }
  if (model === null) config.delete(['model', 'default'])
  else config.set(['model', 'default'], model)
  config.set(['model', 'provider'], id)
  if (baseUrl !== null) config.set(['model', 'base_url'], baseUrl)
  // Whoever chooses another one does not want the profile's own agent to go on answering.
  const agent = section({ agent: config.get(['agent']) }, 'agent')
  if (agent['type'] === 'acp' && profileAgentId({ agent }) !== id) config.set(['agent', 'type'], 'loop')
}

/** The variable for the key of a slot of its own. */
const slotKeyVariable = (task: string): string => `AUXILIARY_${task.toUpperCase()}_API_KEY`

const serverOf = (address: unknown): string | null => typeof address === 'string' && URL.canParse(address) ? new URL(address).origin : null

/** An address, with what its name leads to. */
async function reachedAddressOf (baseUrl: string): Promise<string> {
  const address = addressOf(baseUrl)
  const problem = await reachedAddressProblem(address)
  if (problem !== null) throw new Invalid(`base_url ${problem}`)
  return address
}
