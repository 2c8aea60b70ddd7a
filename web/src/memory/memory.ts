import { signal, type ReadonlySignal } from '@preact/signals-core'
import { api, link } from '../app.js'
import { createResource } from '../core/service/resource.js'

/** The documents that the agent reads in every chat, updated by the feed. */
export const documents = createResource(async () => await readMemory())

const plain = signal(false)
/** Whether the documents are read without masks. */
export const isPlain: ReadonlySignal<boolean> = plain

export const readMemory = () => api.get('/api/memory', plain.peek() ? { plain: '1' } : {})

/** Sets whether the documents are read without masks, and reads them again. */
export async function showPlain (is: boolean): Promise<void> {
  plain.value = is
  await documents.refresh()
}

let isFollowing = false

/** Reads the documents, and again after each change. */
export function followMemory (): void {
  void documents.refresh()
  if (isFollowing) return
  isFollowing = true
  link.onFrame(({
    event
  }) => { if (event === 'memory' || event === 'profile' || event === 'settings' || event === 'snapshot') void documents.refresh() })
}
