import { api } from '../app.js'
import { machineOf } from '../core/machines/location.js'
import { createResource, type Resource } from '../core/service/resource.js'
import { type Wire } from '../core/service/api.js'

// What of models is read again whenever the profile changes; each once per window.

export const catalog = createResource(async () => await api.get('/api/models'))
export const providers = createResource(async () => await api.get('/api/providers'))
export const auxiliary = createResource(async () => await api.get('/api/model/auxiliary'))
export const fallbacks = createResource(async () => await api.get('/api/model/fallbacks'))
export const personalities = createResource(async () => (await api.get('/api/personalities')).personalities)

/** Where a model is to answer: in a chat, or (null) in one that is not there yet. */
export interface ModelPlace { sessionId: string | null, workspace: string | null }

const elsewhere = new Map<string, Resource<Wire<'ModelsReply'>>>()

/** The models that can answer there: a machine that the chat works on has its own. */
export function catalogIn ({ sessionId, workspace }: ModelPlace): Resource<Wire<'ModelsReply'>> {
  const machine = workspace === null ? null : machineOf(workspace)
  if (machine === null || workspace === null) return catalog
  const key = `${machine} ${sessionId ?? ''}`
  const known = elsewhere.get(key) ??
    createResource(async () => await api.get('/api/models', sessionId === null ? { workspace } : { session_id: sessionId }))
  elsewhere.set(key, known)
  return known
}

/** After a change of one's own: what it may have changed is read anew. */
export async function refreshModels (): Promise<void> {
  await Promise.all([catalog.refresh(), providers.refresh(), auxiliary.refresh(), fallbacks.refresh()])
}
