import { type Database } from '../../ground/database/index.js'
import { type SessionRow } from './rows.js'
import { type SessionRows } from './session-rows.js'

export interface Draft { text: string, files: unknown[] }

export interface DraftsOptions {
  db: Database
  rows: SessionRows
  get: (id: string) => SessionRow
  /** Called when the cached object of a session is outdated, though no list shows the difference. */
  forget: (id: string) => void
}

/** Stores the text that a person has begun to write in a session, for all devices. */
export function createDrafts ({ db, rows, get, forget }: DraftsOptions) {
  return {
    draft (id: string): Draft {
      const { draft } = get(id)
      return draft === null ? { text: '', files: [] } : JSON.parse(draft) as Draft
    },

    /** Stores a draft; an empty one removes it. */
    async setDraft (id: string, draft: Draft): Promise<Draft> {
      const isEmpty = draft.text === '' && draft.files.length === 0
      await db.durably(() => {
        get(id)
        rows.set(id, { draft: isEmpty ? null : JSON.stringify(draft) })
        forget(id)
      })
      return draft
    }
  }
}
