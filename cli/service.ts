import { accessSync, constants, statSync } from 'node:fs'
import { request } from 'node:http'
import { dirname } from 'node:path'
import { localEnvironment } from '../plugins/ground/config-environment.js'
import { readPlaces } from '../plugins/ground/config.js'
import { holderOf, lockFile, lockPath } from '../services/ground/database/lock.js'
import { codeOf } from '../services/ground/errors.js'
import { consoleSocket, withShortPath } from '../services/ground/network/local-socket.js'
import { tried } from '../services/ground/tried.js'
import { refuseToAgents } from './agents.js'
import { askerOf, type Raw, type Service } from './asking.js'
import { CommandFailed, NotRunning } from './command.js'
import { startLine } from './unit-file.js'

/** Long enough for an update to be fetched, built and tried. */
const usualLimitMs = 30 * 60_000

/** Returns the running service. Throws NotRunning, and CommandFailed if its process does not answer. */
export async function runningService (): Promise<Service> {
  const service = await reached()
  if (service === null) throw notRunning()
  return service
}

/**
 * Returns the running service, or a replacement that works on its database and locks it until `close`. Throws CommandFailed,
 * UnusableDatabase and StateFolderInUse.
 */
export async function serviceOrDatabase (): Promise<Service> {
  const service = await reached()
  if (service !== null) return service
  const { openOffline } = await import('./offline.js')
  return await openOffline(placesNow())
}

/** Returns the error that says that no service runs, and how to start it. */
export function notRunning (): NotRunning {
  const places = placesNow()
  return new NotRunning(places.stateDir, `Start it: ${startLine(places)}`)
}

export const placesNow = () => readPlaces(localEnvironment())

/** Returns the places for a command that opens the service's files. Throws CommandFailed if this user may not open the state folder. */
export function openPlaces (): ReturnType<typeof placesNow> {
  const places = placesNow()
  assertMayOpen(places.stateDir)
  return places
}

/** Returns the running service; null if none runs. */
async function reached (): Promise<Service | null> {
  const { stateDir } = placesNow()
  refuseToAgents(stateDir)
  if (await isListening(stateDir)) return { isRunning: true, ask: askOf(stateDir), close: async () => {} }
  const pid = runningProcess(stateDir)
  if (pid === null) return null
  throw new CommandFailed(`The service is running (process ${pid}), but does not answer at its socket. It may be starting or upgrading its database: try again in a moment. If that does not help, restart it`)
}

/**
 * Returns the id of the process that holds the state folder; null if none does. Checks the lock too, because ids are used again. Throws
 * CommandFailed if this user may not open the folder, and so cannot know.
 */
export function runningProcess (stateDir: string): number | null {
  assertMayOpen(stateDir)
  const pid = holderOf(stateDir)
  if (pid === null) return null
  const unlock = lockFile(lockPath(stateDir))
  unlock?.()
  return unlock === null ? pid : null
}

function assertMayOpen (stateDir: string): void {
  try {
    accessSync(stateDir, constants.R_OK | constants.X_OK)
  } catch (error) {
    if (codeOf(error) !== 'EACCES') return
    throw new CommandFailed(`This user may not open the state folder ${stateDir}. Run the command as the user of the service (sudo -u '#${ownerOf(stateDir)}' …), or name another home folder with --home`)
  }
}

/** Returns the owner of a file or folder, or of the first folder above it that this user may see. */
const ownerOf = (path: string): number => tried(() => statSync(path).uid, null) ?? ownerOf(dirname(path))

export async function isListening (stateDir: string): Promise<boolean> {
  return await overSocket(stateDir, '/livez', undefined, 5_000).then(({ status }) => status === 200, () => false)
}

/** Returns an `ask` for the service that listens on the socket of a state folder. */
export const askOf = (stateDir: string): Service['ask'] => askerOf((path, body) => overSocket(stateDir, path, body))

/** Sends a request to the socket of a state folder. Rejects if no service listens, and if the answer is not JSON. */
export async function overSocket (stateDir: string, path: string, body?: object, limitMs = usualLimitMs): Promise<Raw> {
  const sent = body === undefined ? undefined : { type: 'application/json', bytes: Buffer.from(JSON.stringify(body)) }
  return rawOf(await bytesOverSocket(stateDir, path, { sent, limitMs }))
}

/** Reads the answer to a request as JSON. Throws if it is not. */
export function rawOf ({ status, bytes }: { status: number, bytes: Buffer }): Raw {
  try {
    return { status, body: JSON.parse(bytes.toString()) as unknown }
  } catch {
    throw new Error('its answer is not JSON')
  }
}

interface SocketRequest {
  /** Makes the request a POST. */
  sent?: { type: string, bytes: Uint8Array } | undefined
  limitMs?: number
}

/** Does what `overSocket` does, with bytes in both directions. */
export async function bytesOverSocket (
  stateDir: string, path: string, { sent, limitMs = usualLimitMs }: SocketRequest = {}
): Promise<{ status: number, bytes: Buffer }> {
  return await new Promise((resolve, reject) => {
    withShortPath(consoleSocket(stateDir), (socketPath, release) => {
      const asking = request({
        socketPath,
        path,
        method: sent === undefined ? 'GET' : 'POST',
        headers: { host: 'localhost', ...(sent === undefined ? {} : { 'content-type': sent.type, 'content-length': sent.bytes.length }) },
        agent: false,
        signal: AbortSignal.timeout(limitMs)
      }, (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject).on('end', () => {
          resolve({ status: answer.statusCode ?? 0, bytes: Buffer.concat(chunks) })
        })
      })
      asking.once('close', release).on('error', (error) => {
        release()
        reject(codeOf(error) === 'ABORT_ERR' ? new Error('it took too long') : error)
      })
      asking.end(sent?.bytes)
    })
  })
}
