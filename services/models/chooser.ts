import { type Cost } from '../providers/index.js'
import { type ModelRef } from '../agent/protocol.js'
import { type Profiles } from '../profiles/index.js'
import { type ModelCatalog } from './models.js'

/** `contextLength` in tokens: an assumption where `ref` has none. */
export interface ChosenModel { ref: ModelRef, label: string, contextLength: number, cost: Cost | null }

/** The model that does something, or a sentence that says why there is none. */
export type ModelChoice = ChosenModel | { error: string }

export interface WantedModel { model?: string, provider?: string }

/** The window of a model of which nobody says how large it is. */
export const assumedWindow = 256_000

/** How long providers are waited for that have to be asked for their models first. */
const waitMs = 8_000

/** Finds the model for a turn, and for the tasks beside the turns. */
export function createModelChooser ({ models, profiles }: { models: ModelCatalog, profiles: Profiles }) {
  async function choose (profile: string, wanted: WantedModel): Promise<ModelChoice> {
    const choice = await models.choose(profile, wanted, waitMs)
    if ('error' in choice) return choice
    const { entry, model } = choice
    return {
      label: model.label,
      contextLength: model.contextLength ?? assumedWindow,
      cost: model.cost,
      ref: {
        provider: entry.id,
        id: model.id,
        ...(model.maxOutputTokens === null ? {} : { maxOutputTokens: model.maxOutputTokens }),
        ...(model.contextLength === null ? {} : { contextLength: model.contextLength }),
        ...(entry.isSelfHosted && entry.baseUrl !== null ? { baseUrl: entry.baseUrl } : {})
      }
    }
  }

  return {
    choose,

    /** What the profile's `auxiliary` section names for a slot, else `fallback`, else the profile's default. */
    async auxiliary (profile: string, slot: string, fallback: WantedModel = {}): Promise<ModelChoice> {
      const slots = (profiles.settings(profile).config.auxiliary ?? {}) as Record<string, Record<string, unknown> | null>
      const { model, provider } = slots[slot] ?? {}
      if (typeof model !== 'string' && typeof provider !== 'string') return await choose(profile, fallback)
      return await choose(profile, { model: typeof model === 'string' ? model : undefined, provider: typeof provider === 'string' ? provider : undefined })
    }
  }
}

export type ModelChooser = ReturnType<typeof createModelChooser>
