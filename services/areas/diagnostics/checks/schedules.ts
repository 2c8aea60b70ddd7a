import { type Crons } from '../../crons/index.js'
import { type Check, type Finding, orOk, problem, warning } from '../check.js'

/** Scheduled jobs whose last run or delivery failed, or that have no next run. */
export function schedulesCheck ({ profiles, crons }: { profiles: () => readonly string[], crons: Pick<Crons, 'of'> }): Check {
  return {
    id: 'schedules',
    group: 'agent',
    title: 'Scheduled jobs',
    run () {
      const jobs = profiles().flatMap((profile) => crons.of(profile))
      return orOk(jobs.flatMap((job) => {
        const finding = judge(job)
        return finding === null ? [] : [{ ...finding, about: job.name }]
      }), `${jobs.length} scheduled job${jobs.length === 1 ? '' : 's'}, none of which failed last.`)
    }
  }
}

function judge ({ state, lastStatus, lastError, lastDeliveryError }: ReturnType<Crons['of']>[number]): Finding | null {
  if (state === 'error') return problem(`It does not run any more: ${lastError ?? 'its schedule has no next time'}.`, 'Correct its schedule under Tasks.')
  if (state !== 'scheduled') return null
  if (lastStatus === 'delivery_failed') {
    return warning(`Its last result was not delivered: ${lastDeliveryError ?? 'unknown reason'}.`, 'Check where it delivers to under Tasks.')
  }
  return lastStatus === 'error' || lastStatus === 'blocked_config'
    ? warning(`Its last run failed: ${lastError ?? 'unknown reason'}.`, 'Open its last run under Tasks.')
    : null
}
