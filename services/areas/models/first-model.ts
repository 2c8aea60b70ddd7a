import { canonicalProviderId, keyVariablesOf } from '../../providers/index.js'
import { type NewProfile } from '../profiles/index.js'
import { reachedAddressOf } from './advanced-settings.js'
import { assertKeyStaysIn, type KeyedSettings } from './key-bounds.js'
import { keyOf } from './provider-keys.js'
import { providerName, splitPrefix } from './configured-models.js'

/**
 * Returns the model settings of a new profile for its files. A key is stored where the provider's keys are read from: in the `.env`, or for
 * an endpoint without a variable of its own in `model.api_key`. `before`: the initial settings of the profile. Throws Invalid.
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
