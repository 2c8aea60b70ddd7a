import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { asMeant, asSaved, firstCharacters } from '../../ground/redaction/index.js'
import { type SessionRow } from './rows.js'
import { type SessionRows } from './session-rows.js'

export interface SessionTitlesOptions {
  db: Database
  clock: Clock
  rows: SessionRows
  get: (id: string) => SessionRow
  changed: (reason: string, sessionId: string) => void
}

export const untitled = 'Untitled'
const titleChars = 80

/** Titles of sessions: set by a person, or by the service until a person does. */
export function createSessionTitles ({ db, clock, rows, get, changed }: SessionTitlesOptions) {
  /** Trims and cuts the title, and stores it. */
  function set (id: string, title: string, source: 'manual' | 'automatic'): SessionRow {
    const clean = cleanTitle(title)
    const row = rows.set(id, { title: clean, titleSource: clean === untitled ? 'untitled' : source, updatedAt: epochSeconds(clock) })
    changed('session_rename', id)
    return row
  }

  return {
    /** Renames a session for a person. A blank title becomes Untitled and allows automatic titles again. */
    async rename (id: string, title: string): Promise<SessionRow> {
      // A person may send the title back as it was shown, with masks.
      return await db.durably(() => set(id, asSaved('title', title, get(id).title), 'manual'))
    },

    /**
     * Sets a title that a person has asked the service to find, even in place of a person's. `before`: the title when it was asked for.
     * A name that a person has given since then is kept.
     */
    async retitle (id: string, title: string, before: string): Promise<void> {
      await db.durably(() => {
        const row = get(id)
        if (row.titleSource === 'manual' && row.title !== before) return
        // The model may have read masked text.
        set(id, asMeant(row.title, title) ?? title, 'automatic')
      })
    },

    /** Sets a title that the service found; a person's own is kept. Returns whether it was set. */
    setAutomaticTitle (id: string, title: string): boolean {
      const isTaken = rows.nameAutomatically(id, cleanTitle(title))
      if (isTaken) changed('session_title', id)
      return isTaken
    }
  }
}

export function cleanTitle (title: string): string {
  const trimmed = firstCharacters(title.replaceAll(/\s+/g, ' ').trim(), titleChars).trim()
  return trimmed === '' ? untitled : trimmed
}
