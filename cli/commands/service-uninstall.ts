import { refuseToAgents } from '../agents.js'
import { type Run } from '../command.js'
import { placesNow } from '../service.js'
import { assertInstalled, uninstall } from '../supervised.js'
import { supervisorHere } from '../unit-file.js'

export const run: Run = async () => {
  const kind = supervisorHere()
  const file = assertInstalled(kind)
  refuseToAgents(placesNow().stateDir)
  uninstall(kind, file)
  return { text: `Stopped the service, and removed ${file}. The data of the service stays.`, value: { file } }
}
