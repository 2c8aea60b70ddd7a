import { randomBytes } from 'node:crypto'
import { type Static } from '@sinclair/typebox'
import { type Check, type CheckKind } from '../../../schemas/checks.js'
import { epochSeconds } from '../../ground/time/clock.js'
import { Conflict, Invalid, NotFound } from '../../ground/errors.js'
import { asSaved, redact, redactAhead } from '../../ground/redaction/index.js'
import { type Context } from './context.js'
import { type Lookups } from './lookups.js'
import { type CheckRow } from './rows.js'
import { type CheckRuns } from './running.js'
import { checkToWire } from './wire.js'

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
const usual = { kind: 'other', afterTurn: 'ask', autoSend: 0, seconds: 300 } as const

/** Saves and removes checks: the commands that a person has allowed to run for a folder. */
export function createSaving ({ db, clock, audit, rows, changed }: Context, { workable, meant }: Lookups, runs: CheckRuns) {
  return {
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
      const { proposals: offered } = await place.site.look(profile, place.path)
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
    }
  }
}
