import { api, link } from '../app.js'
import { createResource } from '../core/resource.js'

/** The documents that the agent is told in every conversation, kept up to date by the feed. */
export const documents = createResource(async () => await api.get('/api/memory'))

let isFollowing = false

/** Reads the documents, and again whenever one says something else. */
export function followMemory (): void {
  void documents.refresh()
  if (isFollowing) return
  isFollowing = true
  link.onFrame(({ event }) => { if (event === 'memory' || event === 'profile' || event === 'settings' || event === 'snapshot') void documents.refresh() })
}
