import { join } from 'node:path'
import { dist } from '../../services/ground/assets.js'
import { hasFlag, type Run } from '../command.js'
import { fewArenas } from '../memory.js'
import { startVariables } from '../start-variables.js'

/** Options of Node: what a turn allocates is short-lived, so a larger young generation would only cost memory. As in package.json. */
const engineOptions = ['--max-semi-space-size=4']

/** Turns this process into the service, so that a supervisor that started it supervises the service. */
export const run: Run = async (asked) => {
  const variables = startVariables(asked)
  Object.assign(process.env, { ...fewArenas, ...process.env }, variables)
  const more = hasFlag(asked, 'open') ? ['--open'] : []
  if (dist !== null && process.execve !== undefined) {
    process.removeAllListeners('warning') // Node warns that execve is experimental
    process.execve(process.execPath, [process.execPath, ...process.execArgv, ...engineOptions, join(dist, 'server.js'), ...more], process.env)
  }
  // An older Node has no execve, so the service starts without these options. It reads its arguments and its own path from `argv`.
  process.argv.splice(1, process.argv.length, ...(dist === null ? [process.argv[1] ?? ''] : [join(dist, 'server.js')]), ...more)
  await import('../../server.js')
  return null
}
