import { api } from '../app.js'
import { type Wire } from '../core/service/api.js'
import { refreshModels } from './store.js'

export type FoundServer = Wire<'DiscoveredServers'>['servers'][number]

/** Makes a model of a found server the default. Throws ApiError. */
export async function useServer ({ provider, display_name: name, base_url: address }: FoundServer, model: string): Promise<void> {
  if (provider !== null) await api.post('/api/providers/self-hosted', { provider, model, base_url: address })
  else {
    const { provider: added } = await api.post('/api/providers/custom', { name, base_url: address, models: [model] })
    await api.post('/api/default-model', { model, provider: added })
  }
  await refreshModels()
}
