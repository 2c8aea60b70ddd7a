import { type Crons } from '../../crons/index.js'
import { type Check, type Finding, coded, ok, problem, warning } from '../check.js'

/** Scheduled jobs whose last run or delivery failed, or that have no next run. */
export function schedulesCheck ({ profiles, crons }: { profiles: () => readonly string[], crons: Pick<Crons, 'of'> }): Check {
  return {
    id: 'schedules',
    group: 'agent',
    title: 'Scheduled jobs',
    run () {
      const jobs = profiles().flatMap((profile) => crons.of(profile))
      const found = jobs.flatMap((job) => {
        const finding = judge(job)
        return finding === null ? [] : [{ ...finding, about: job.name }]
      })
      const count = jobs.length
      return found.length > 0
        ? found
        : coded(ok(`${count} scheduled job${count === 1 ? '' : 's'}, none of which failed last.`), 'schedules_fine', { count })
    }
  }
}

function judge ({ state, lastStatus, lastError, lastDeliveryError }: ReturnType<Crons['of']>[number]): Finding | null {
  if (state === 'error') {
    const reason = sentence(lastError ?? 'its schedule has no next time')
    return coded(problem(`It does not run any more: ${reason}`, 'Correct its schedule under Tasks.'), 'schedule_ended', { reason })
  }
  if (state !== 'scheduled') return null
  if (lastStatus === 'delivery_failed') {
    const reason = sentence(lastDeliveryError ?? 'unknown reason')
    const found = warning(`Its last result was not delivered: ${reason}`, 'Check where it delivers to under Tasks.')
    return coded(found, 'schedule_undelivered', { reason })
  }
  if (lastStatus !== 'error' && lastStatus !== 'blocked_config') return null
  const reason = sentence(lastError ?? 'unknown reason')
  return coded(warning(`Its last run failed: ${reason}`, 'Open its last run under Tasks.'), 'schedule_failed', { reason })
}

/** Ends a reason with one full stop. */
const sentence = (reason: string): string => /[.!?]$/.test(reason) ? reason : `${reason}.`
