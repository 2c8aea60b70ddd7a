import { api } from '../app.js'
import { createResource } from '../core/resource.js'

// What of models is read again whenever the profile changes; each once per window.

export const catalog = createResource(async () => await api.get('/api/models'))
export const providers = createResource(async () => await api.get('/api/providers'))
export const auxiliary = createResource(async () => await api.get('/api/model/auxiliary'))
export const fallbacks = createResource(async () => await api.get('/api/model/fallbacks'))
export const personalities = createResource(async () => (await api.get('/api/personalities')).personalities)

/** After a change of one's own: what it may have changed is read anew. */
export async function refreshModels (): Promise<void> {
  await Promise.all([catalog.refresh(), providers.refresh(), auxiliary.refresh(), fallbacks.refresh()])
}
