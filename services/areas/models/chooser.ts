import { canonicalProviderId, catalogModelOf, slotSection, type Cost } from '../../providers/index.js'
import { type ModelRef } from '../../agent/protocol.js'
import { type Profiles } from '../profiles/index.js'
import { type ModelCatalog } from './catalog.js'
import { auxiliaryModel, fallbackModels, outputLimits, providerName, splitPrefix, type Config, type WantedModel } from './configured-models.js'

/** `contextLength` in tokens: an assumption if `ref` has none. `providerName`: for people; absent if another machine did not tell it. */
export interface ChosenModel { ref: ModelRef, label: string, providerName?: string | undefined, contextLength: number, cost: Cost | null }

/** A model, or a sentence that says why there is none. */
export type ModelChoice = ChosenModel | { error: string }

/** The small tasks of a turn, by the slots that name their models. */
export type TurnTask = 'vision' | 'web_extract' | 'session_search'

/** The assumed context window of a model, in tokens, if it is unknown. */
const assumedWindow = 256_000

/** How long to wait for providers that have to list their models first. */
const waitMs = 8_000

/** The request to a machine for the model of a turn that works there. */
export interface ChoiceElsewhere {
  profile: string
  wanted: WantedModel
  /** The model that `wanted` means on this machine; null: none that could be used. */
  instead: { provider: string, model: string } | null
  /** Whether the model was left open, or is the default here: then another one will do too. */
  isOpen: boolean
}

export interface ModelChooserOptions {
  models: Pick<ModelCatalog, 'choose' | 'seeing' | 'firstModelProvider'>
  profiles: Pick<Profiles, 'settings'>
  /** Lets another machine choose; null when it does not answer. */
  elsewhere?: (machine: string, asked: ChoiceElsewhere) => Promise<ModelChoice | null>
}

