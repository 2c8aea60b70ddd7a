import { type Static } from '@sinclair/typebox'
import { type CheckRun, type CheckRunDetail, type Checks as ChecksSchema } from '../../../schemas/checks.js'
import { Conflict, Forbidden, Invalid, NotFound, Unavailable } from '../../ground/errors.js'
import { changedScript, contextOf, type ChecksOptions } from './context.js'
import { AfterTurns } from './following.js'
import { createLookups } from './lookups.js'
import { composeReport, type WantedReport } from './reporting.js'
import { isOpen } from './rows.js'
import { CheckRuns } from './running.js'
import { createSaving } from './saving.js'
import { checkToWire, detailToWire, runToWire } from './wire.js'

/**
 * The project's own checks: commands that a person has saved for a folder, found in its files or written by hand. They run confined, and
 * their outputs are searched for places in files. What a folder's files offer never runs before a person has saved it, nor after it has
 * changed.
 */
export function createChecks (options: ChecksOptions) {
  const context = contextOf(options)
  const { sessions, rows, placeOf } = context
  const runs = new CheckRuns(context)
  const after = new AfterTurns(context, runs)
  const lookups = createLookups(context)
  const { workable, chosen, runsOf, runIn } = lookups

  return {
    /**
     * Returns nothing for a conversation of another program, and no proposals if the folder's machine cannot be reached. Throws NotFound,
     * and the machine's refusal.
     */
    async list (sessionId: string): Promise<Static<typeof ChecksSchema>> {
      if (sessions.isForeign(sessionId)) return { workspace: '', available: false, confined: false, checks: [], proposals: [], runs: [] }
      const place = placeOf(sessions.get(sessionId))
      const { profile, folder } = place
      const looked = await place.site.look(profile, place.path).catch(whereUnreachable)
      const saved = rows.list(profile, place.place)
      return {
        workspace: folder, available: looked !== null, confined: looked?.isConfined ?? false,
        checks: saved.map((check) => checkToWire(check, looked?.proposals ?? null)),
        proposals: (looked?.proposals ?? []).filter(({ command }) => !saved.some((check) => check.command === command)),
        runs: runsOf(place).map(runToWire)
      }
    },

    /** A run with what it found. Throws NotFound, also for runs of other profiles. */
    async run (id: string, profile: string): Promise<Static<typeof CheckRunDetail>> {
      const run = rows.run(id)
      if (run === undefined || rows.find(run.checkId)?.profile !== profile) throw new NotFound('Run not found')
      return detailToWire(run, await runs.outputOf(id))
    },

    ...createSaving(context, lookups, runs),

    /**
     * Begins runs of these checks, or of all. `mayRunFree`: whether they may run without a sandbox. Throws NotFound, Forbidden, Invalid,
     * Unavailable (`host_unreachable`), and Conflict (`check_changed`) for a named check whose file makes it run something else now; if all
     * are run, such checks are skipped.
     */
    async begin (
      sessionId: string, ids: readonly string[] | null, { mayRunFree }: { mayRunFree: () => boolean }
    ): Promise<Array<Static<typeof CheckRun>>> {
      const place = workable(sessionId)
      const { proposals: offered, isConfined: confined } = await place.site.look(place.profile, place.path)
      if (!confined && !mayRunFree()) {
        throw new Forbidden('There is no sandbox here, and this token may not run commands outside of one', 'scope_too_narrow')
      }
      const wanted = chosen(place, ids)
      if (wanted.length === 0) throw new Invalid('There is no check to run. Save one first')
      const checks = wanted.filter((check) => changedScript(check, offered) === null)
      if (ids === null ? checks.length === 0 : checks.length < wanted.length) {
        throw new Conflict('The file that defines this check has changed. Look at it and save it again', 'check_changed')
      }
      const { ids: begun } = await runs.begin(place, sessionId, checks, { streamId: null, isConfined: confined })
      return begun.map((id) => rows.summary(id)).filter((run) => run !== undefined).map(runToWire)
    },

    /** Stops these runs, or all of the folder. Throws NotFound, Forbidden and Invalid. */
    async cancel (sessionId: string, ids: readonly string[] | null): Promise<string[]> {
      const place = workable(sessionId)
      const wanted = ids === null ? runsOf(place).filter(isOpen).map(({ id }) => id) : ids.map((id) => runIn(place, id).id)
      return await runs.cancel(wanted)
    },

    /** Composes the message with the results of checks. Throws NotFound, Forbidden and Invalid. */
    compose: (sessionId: string, wanted: WantedReport) => composeReport(context, lookups, sessionId, wanted),

    /** Called after a start of the service. */
    recover: (): void => runs.recover(),

    /** Returns the numbers of runs and of followed turns, for tests and metrics. */
    size: () => ({ runs: runs.size(), following: after.size() })
  }
}

/** Turns the error of a machine that does not answer into null. */
function whereUnreachable (error: unknown): null {
  if (error instanceof Unavailable) return null
  throw error
}

export type Checks = ReturnType<typeof createChecks>
