import { join } from 'node:path'
import { dist } from '../../services/ground/assets.js'
import { hasFlag, type Run } from '../command.js'
import { fewArenas } from '../memory.js'
import { startVariables } from '../start-variables.js'

/** Of the engine: what a turn allocates lives so shortly that more room would only be taken (package.json starts it the same). */
const engineOptions = ['--max-semi-space-size=4']

/** Becomes the service: the same process, so that whoever has started it watches over that. */
export const run: Run = async (asked) => {
  const variables = startVariables(asked)
  // Named here, it counts: both would contradict each other.
  if ('SVC_WEBUI_PASSWORD_FILE' in variables) delete process.env.SVC_WEBUI_PASSWORD
  Object.assign(process.env, { ...fewArenas, ...process.env }, variables)
  const more = hasFlag(asked, 'open') ? ['--open'] : []
  if (dist !== null && process.execve !== undefined) {
    process.removeAllListeners('warning') // that this is new in Node
    process.execve(process.execPath, [process.execPath, ...process.execArgv, ...engineOptions, join(dist, 'server.js'), ...more], process.env)
  }
  // Older engines cannot: without the options then. The service reads its arguments, and where it was started from, there.
  process.argv.splice(1, process.argv.length, ...(dist === null ? [process.argv[1] ?? ''] : [join(dist, 'server.js')]), ...more)
  await import('../../server.js')
  return null
}
