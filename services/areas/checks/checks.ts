import { randomBytes } from 'node:crypto'
import { type Static } from '@sinclair/typebox'
import { type Check, type CheckKind, type CheckRun, type CheckRunDetail, type Checks as ChecksSchema } from '../../../schemas/checks.js'
import { epochSeconds } from '../../ground/clock.js'
import { Conflict, Forbidden, Invalid, NotFound, Unavailable } from '../../ground/errors.js'
import { asSaved, redact, redactAhead } from '../../ground/redaction/index.js'
import { changedScript, contextOf, type CheckPlace, type ChecksOptions } from './context.js'
import { AfterTurns, isBad } from './following.js'
import { messageOf } from './message.js'
import { isOpen, type CheckRow, type RunRow } from './rows.js'
import { CheckRuns } from './running.js'
import { type SiteLook } from './site.js'
import { checkToWire, detailToWire, problemsOf, runToWire } from './wire.js'

export interface WantedCheck {
  id: string | null
  name: string
  kind: Static<typeof CheckKind> | null
  command: string
  /** What the file makes the command run, as shown to the person; null for nothing. */
  script: string | null
  afterTurn: CheckRow['afterTurn'] | null
  autoSend: number | null
  seconds: number | null
}

const mostChecks = 20
const shownRuns = 20
const usual = { kind: 'other', afterTurn: 'ask', autoSend: 0, seconds: 300 } as const

/**
 * The project's own checks: commands that a person has saved for a folder, found in its files or written by hand. They run confined, and
 * their outputs are searched for places in files. What a folder's files offer never runs before a person has saved it, nor after it has
 * changed.
 */
