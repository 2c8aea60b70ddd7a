import { DeviceMade } from '../../schemas/auth-devices.js'
import { textOf, WrongUsage, type CommandLine, type Run } from '../command.js'
import { serviceOrDatabase } from '../service.js'
import { readAll, scopeOf, secondsOf } from '../values.js'

export const run: Run = async (asked) => {
  const wanted = readAll({
    name: () => nameOf(asked),
    scope: () => scopeOf(asked),
    expires_in_seconds: () => secondsOf(asked, 'expires-in')
  })
  const service = await serviceOrDatabase()
  try {
    const answer = await service.ask('/api/auth/tokens/create', DeviceMade, wanted)
    return { text: answer.token, value: answer }
  } finally {
    await service.close()
  }
}

function nameOf (asked: CommandLine): string {
  const name = textOf(asked, 'name')
  if (name === undefined) throw new WrongUsage('The token needs a name, such as --name ci')
  return name
}
