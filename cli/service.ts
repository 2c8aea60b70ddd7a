import { request } from 'node:http'
import { localEnvironment } from '../plugins/ground/config-environment.js'
import { readPlaces } from '../plugins/ground/config.js'
import { holderOf, lockFile, lockPath } from '../services/ground/database/lock.js'
import { codeOf } from '../services/ground/errors.js'
import { consoleSocket, withShortPath } from '../services/ground/local-socket.js'
import { refuseToAgents } from './agents.js'
import { askerOf, type Raw, type Service } from './asking.js'
import { CommandFailed, NotRunning } from './command.js'

/** An update is fetched, made and tried meanwhile. */
const usualLimitMs = 30 * 60_000

/** The service that runs, by its socket. Throws NotRunning, and CommandFailed where its process does not answer. */
export async function runningService (): Promise<Service> {
  const service = await reached()
  if (service === null) throw new NotRunning()
  return service
}

/** The service that runs, or its database, which is locked for so long. Throws CommandFailed, UnusableDatabase, StateFolderInUse. */
export async function serviceOrDatabase (): Promise<Service> {
  const service = await reached()
  if (service !== null) return service
  const { openOffline } = await import('./offline.js')
  return await openOffline(placesNow())
}

export const placesNow = () => readPlaces(localEnvironment())

/** Null: no service runs. */
async function reached (): Promise<Service | null> {
  const { stateDir } = placesNow()
  refuseToAgents(stateDir)
  if (await isListening(stateDir)) return { isRunning: true, ask: askOf(stateDir), close: async () => {} }
  const pid = runningProcess(stateDir)
  if (pid === null) return null
  throw new CommandFailed(`The service runs (process ${pid}) and does not answer at its socket. It may be starting or upgrading its database: try again in a moment. If it does not help, restart it`)
}

/** The process that holds the state folder; null: none does. Beside the pid of its file, which may be another's by now, its lock counts. */
export function runningProcess (stateDir: string): number | null {
  const pid = holderOf(stateDir)
  if (pid === null) return null
  const unlock = lockFile(lockPath(stateDir))
  unlock?.()
  return unlock === null ? pid : null
}

export async function isListening (stateDir: string): Promise<boolean> {
  return await overSocket(stateDir, '/livez', undefined, 5_000).then(({ status }) => status === 200, () => false)
}

/** What routes of the service answer that listens at the socket of a state folder. */
export const askOf = (stateDir: string): Service['ask'] => askerOf((path, body) => overSocket(stateDir, path, body))

/** Asks at the socket of a state folder. Rejects where nobody listens. */
export async function overSocket (stateDir: string, path: string, body?: object, limitMs = usualLimitMs): Promise<Raw> {
  return await new Promise((resolve, reject) => {
    withShortPath(consoleSocket(stateDir), (socketPath, release) => {
      const sent = body === undefined ? undefined : JSON.stringify(body)
      const asking = request({
        socketPath,
        path,
        method: sent === undefined ? 'GET' : 'POST',
        headers: { host: 'localhost', ...(sent === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) }) },
        agent: false,
        signal: AbortSignal.timeout(limitMs)
      }, (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject).on('end', () => {
          try {
            resolve({ status: answer.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) as unknown })
          } catch {
            reject(new Error('its answer is not JSON'))
          }
        })
      })
      asking.once('close', release).on('error', (error) => {
        release()
        reject(codeOf(error) === 'ABORT_ERR' ? new Error('it takes too long') : error)
      })
      asking.end(sent)
    })
  })
}