export function createChecks (options: ChecksOptions) {
  const context = contextOf(options)
  const { db, clock, audit, sessions, rows, placeOf, changed } = context
  const runs = new CheckRuns(context)
  const after = new AfterTurns(context, runs)

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

  /** Returns the named checks, or all. Throws NotFound. */
  function chosen (place: CheckPlace, ids: readonly string[] | null): CheckRow[] {
    const wanted = ids?.map((id) => meant(place, id).id)
    return rows.list(place.profile, place.place).filter(({ id }) => wanted?.includes(id) !== false)
  }

  const lookAt = async ({ site, profile, path }: CheckPlace): Promise<SiteLook> => await site.look(profile, path)
  const runsOf = (place: CheckPlace) => rows.runs(rows.list(place.profile, place.place).map(({ id }) => id), place.folder, shownRuns)

  /** Returns a run in the session's folder. Throws NotFound. */
  function runIn (place: CheckPlace, id: string): RunRow {
    const run = rows.run(id)
    if (run?.folder !== place.folder) throw new NotFound('Run not found')
    meant(place, run.checkId)
    return run
  }

  return {
    /**
     * Returns nothing for a conversation of another program, and no proposals if the folder's machine cannot be reached. Throws NotFound,
     * and the machine's refusal.
     */
    async list (sessionId: string): Promise<Static<typeof ChecksSchema>> {
      if (sessions.isForeign(sessionId)) return { workspace: '', available: false, confined: false, checks: [], proposals: [], runs: [] }
      const place = placeOf(sessions.get(sessionId))
      const { profile, folder } = place
      const looked = await lookAt(place).catch(whereUnreachable)
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

    /**
     * Saves a check; one with the command of an existing check replaces that. Throws NotFound, Forbidden, Invalid, Unavailable
     * (`host_unreachable`), and Conflict: `check_changed` if its file makes it run something other than the person has seen, `checks_full`
     * beyond 20.
     */
    async save (sessionId: string, wanted: WantedCheck): Promise<Static<typeof Check>> {
      const place = workable(sessionId)
      const { profile, folder } = place
      const before = wanted.id === null ? undefined : meant(place, wanted.id)
      const command = asSaved('command', wanted.command, before?.command ?? null).trim()
      const name = asSaved('name', wanted.name, before?.name ?? null).trim()
      if (name === '') throw new Invalid('name is required')
      if (command === '' || command.includes('\0')) throw new Invalid('command is required, without NUL bytes')
      const { proposals: offered } = await lookAt(place)
      const proposal = offered.find((one) => one.command === command)
      const script = proposal?.script ?? null
      const seen = wanted.script ?? (before?.command === command ? before.script : null)
      if (script !== null && seen !== script) {
        throw new Conflict('The file that defines this command has changed since you saw it. Look at it again', 'check_changed')
      }
      await redactAhead(command)
      return await db.durably(() => {
        const all = rows.list(profile, place.place)
        const same = all.find((check) => check.id === wanted.id) ?? all.find((check) => check.command === command)
        if (wanted.id !== null && same?.id !== wanted.id) throw new NotFound('Check not found')
        if (same === undefined && all.length >= mostChecks) throw new Conflict(`A folder has at most ${mostChecks} checks`, 'checks_full')
        const old = same ?? { ...usual, id: randomBytes(8).toString('hex'), createdAt: epochSeconds(clock) }
        const row = {
          id: old.id, createdAt: old.createdAt, profile, place: place.place, name, command, file: proposal?.file ?? null, script,
          kind: wanted.kind ?? same?.kind ?? proposal?.kind ?? old.kind,
          afterTurn: wanted.afterTurn ?? old.afterTurn, autoSend: wanted.autoSend ?? old.autoSend,
          seconds: wanted.seconds ?? old.seconds
        }
        if (same === undefined) rows.insert(row)
        else rows.set(row.id, row)
        audit.record('check.saved', {
          profile, workspace: place.place, check: row.id, command: redact(command), after_turn: row.afterTurn, auto_send: row.autoSend
        })
        changed(folder, null)
        return checkToWire(row, offered)
      })
    },

    /** Removes a check with its runs, which are stopped. Throws NotFound, Forbidden and Invalid. */
    async remove (sessionId: string, id: string): Promise<void> {
      const place = workable(sessionId)
      meant(place, id)
      await runs.cancel(rows.open().filter(({ checkId }) => checkId === id).map((run) => run.id))
      await db.durably(() => {
        meant(place, id)
        rows.remove(id)
        audit.record('check.removed', { profile: place.profile, workspace: place.place, check: id })
        changed(place.folder, null)
      })
    },

    /**
     * Begins runs of these checks, or of all. `mayRunFree`: whether they may run without a sandbox. Throws NotFound, Forbidden, Invalid,
     * Unavailable (`host_unreachable`), and Conflict (`check_changed`) for a named check whose file makes it run something else now; if all
     * are run, such checks are skipped.
     */
    async begin (
      sessionId: string, ids: readonly string[] | null, { mayRunFree }: { mayRunFree: () => boolean }
    ): Promise<Array<Static<typeof CheckRun>>> {
      const place = workable(sessionId)
      const { proposals: offered, isConfined: confined } = await lookAt(place)
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

    /**
     * Returns one message with these runs, or with the last run of each check that did not pass. Throws NotFound, Forbidden and Invalid.
     */
    compose (
      sessionId: string, { ids, problems, note }: { ids: readonly string[] | null, problems: readonly number[] | null, note: string }
    ): { message: string, accepted: () => void } {
      const place = workable(sessionId)
      const latest = (): string[] => {
        const seen = new Set<string>()
        return runsOf(place).filter(({ checkId }) => !seen.has(checkId) && seen.add(checkId)).filter(isBad).map(({ id }) => id).reverse()
      }
      const wanted = [...new Set(ids ?? latest())].map((id) => runIn(place, id))
      if (wanted.length === 0) throw new Invalid('No check has failed, so there is nothing to send')
      if (wanted.some(isOpen)) throw new Invalid('This check is still running. Wait until it ends, or stop it')
      if (problems !== null && wanted.length > 1) throw new Invalid('Problems can be chosen from one run only')
      const sent = wanted.map((run) => {
        const all = problemsOf(run)
        if (problems?.some((index) => all[index] === undefined) === true) throw new Invalid('This run has no such problem')
        const chosen = problems === null ? all : all.filter((_, index) => problems.includes(index))
        return { ...run, isPicked: problems !== null, problems: chosen }
      })
      return {
        message: messageOf(sent, { note }),
        accepted: () => {
          rows.sent(wanted.map(({ id }) => id), epochSeconds(clock))
          changed(place.folder, sessionId)
        }
      }
    },

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
