import { canonicalProviderId, profileAgentId } from '../../providers/index.js'
import { type ConfigEdit } from '../profiles/index.js'
import { forgetAdvanced } from './advanced-settings.js'
import { section, providerName } from './configured-models.js'

/** Makes a provider the active one. What the section `model` holds for the previous one is moved to that provider's own section. */
export function activateProvider (config: ConfigEdit, id: string, model: string | null, baseUrl: string | null): void {
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
  // Choosing another provider also deactivates the profile's own agent.
  const agent = section({ agent: config.get(['agent']) }, 'agent')
  if (agent['type'] === 'acp' && profileAgentId({ agent }) !== id) config.set(['agent', 'type'], 'loop')
}
