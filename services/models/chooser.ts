import { catalogModelOf, type Cost } from '../providers/index.js'
import { type ModelRef } from '../agent/protocol.js'
import { type Profiles } from '../profiles/index.js'
import { type ModelCatalog } from './catalog.js'
import { auxiliaryModel, fallbackModels, outputLimits, type WantedModel } from './selection.js'

/** `contextLength` in tokens: an assumption where `ref` has none. */
export interface ChosenModel { ref: ModelRef, label: string, contextLength: number, cost: Cost | null }

/** The model that does something, or a sentence that says why there is none. */
export type ModelChoice = ChosenModel | { error: string }

/** Slots that are used in the middle of a turn. */
export type HelperSlot = 'vision' | 'web_extract' | 'session_search'

/** The window of a model of which nobody says how large it is. */
export const assumedWindow = 256_000

/** How long providers are waited for that have to be asked for their models first. */
const waitMs = 8_000

/** Finds the model for a turn, and for the tasks beside the turns. */
export function createModelChooser ({ models, profiles }: { models: Pick<ModelCatalog, 'choose' | 'seeing' | 'firstModelProvider'>, profiles: Pick<Profiles, 'settings'> }) {
  async function choose (profile: string, wanted: WantedModel): Promise<ModelChoice> {
    const choice = await models.choose(profile, wanted, waitMs)
    if ('error' in choice) return choice
    const { entry, model } = choice
    const maxOutputTokens = leastOf(model.maxOutputTokens, outputLimits(profiles.settings(profile).config).effective)
    return {
      label: model.label,
      contextLength: model.contextLength ?? assumedWindow,
      cost: model.cost,
      ref: {
        provider: entry.id,
        id: model.id,
        ...(maxOutputTokens === null ? {} : { maxOutputTokens }),
        ...(model.contextLength === null ? {} : { contextLength: model.contextLength }),
        ...(entry.kind === 'acp' ? { isAgent: true as const } : {}),
        ...(entry.isSelfHosted && entry.baseUrl !== null ? { baseUrl: entry.baseUrl } : {}),
        // Only what is known counts: a model that nobody has heard of may well see.
        ...(catalogModelOf(entry, model.id)?.input.includes('image') === false && !model.input.includes('image') ? { seesImages: false } : {})
      }
    }
  }

  return {
    choose,

    /** The first of the profile's fallbacks that is set up and was not tried yet; null when there is none. */
    async fallback (profile: string, tried: ReadonlyArray<Pick<ModelRef, 'provider' | 'id'>>): Promise<ChosenModel | null> {
      for (const wanted of fallbackModels(profiles.settings(profile).config)) {
        const choice = await choose(profile, wanted)
        if (!('error' in choice) && choice.ref.id !== 'offline-demo' && choice.ref.isAgent !== true && !tried.some(({ provider, id }) => provider === choice.ref.provider && id === choice.ref.id)) return choice
      }
      return null
    },

    /**
     * The model that does something for the one that answers: what the profile's `auxiliary` section names for the slot, to see
     * else one of the same provider that can. Null when there is none.
     */
    async helper (profile: string, slot: HelperSlot, { provider, id }: Pick<ModelRef, 'provider' | 'id'>): Promise<ChosenModel | null> {
      const named = auxiliaryModel(profiles.settings(profile).config, slot)
      const seeing = named === undefined && slot === 'vision' ? await models.seeing(profile, provider) : undefined
      const wanted = named ?? (seeing === undefined || seeing === id ? undefined : { model: seeing, provider })
      if (wanted === undefined) return null
      const choice = await choose(profile, wanted)
      return 'error' in choice || choice.ref.isAgent === true || (slot === 'vision' && choice.ref.seesImages === false) ? null : choice
    },

    /** What the profile's `auxiliary` section names for a slot, else `fallback`, else the profile's default. */
    async auxiliary (profile: string, slot: string, fallback: WantedModel = {}): Promise<ModelChoice> {
      const choice = await choose(profile, auxiliaryModel(profiles.settings(profile).config, slot) ?? fallback)
      if ('error' in choice || choice.ref.isAgent !== true) return choice
      // An agent of another maker does no small tasks: the first model that is set up does them.
      const model = await models.firstModelProvider(profile)
      return model === undefined ? { error: `${choice.label} is an agent and does no small tasks, and no model is set up for them. Name one under "auxiliary" in config.yaml.` } : await choose(profile, { provider: model })
    }
  }
}

/** The smaller one of two limits, of which each may be missing. */
function leastOf (a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : Math.min(a, b)
}

export type ModelChooser = ReturnType<typeof createModelChooser>
