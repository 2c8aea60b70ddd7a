import { eq } from 'drizzle-orm'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { tables, type Database } from '../../ground/database/index.js'
import { Forbidden, Invalid, NotFound, Unavailable } from '../../ground/errors.js'
import { type LivenessOf } from './liveness.js'
import { type SessionRow } from './rows.js'
import { type SessionRows } from './session-rows.js'

export interface ChangesOptions {
  db: Database
  clock: Clock
  rows: SessionRows
  liveness: LivenessOf
  get: (id: string) => SessionRow
  changed: (reason: string, sessionId?: string) => void
  /** How many sessions of a profile may be pinned at most. */
  pinLimit: () => number
  /** The model that a session is shown with. */
  shownModel: (row: SessionRow) => { model: string | null, provider: string | null }
  archived: (id: string) => void
}

/** A person who gives a temporary chat a place in the list wants to keep it. */
const keeps = ({ pinned, archived, projectId }: Partial<SessionRow>): boolean =>
  pinned === true || archived === true || typeof projectId === 'string'

/** How long a move waits for a running turn to end, and how often it checks. */
const moveWaitMs = 5_000
const moveLookMs = 100

/** Changes to a session as a whole: flags, folder, model. None of them touches a message. */
export function createSessionChanges ({ db, clock, rows, liveness, get, changed, pinLimit, shownModel, archived }: ChangesOptions) {
  // The projects area is built on sessions, so it cannot be called from here: the table is read only for whether a project exists, and its
  // profile.
  const { projects } = tables

  /** The columns that make a temporary chat a normal one, which lists show from then on. */
  const kept = { temporary: false, hidden: false } as const

  /** Stores `values` and notifies lists. */
  async function set (
    id: string, reason: string, values: Partial<SessionRow>, check: (row: SessionRow) => void = () => {}
  ): Promise<SessionRow> {
    return await db.durably(() => {
      const before = get(id)
      check(before)
      const row = rows.set(id, before.temporary && keeps(values) ? { ...values, ...kept } : values)
      if (before.hidden && !row.hidden) rows.revealChildren(id)
      changed(reason, id)
      return row
    })
  }

  function checkPin (profile: string, id: string): void {
    const limit = pinLimit()
    if (rows.pinned(profile, id) >= limit) throw new Invalid(`Up to ${limit} sessions can be pinned. Unpin one before pinning another.`)
  }

  return {
    /** Throws Invalid when the quota is used up. */
    pin: (id: string, on: boolean): Promise<SessionRow> =>
      set(id, 'session_pin', { pinned: on }, (row) => { if (on) checkPin(row.profile, id) }),
    checkPin,

    /**
     * Archives a session or takes it out of the archive. Its place in the order stays, because `updated_at` is not touched. Throws Invalid
     * for read-only sessions.
     */
    async archive (id: string, on: boolean): Promise<SessionRow> {
      const row = await set(id, 'session_archive', { archived: on }, (row) => {
        if (row.readOnly) throw new Invalid('A read-only session cannot be archived')
      })
      if (on) archived(id)
      return row
    },

    /** Moves a session into a project, or out of any with null. Throws NotFound, and Unavailable when its turn does not end in time. */
    async move (id: string, projectId: string | null): Promise<SessionRow> {
      const row = get(id)
      const project = projectId === null ? undefined : db.orm.select().from(projects).where(eq(projects.id, projectId)).get()
      if (projectId !== null && project?.profile !== row.profile) throw new NotFound('Project not found')
      for (let waitedMs = 0; liveness.stream(id) !== undefined; waitedMs += moveLookMs) {
        if (waitedMs >= moveWaitMs) throw new Unavailable('Session is busy (streaming); try again when its turn has ended')
        await new Promise((resolve) => setTimeout(resolve, moveLookMs))
      }
      return await set(id, 'session_move', { projectId }, () => {
        // The project may have been deleted in the meantime.
        if (projectId !== null && db.orm.select().from(projects).where(eq(projects.id, projectId)).get() === undefined) {
          throw new NotFound('Project not found')
        }
      })
    },

    /**
     * Changes the folder or the model. Another model resets the counters of tokens and cost. `keep`: a temporary chat becomes a normal one.
     * Throws Forbidden for read-only sessions.
     */
    async update (
      id: string,
      { workspace, model, modelProvider, keep = false }: { workspace?: string, model?: string, modelProvider?: string, keep?: boolean }
    ): Promise<SessionRow> {
      const before = get(id)
      if (before.readOnly) throw new Forbidden('This session is read-only')
      // Clients send back the model that they were shown, which is the profile's default if the session has none of its own.
      const shown = shownModel(before)
      const isOther = (model !== undefined && model !== shown.model) ||
        (modelProvider !== undefined && (modelProvider || null) !== shown.provider)
      return await set(id, 'session_update', {
        updatedAt: epochSeconds(clock),
        ...(keep && before.temporary ? kept : {}),
        ...(workspace === undefined ? {} : { workspace }),
        ...(!isOther || model === undefined ? {} : { model }),
        // The provider of a model that is named without one is resolved again.
        ...(!isOther ? {} : modelProvider !== undefined ? { modelProvider: modelProvider || null } : { modelProvider: null }),
        ...(isOther
          ? {
              inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, estimatedCost: null, contextLength: null,
              thresholdTokens: null, lastPromptTokens: null
            }
          : {})
      })
    },

    /** Sets the personality of the next turns; null: the profile's. */
    async setPersonality (id: string, name: string | null): Promise<SessionRow> {
      return await set(id, 'session_update', { personality: name, updatedAt: epochSeconds(clock) })
    }
  }
}
