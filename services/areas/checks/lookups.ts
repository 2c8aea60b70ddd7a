import { Forbidden, NotFound } from '../../ground/errors.js'
import { type CheckPlace, type Context } from './context.js'
import { type CheckRow, type CheckRunRow, type RunSummary } from './rows.js'

const shownRuns = 20

/** Finds checks and runs by what a client names, and only in the place of its session. */
export function createLookups ({ sessions, rows, placeOf }: Context) {
  /** Returns the place of a session's checks. Throws NotFound, and Forbidden for a read-only session. */
  function workable (sessionId: string): CheckPlace {
    const session = sessions.get(sessionId)
    if (session.readOnly) throw new Forbidden('This session is read-only')
    return placeOf(session)
  }

  /** Throws NotFound, also for checks of other folders. */
  function meant ({ profile, place }: CheckPlace, id: string): CheckRow {
    const check = rows.find(id)
    if (check?.profile !== profile || check.place !== place) throw new NotFound('Check not found')
    return check
  }

  return {
    workable,
    meant,

    /** Returns the named checks, or all. Throws NotFound. */
    chosen (place: CheckPlace, ids: readonly string[] | null): CheckRow[] {
      const wanted = ids?.map((id) => meant(place, id).id)
      return rows.list(place.profile, place.place).filter(({ id }) => wanted?.includes(id) !== false)
    },

    /** Returns the last runs in the folder, latest first. */
    runsOf: (place: CheckPlace): RunSummary[] =>
      rows.runs(rows.list(place.profile, place.place).map(({ id }) => id), place.folder, shownRuns),

    /** Returns a run in the session's folder. Throws NotFound. */
    runIn (place: CheckPlace, id: string): CheckRunRow {
      const run = rows.run(id)
      if (run?.folder !== place.folder) throw new NotFound('Run not found')
      meant(place, run.checkId)
      return run
    }
  }
}

export type Lookups = ReturnType<typeof createLookups>
