import { readProfileSettings, type ProfileSettings } from '../../ground/home/settings.js'
import { type ResolvedModel } from '../engines/model-calls.js'
import { type ModelRef } from '../protocol.js'
import { createLanguageModel, providerOptionsFor } from '../model/language-model.js'
import { providerFor, ProviderNotReady, resolveProviders } from '../../providers/index.js'

/** Models are opened once; many turns use them side by side. */
const keptModels = 32

/** Finds the provider a run names in the profile's settings (read again when the files change) and opens its model. */
export function createModelResolver ({ profileHome, env, demoWordsPerSecond }: { profileHome: string, env: Record<string, string>, demoWordsPerSecond?: number }) {
  const opened = new Map<string, Promise<ResolvedModel>>()

  return async (ref: ModelRef): Promise<ResolvedModel> => {
    const settings = readProfileSettings(profileHome, env)
    const key = JSON.stringify([settings.version, ref])
    const known = opened.get(key)
    if (known !== undefined) return await known
    if (opened.size >= keptModels) opened.clear()
    const model = open(ref, settings)
    opened.set(key, model)
    model.catch(() => opened.delete(key))
    return await model
  }

  async function open (ref: ModelRef, settings: ProfileSettings): Promise<ResolvedModel> {
    const entry = providerFor(resolveProviders({ env: settings.env, envFileKeys: settings.envFileKeys, config: settings.config, local: [] }), ref)
    if (entry === undefined) throw new ProviderNotReady(`The provider "${ref.provider}" is not configured in this profile any more.`)
    return {
      model: await createLanguageModel(entry, ref, { demoWordsPerSecond }),
      providerName: entry.displayName,
      providerOptions: providerOptionsFor(entry, ref),
      estimatesUsage: entry.kind === 'offline-demo',
      isLocal: entry.isSelfHosted
    }
  }
}
