import { defaultModel, describeModel, keyedProviders, missingCredential, type ModelInfo, type ProviderEntry } from '../../providers/index.js'
import { type ModelLists } from './lists.js'
import { type ProfileModels } from './profile-models.js'
import { providerName, splitPrefix, type WantedModel } from './configured-models.js'

/** A model and its endpoint, or a sentence that says why there is none. */
export type Choice = { entry: ProviderEntry, model: ModelInfo } | { error: string }

/**
 * Returns the model that `wanted` means in a profile: the one it names, else the default of config.yaml, else the first of the provider's
 * own list, which may take up to `timeoutMs`. Unknown ids are passed on.
 */
export async function chooseModel (
  models: ProfileModels, lists: Pick<ModelLists, 'one'>, wanted: WantedModel, timeoutMs: number
): Promise<Choice> {
  const asked = resolveWanted(models, wanted)
  const named = asked.provider ?? (asked.id === '' ? models.selection.provider : undefined)
  const entry = named === undefined ? models.homeOf(asked.id) : models.find(named)
  if (entry === undefined) return { error: `The provider ${named ?? ''} is not configured in this profile.${howToConfigure(named)}` }
  const problem = missingCredential(entry)
  if (problem !== null) return { error: problem }
  if (entry.kind === 'offline-demo') return { entry, model: models.describe(entry, 'offline-demo') }
  const id = asked.id !== '' ? asked.id : entry === models.active ? models.selection.id : undefined
  return id === undefined ? await firstModel(models, lists, entry, timeoutMs) : { entry, model: models.describe(entry, id) }
}

function howToConfigure (id: string | undefined): string {
  const keyed = keyedProviders.find((provider) => provider.id === id)
  return keyed === undefined ? '' : ` It has no API key: set ${keyed.envName} in the profile's .env file or in the environment.`
}

/** Resolves aliases and prefixes; an empty id means the default. */
function resolveWanted (
  { selection, entries }: ProfileModels, { model, provider }: WantedModel
): { id: string, provider: string | undefined } {
  const name = model?.trim() ?? ''
  const asked = splitPrefix((model == null ? undefined : selection.aliases[name]) ?? name)
  // A conversation that began with the demo continues with a real model once there is one.
  const isStale = asked.id === 'offline-demo' && entries.every(({ kind }) => kind !== 'offline-demo')
  return isStale ? { id: '', provider: undefined } : { id: asked.id, provider: asked.provider ?? providerName(provider) }
}

/** Returns the model that `wanted` means, as far as it is known without sending requests; undefined when its provider is not set up. */
export function meantModel (models: ProfileModels, wanted: WantedModel): { entry: ProviderEntry, id: string } | undefined {
  const asked = resolveWanted(models, wanted)
  const entry = asked.provider !== undefined ? models.find(asked.provider) : asked.id === '' ? models.active : models.homeOf(asked.id)
  if (entry === undefined) return undefined
  const id = asked.id !== '' ? asked.id : (entry === models.active ? models.selection.id : undefined) ?? models.known(entry)[0]?.id
  return id === undefined ? undefined : { entry, id }
}

async function firstModel (
  models: ProfileModels, lists: Pick<ModelLists, 'one'>, entry: ProviderEntry, timeoutMs: number
): Promise<Choice> {
  const { profile } = models.options
  const list = await lists.one(profile, entry, timeoutMs)
  const model = list.models?.[0] ?? entry.declaredModels?.map(({ id }) => describeModel(entry, id))[0] ?? usualModel(entry)
  return model === undefined
    ? { error: `${list.error ?? `${entry.displayName} offers no model.`} Set model.default in config.yaml to name one.` }
    : { entry, model: models.withConfiguredWindow(model) }
}

/** A server that is only compatible with a provider's interface has no usual model. */
function usualModel (entry: ProviderEntry): ModelInfo | undefined {
  const model = entry.kind === 'openai-compatible' ? undefined : defaultModel(entry.kind)
  return model === undefined ? undefined : describeModel(entry, model.id)
}
