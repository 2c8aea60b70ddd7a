import { Forbidden, NotFound } from '../../ground/errors.js'
import { noForeign, type ForeignSource, type SessionExtent } from './foreign-source.js'
import { type ForeignRows } from './list.js'
import { type ListFlags } from './listed-ids.js'
import { type SessionRow } from './rows.js'
import { type SessionRows } from './session-rows.js'

/** The folder that a session works in. */
export interface SessionFolder { workspace: string, readOnly: boolean, isForeign: boolean }

/** Finds sessions: those of this service, and those of other front ends that are listed among them. */
export function createLookup (rows: Pick<SessionRows, 'find' | 'has'>) {
  let foreign = noForeign

  const has = (id: string): boolean => rows.has(id)
  const isForeign = (id: string): boolean => !has(id) && foreign.has(id)

  function get (id: string): SessionRow {
    const row = rows.find(id)
    if (row === undefined && foreign.has(id)) throw new Forbidden('This session belongs to another front end and is read-only')
    if (row === undefined || row.source === 'deleted') throw new NotFound('Session not found')
    return row
  }

  return {
    /** Throws NotFound, and Forbidden for a session of another front end. */
    get,
    /** Whether it is a session of this service. */
    has,
    /** Whether it is a session of another front end, and not one of this service. */
    isForeign,
    isAttached: (id: string): boolean => foreign.isAttached(id),
    foreignRows: (flags: ListFlags): ForeignRows => foreign.rows(flags),

    /** Returns the length of a session; undefined for an unknown one. */
    extentOf: (id: string): SessionExtent | undefined => rows.find(id) ?? foreign.extentOf(id),

    /** Lists the sessions of other front ends among those of this service from now on. */
    include (source: ForeignSource): void { foreign = source },

    /** Returns the profile of a session, and where it works; one of another front end counts as the asking profile's. Throws NotFound. */
    contextOf (id: string, asking: string): { profile: string, workspace: string, model?: string | null, provider?: string | null } {
      if (isForeign(id)) return { profile: asking, workspace: foreign.workspaceOf(id) }
      const { profile, workspace, model, modelProvider: provider } = get(id)
      return { profile, workspace, model, provider }
    },

    /** Throws NotFound. */
    folderOf (id: string): SessionFolder {
      if (isForeign(id)) return { workspace: foreign.workspaceOf(id), readOnly: true, isForeign: true }
      const { workspace, readOnly } = get(id)
      return { workspace, readOnly, isForeign: false }
    }
  }
}

export type SessionLookup = ReturnType<typeof createLookup>