/** Chooses the model for a turn, and for tasks beside the turns. A turn on another machine uses the models of that machine (`machine`). */
export function createModelChooser ({ models, profiles, elsewhere = async () => null }: ModelChooserOptions) {
  async function choose (profile: string, wanted: WantedModel, machine: string | null = null): Promise<ModelChoice> {
    const here = await chooseHere(profile, wanted)
    if (machine === null) return here
    const usual = await chooseHere(profile, {})
    const isNamed = (wanted.model ?? '') !== '' || (wanted.provider ?? '') !== ''
    const instead = 'error' in here || here.ref.provider === 'offline-demo' ? null : { provider: here.ref.provider, model: here.ref.id }
    const there = await elsewhere(machine, { profile, wanted, instead, isOpen: !isNamed || (!('error' in here) && isSame(here, usual)) })
    if (there === null) return here
    if (!('error' in there)) return there
    const name = wanted.model ?? wanted.provider ?? 'a model'
    return { error: `${'error' in here ? `Neither the service nor the machine ${machine} can use ${name}` : `The machine ${machine} cannot use ${name}`}: ${there.error}` }
  }

  async function chooseHere (profile: string, wanted: WantedModel): Promise<ModelChoice> {
    const choice = await models.choose(profile, wanted, waitMs)
    if ('error' in choice) return choice
    const { entry, model } = choice
    const maxOutputTokens = leastOf(model.maxOutputTokens, outputLimits(profiles.settings(profile).config).effective)
    return {
      label: model.label,
      providerName: entry.displayName,
      contextLength: model.contextLength ?? assumedWindow,
      cost: model.cost,
      ref: {
        provider: entry.id,
        id: model.id,
        ...(maxOutputTokens === null ? {} : { maxOutputTokens }),
        ...(model.contextLength === null ? {} : { contextLength: model.contextLength }),
        ...(entry.kind === 'acp' ? { isAgent: true as const } : {}),
        ...(entry.isSelfHosted && entry.baseUrl !== null ? { baseUrl: entry.baseUrl } : {}),
        // Only known facts count: an unknown model may well accept images.
        ...(catalogModelOf(entry, model.id)?.input.includes('image') === false && !model.input.includes('image')
          ? { seesImages: false }
          : {})
      }
    }
  }

  return {
    choose,

    /** Returns the first of the profile's fallbacks that is set up and was not tried yet; null if there is none. */
    async fallback (
      profile: string, tried: ReadonlyArray<Pick<ModelRef, 'provider' | 'id'>>, machine: string | null = null
    ): Promise<ChosenModel | null> {
      for (const wanted of fallbackModels(profiles.settings(profile).config)) {
        const choice = await choose(profile, wanted, machine)
        if (!('error' in choice) && choice.ref.id !== 'offline-demo' && choice.ref.isAgent !== true &&
          !tried.some(({ provider, id }) => provider === choice.ref.provider && id === choice.ref.id)) return choice
      }
      return null
    },

    /**
     * Returns the model for a task during a turn: the one that the profile's `auxiliary` section names for the slot. For `vision` without
     * an entry: one of the same provider that accepts images. Returns null if there is none.
     */
    async inTurn (
      profile: string, slot: TurnTask, { provider, id }: Pick<ModelRef, 'provider' | 'id'>, machine: string | null = null
    ): Promise<ChosenModel | null> {
      const { config } = profiles.settings(profile)
      const apart = machine === null ? slotApart(config, slot) : null
      if (apart !== null) return apart
      const named = auxiliaryModel(config, slot)
      const seeing = named === undefined && slot === 'vision' ? await models.seeing(profile, provider) : undefined
      const wanted = named ?? (seeing === undefined || seeing === id ? undefined : { model: seeing, provider })
      if (wanted === undefined) return null
      const choice = await choose(profile, wanted, machine)
      return 'error' in choice || choice.ref.isAgent === true || (slot === 'vision' && choice.ref.seesImages === false)
        ? null
        : named === undefined ? choice : inSlot(choice, slot)
    },

    /**
     * Returns the model that the profile's `auxiliary` section names for a slot, else `fallback` if it is usable here, else the profile's
     * default.
     */
    async forSmallTask (profile: string, slot: string, fallback: WantedModel = {}): Promise<ModelChoice> {
      const { config } = profiles.settings(profile)
      const apart = slotApart(config, slot)
      if (apart !== null) return apart
      const named = auxiliaryModel(config, slot)
      const first = await choose(profile, named ?? fallback)
      // The model of a conversation may exist only on its machine.
      const second = named === undefined && 'error' in first ? await choose(profile, {}) : first
      const choice = 'error' in second ? first : second
      if ('error' in choice) return choice
      if (choice.ref.isAgent !== true) return Object.keys(slotSection(config, slot)).length === 0 ? choice : inSlot(choice, slot)
      // External agents do no small tasks: the provider of models that is set up first does them.
      const model = await models.firstModelProvider(profile)
      return model === undefined
        ? { error: `${choice.label} is an agent and does no small tasks, and no model is set up for them. Name one under "auxiliary" in config.yaml.` }
        : await choose(profile, { provider: model })
    }
  }
}

/** Adds the slot, whose section holds the settings of requests. */
const inSlot = (choice: ChosenModel, slot: string): ChosenModel => ({ ...choice, ref: { ...choice.ref, slot } })

/** Returns a model at an address that belongs to the slot, which no provider has to know; null if the slot has none. */
function slotApart (config: Config, slot: string): ChosenModel | null {
  const { base_url: baseUrl, model, provider } = slotSection(config, slot)
  const wanted = splitPrefix(typeof model === 'string' ? model.trim() : '')
  if (typeof baseUrl !== 'string' || baseUrl.trim() === '' || wanted.id === '') return null
  const named = wanted.provider ?? providerName(provider)
  return {
    label: wanted.id, contextLength: assumedWindow, cost: null,
    ref: { provider: canonicalProviderId(named ?? 'custom'), id: wanted.id, slot }
  }
}

const isSame = (one: ChosenModel, other: ModelChoice): boolean =>
  !('error' in other) && one.ref.provider === other.ref.provider && one.ref.id === other.ref.id

/** Returns the smaller of two limits, each of which may be missing. */
function leastOf (a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : Math.min(a, b)
}

export type ModelChooser = ReturnType<typeof createModelChooser>
