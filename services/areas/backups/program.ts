import { asset, fromSource } from '../../ground/assets.js'
import { capture } from '../../ground/process/capture.js'
import { pickVariables, searchPath } from '../../ground/process/environment.js'
import { tried } from '../../ground/tried.js'
import { type BackupOrder } from './backup.js'
import { type Backup } from './manifest.js'

/** A task for a separate process: a single SQLite statement may take minutes, and could not be aborted in a thread. */
export type Order =
  | ({ task: 'backup' } & BackupOrder)
  | { task: 'check', file: string }

export type Failure = 'no_room' | 'damaged' | 'locked' | 'failed'
export type Reply =
  | { backup: Backup }
  /** null if the database is sound. */
  | { problem: string | null }
  | { failure: Failure, message: string }

const replyLimitBytes = 1024 * 1024

export interface CarryingOut {
  /** That of the service. */
  environment: NodeJS.ProcessEnv
  signal: AbortSignal
  timeoutMs: number
}

/** Carries out an order in a separate process, at a low priority. Never rejects; an aborted order is a failure. */
export async function carryOut (order: Order, { environment, signal, timeoutMs }: CarryingOut): Promise<Reply> {
  const entry = asset(`services/areas/backups/main.${fromSource ? 'ts' : 'js'}`)
  const parameters = [...(fromSource ? process.execArgv : []), entry, JSON.stringify(order)]
  // Nothing of the service's environment is passed on, except where the loader of sources needs it.
  const env = fromSource ? pickVariables(environment, Object.keys(environment)) : { PATH: searchPath(environment.PATH) }
  try {
    const { stdout, stderr, ended } = await capture(process.execPath, parameters, {
      cwd: process.cwd(), env, signal, timeoutMs, abruptly: true, maxOutputBytes: replyLimitBytes
    })
    if (ended === 'timeout') return failed(`It took longer than ${timeoutMs / 60_000} minutes and was stopped.`)
    return replyOf(stdout) ??
      failed(`The backup process failed: ${ended === 'exit' ? stderr.trim() || 'no reply' : `it was stopped (${ended})`}`)
  } catch (error) {
    return failed(`The backup process failed: ${String(error)}`)
  }
}

const failed = (message: string): Reply => ({ failure: 'failed', message })

const replyOf = (stdout: Buffer): Reply | null => tried(() => JSON.parse(stdout.toString()) as Reply, null)
