import { epochSeconds, type Clock } from '../../../ground/time/clock.js'
import { type Machines, type Machine } from '../../machines/index.js'
import { type Check, type Finding, coded, ok, problem, skipped, warning } from '../check.js'
import { ageWords } from '../texts.js'

export interface MachinesOptions { machines: Pick<Machines, 'isEnabled' | 'problem' | 'list'>, clock: Clock, version: string }

/** The NATS server, and each machine that has joined. */
export function machinesCheck ({ machines, clock, version }: MachinesOptions): Check {
  return {
    id: 'machines',
    group: 'connections',
    title: 'Other machines',
    run () {
      if (!machines.isEnabled) return coded(skipped('No other machine can join: SVC_NATS_URL is not set.'), 'machines_off')
      const reason = machines.problem()
      const server = reason === null
        ? coded(ok('The NATS server is connected.'), 'nats_connected')
        : problem(`The NATS server cannot be used: ${reason}`, 'Start it, and check SVC_NATS_URL, SVC_NATS_CREDENTIALS and SVC_NATS_CA.')
      return [{ ...server, about: 'NATS' }, ...machines.list().map((machine) => ({ ...judge(machine), about: machine.name }))]
    }
  }

  function judge ({ state, note, sinceS, told, hasLeft }: Machine): Finding {
    if (state === 'refused') return problem(note ?? 'It was refused.', 'Install the same version on both machines, then start its program again.')
    if (state === 'away') {
      const seconds = Math.round(Math.max(0, epochSeconds(clock) - sinceS))
      const words = `It has been away for ${ageWords(seconds)}. ${note ?? ''}`.trim()
      const found = hasLeft ? skipped(words) : warning(words, 'Start its program there:\nsystemctl status agent-host\n# Or remove it under Settings → Machines.')
      return note === null ? coded(found, 'machine_away', { seconds }) : found
    }
    return told !== null && told.version !== version
      ? coded(
        warning(`It is connected with version ${told.version}; the service has ${version}.`, 'Update it to the version of the service.'),
        'machine_version', { version: told.version, own: version }
      )
      : coded(ok('It is connected.'), 'machine_connected')
  }
}
