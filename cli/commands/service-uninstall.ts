import { rmSync } from 'node:fs'
import { userInfo } from 'node:os'
import { serviceName } from '../../services/ground/process/supervisor.js'
import { refuseToAgents } from '../agents.js'
import { type Run } from '../command.js'
import { placesNow } from '../service.js'
import { assertInstalled, supervisorHere, system } from '../supervised.js'

export const run: Run = async () => {
  const kind = supervisorHere()
  const file = assertInstalled(kind)
  refuseToAgents(placesNow().stateDir)
  if (kind === 'systemd') system('systemctl', ['--user', 'disable', '--now', serviceName])
  else system('launchctl', ['bootout', `gui/${userInfo().uid}/${serviceName}`])
  rmSync(file, { force: true })
  if (kind === 'systemd') system('systemctl', ['--user', 'daemon-reload'])
  return { text: `Stopped the service, and removed ${file}. The data of the service stays.`, value: { file } }
}
