import { epochSeconds } from '../../ground/time/clock.js'
import { Invalid } from '../../ground/errors.js'
import { type Context } from './context.js'
import { isBad } from './following.js'
import { type Lookups } from './lookups.js'
import { messageOf } from './message.js'
import { isOpen } from './rows.js'
import { problemsOf } from './wire.js'

export interface WantedReport {
  /** Runs to report; null for the last run of each check that did not pass. */
  ids: readonly string[] | null
  /** Indexes of the problems to report, of one run; null for all. */
  problems: readonly number[] | null
  /** What the person adds; empty for nothing. */
  note: string
}

/** Composes the one message with these runs. `accepted` marks them as sent. Throws NotFound, Forbidden and Invalid. */
export function composeReport (
  { clock, rows, changed }: Context, { workable, runsOf, runIn }: Lookups, sessionId: string, { ids, problems, note }: WantedReport
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
}
