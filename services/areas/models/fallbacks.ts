import { hash } from 'node:crypto'
import { Conflict, Invalid } from '../../ground/errors.js'
import { missingCredential } from '../../providers/index.js'
import { type ConfigEdit, type Profiles } from '../profiles/index.js'
import { type ModelCatalog } from './catalog.js'
import { fallbackModel, fallbackModels, providerName, splitPrefix, type WantedModel } from './configured-models.js'

/** An entry of the models that take over when one fails. */
export interface Fallback {
  /** As config.yaml names it; null: the provider that has the model. */
  provider: string | null
  /** Null: the provider's usual one. */
  model: string | null
  /** The model that this means at present; null if its provider is not set up. */
  means: { provider: string, providerName: string, model: string, label: string } | null
  /** Why it cannot take over; null: it can. */
  problem: string | null
}

export interface FallbackList {
  fallbacks: Fallback[]
  /** Changes whenever the list is changed. */
  version: string
}

export interface FallbacksOptions {
  profiles: Pick<Profiles, 'settings' | 'configure'>
  catalog: Pick<ModelCatalog, 'describe'>
  /** Returns the provider that is written down for a model. Throws Invalid. */
  providerFor: (profile: string, wanted: WantedModel) => Promise<string>
}

const place = ['fallback_providers'] as const
const mostFallbacks = 20

/** Reads and rearranges `fallback_providers` of a profile's config.yaml. */
export class Fallbacks {
  constructor (private readonly options: FallbacksOptions) {}

  async list (profile: string): Promise<FallbackList> {
    const { config } = this.options.profiles.settings(profile)
    const fallbacks = await Promise.all(fallbackModels(config).map(async (wanted) => await this.#described(profile, wanted)))
    return { fallbacks, version: versionOf(fallbackModels(config)) }
  }

  /**
   * Sets the fallbacks, in this order. Existing entries stay as they are written, with their comments, and so do entries that name no
   * model. Throws Invalid for an unknown provider or model; Conflict when config.yaml is broken, and when `version` is given and the list
   * has changed since.
   */
  async set (profile: string, wanted: readonly WantedModel[], version: string | null): Promise<FallbackList> {
    if (wanted.length > mostFallbacks) throw new Invalid(`At most ${mostFallbacks} fallbacks`)
    const asked = wanted.map(plain)
    if (asked.some(({ provider, model }) => provider === null && model === null)) {
      throw new Invalid('Each fallback must name a model, a provider, or both')
    }
    if (new Set(asked.map(keyOf)).size < asked.length) throw new Invalid('A fallback is listed twice')
    const present = new Set(fallbackModels(this.options.profiles.settings(profile).config).map((entry) => keyOf(plain(entry))))
    const entries = await Promise.all(
      asked.map(async (one) => present.has(keyOf(one)) ? one : { ...one, provider: await this.options.providerFor(profile, one) })
    )
    await this.options.profiles.configure(profile, (config) => arrange(config, entries, version))
    return await this.list(profile)
  }

  async #described (profile: string, wanted: WantedModel): Promise<Fallback> {
    const found = await this.options.catalog.describe(profile, wanted)
    const { provider, model } = plain(wanted)
    return {
      provider,
      model,
      means: found === undefined
        ? null
        : { provider: found.entry.id, providerName: found.entry.displayName, model: found.model.id, label: found.model.label },
      problem: found === undefined ? 'Its provider is not set up, or has no model' : missingCredential(found.entry)
    }
  }
}

interface Plain { provider: string | null, model: string | null }

function plain ({ provider, model }: WantedModel): Plain {
  const split = splitPrefix(model?.trim() ?? '')
  const named = split.provider ?? providerName(provider) ?? null
  return { provider: named, model: split.id === '' ? null : split.id }
}

const keyOf = ({ provider, model }: Plain): string => JSON.stringify([provider, model])
/** Entries that name no model are ignored. */
const versionOf = (models: readonly WantedModel[]): string =>
  hash('sha256', models.map((one) => keyOf(plain(one))).join(), 'base64url').slice(0, 22)

function arrange (config: ConfigEdit, entries: readonly Plain[], version: string | null): void {
  const written = config.get(place)
  if (version !== null && version !== versionOf(fallbackModels({ [place[0]]: written }))) {
    throw new Conflict('Someone else changed the fallbacks. Reload them and try again')
  }
  const rows = [written ?? []].flat().map((row: unknown, at) => ({ at, wanted: fallbackModel(row) }))
  const left = new Set(rows)
  const arranged = entries.map((entry) => {
    const found = rows.find((row) => left.has(row) && row.wanted !== null && keyOf(plain(row.wanted)) === keyOf(entry))
    if (found === undefined) {
      return {
        value: { ...(entry.provider !== null && { provider: entry.provider }), ...(entry.model !== null && { model: entry.model }) }
      }
    }
    left.delete(found)
    return { at: found.at }
  })
  config.arrange(place, [...arranged, ...[...left].filter(({ wanted }) => wanted === null).map(({ at }) => ({ at }))])
}
