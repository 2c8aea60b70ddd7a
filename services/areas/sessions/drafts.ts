import { type Database } from '../../ground/database/index.js'
import { type SessionRow } from './rows.js'
import { type SessionRows } from './session-rows.js'

export interface Draft { text: string, files: unknown[] }

export interface DraftsOptions {
  db: Database
  rows: SessionRows
  get: (id: string) => SessionRow
  /** What was kept of a session is no longer right, though no list shows the difference. */
  forget: (id: string) => void
}

/** What a person has begun to write in a session, for all devices. */
export function createDrafts ({ db, rows, get, forget }: DraftsOptions) {
  return {
    draft (id: string): Draft {
      const { draft } = get(id)
      return draft === null ? { text: '', files: [] } : JSON.parse(draft) as Draft
    },

    /** An empty draft is none. */
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
