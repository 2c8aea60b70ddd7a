import { serviceName } from '../../services/ground/process/supervisor.js'
import { hasFlag, type Run } from '../command.js'
import { placesNow } from '../service.js'
import { assertInstalled, handOn, logFile } from '../supervised.js'
import { supervisorHere } from '../unit-file.js'
import { numberOf } from '../values.js'

export const run: Run = async (asked) => {
  const lines = String(numberOf(asked, 'lines', { least: 1, most: 100_000, usual: 100 }))
  const kind = supervisorHere()
  assertInstalled(kind)
  const follow = hasFlag(asked, 'follow')
  process.exitCode = kind === 'systemd'
    ? await handOn('journalctl', ['--user', '--unit', serviceName, '--lines', lines, '--no-pager', ...(follow ? ['--follow'] : [])])
    : await handOn('tail', ['-n', lines, ...(follow ? ['-F'] : []), logFile(placesNow().stateDir)])
  return null
}
