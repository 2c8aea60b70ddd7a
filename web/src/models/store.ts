import { api } from '../app.js'
import { machineOf } from '../core/machines/location.js'
import { createResource, type Resource } from '../core/service/resource.js'
import { type Wire } from '../core/service/api.js'

// Data about models, shared by the window and read again when the profile changes.

export const catalog = createResource(async () => await api.get('/api/models'))
export const providers = createResource(async () => await api.get('/api/providers'))
export const auxiliary = createResource(async () => await api.get('/api/model/auxiliary'))
export const fallbacks = createResource(async () => await api.get('/api/model/fallbacks'))
export const personalities = createResource(async () => (await api.get('/api/personalities')).personalities)

/** The chat that a model is for; null for a new one. */
export interface ModelPlace { sessionId: string | null, workspace: string | null }

const elsewhere = new Map<string, Resource<Wire<'ModelsReply'>>>()

/** Returns the models for a chat: a machine that it works on has its own. */
export function catalogIn ({ sessionId, workspace }: ModelPlace): Resource<Wire<'ModelsReply'>> {
  const machine = workspace === null ? null : machineOf(workspace)
  if (machine === null || workspace === null) return catalog
  const key = `${machine} ${sessionId ?? ''}`
  const known = elsewhere.get(key) ??
    createResource(async () => await api.get('/api/models', sessionId === null ? { workspace } : { session_id: sessionId }))
  elsewhere.set(key, known)
  return known
}

/** Rereads everything that a change of models may affect. */
export async function refreshModels (): Promise<void> {
  await Promise.all([catalog.refresh(), providers.refresh(), auxiliary.refresh(), fallbacks.refresh()])
}
