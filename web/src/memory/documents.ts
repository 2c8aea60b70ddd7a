import { computed, signal, type ReadonlySignal } from '@preact/signals-core'
import { ApiError, type Api, type Wire } from '../core/service/api.js'

export type Section = 'memory' | 'user' | 'soul'
export const sections: readonly Section[] = ['memory', 'user', 'soul']

type Documents = Wire<'MemoryDocuments'>
/** A document as last read. `path` is empty if the profile does not use it. */
export interface Document { text: string, path: string, version: string, problem: string | null }

export const documentOf = (documents: Documents, section: Section): Document => ({
  text: documents[section],
  path: documents[`${section}_path`],
  version: documents[`${section}_version`],
  problem: documents.problems.find((one) => one.section === section)?.problem ?? null
})

/** Returns the number of bytes that count against the limit. */
export const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/** An edit of a document. It survives changes from elsewhere. */
export interface Editing {
  readonly text: ReadonlySignal<string>
  readonly isChanged: ReadonlySignal<boolean>
  readonly isBusy: ReadonlySignal<boolean>
  readonly error: ReadonlySignal<ApiError | null>
  /** The current document after someone else has saved; null without a conflict. */
  readonly conflict: ReadonlySignal<Document | null>
  type: (text: string) => void
  /** Takes a document that was read again. It replaces the text if nothing was typed; otherwise another version is a conflict. */
  told: (document: Document) => void
  save: () => Promise<boolean>
  /** After a conflict: replaces the other version. */
  saveOver: () => Promise<boolean>
  /** Replaces the edit by the current document. */
  takeTheirs: () => void
}

/** @param read reads the document again after a conflict */
export function createEditing (api: Pick<Api, 'post'>, section: Section, first: Document, read: () => Promise<Document>): Editing {
  const text = signal(first.text)
  /** The version that the edit is based on. */
  const base = signal(first)
  const isBusy = signal(false)
  const error = signal<ApiError | null>(null)
  const conflict = signal<Document | null>(null)
  const isChanged = computed(() => text.value !== base.value.text)

  async function write (version: string): Promise<boolean> {
    if (isBusy.value) return false
    isBusy.value = true
    error.value = null
    const sent = text.value
    try {
      const { version: saved } = await api.post('/api/memory/write', { section, content: sent, if_match: version })
      base.value = { ...base.value, text: sent, version: saved }
      conflict.value = null
      return true
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure
      if (failure.code === 'changed') conflict.value = await read().catch(() => null)
      if (conflict.value === null) error.value = failure
      return false
    } finally {
      isBusy.value = false
    }
  }

  function take (document: Document): void {
    base.value = document
    text.value = document.text
    conflict.value = null
    error.value = null
  }

  return {
    text, isChanged, isBusy, error, conflict,
    type: (typed) => { text.value = typed },
    told: (document) => {
      const isSameVersion = document.version === base.value.version
      // The same version, with or without masks.
      if (isBusy.value || (isSameVersion && (isChanged.value || document.text === base.value.text))) return
      if (!isChanged.value || document.text === text.value) take(document)
      else conflict.value = document
    },
    save: () => write(base.value.version),
    saveOver: async () => conflict.value !== null && await write(conflict.value.version),
    takeTheirs: () => take(conflict.value ?? base.value)
  }
}
