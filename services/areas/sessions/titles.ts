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
  return {
    /** Trims and cuts the title. A blank one becomes Untitled and allows automatic titles again. */
    async rename (id: string, title: string, source: 'manual' | 'automatic' = 'manual'): Promise<SessionRow> {
      return await db.durably(() => {
        const { title: before } = get(id)
        // A model may have read masked text, and a person may send the title back as it was shown, with masks.
        const clean = cleanTitle(source === 'manual' ? asSaved('title', title, before) : asMeant(before, title) ?? title)
        const row = rows.set(id, { title: clean, titleSource: clean === untitled ? 'untitled' : source, updatedAt: epochSeconds(clock) })
        changed('session_rename', id)
        return row
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
