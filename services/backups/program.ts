import { execFile } from 'node:child_process'
import { asset, fromSource } from '../ground/assets.js'
import { type BackupOrder } from './backup.js'
import { type Backup } from './manifest.js'

/** What a process of its own does: one statement of SQLite's may take minutes, and could not be broken off in a thread. */
export type Order =
  | ({ task: 'backup' } & BackupOrder)
  | { task: 'check', file: string }

export type Failure = 'no_room' | 'damaged' | 'locked' | 'failed'
export type Reply =
  | { backup: Backup }
  /** Null: sound. */
  | { problem: string | null }
  | { failure: Failure, message: string }

const replyLimitBytes = 1024 * 1024

/** Runs one order beside the service, at a low priority. Never rejects; a broken off one is a failure. */
export async function carryOut (order: Order, { signal, timeoutMs }: { signal: AbortSignal, timeoutMs: number }): Promise<Reply> {
  const entry = asset(`services/backups/main.${fromSource ? 'ts' : 'js'}`)
  const parameters = [...(fromSource ? process.execArgv : []), entry, JSON.stringify(order)]
  return await new Promise((resolve) => {
    // Nothing of the service's environment, but where the sources' loader needs it.
    const env = fromSource ? process.env : { PATH: process.env.PATH }
    execFile(process.execPath, parameters, { env, signal, timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: replyLimitBytes }, (error, stdout) => {
      try {
        resolve(JSON.parse(stdout) as Reply)
      } catch {
        const isLate = error?.killed === true && !signal.aborted
        resolve({ failure: 'failed', message: isLate ? `It took longer than ${timeoutMs / 60_000} minutes and was given up.` : `The program of backups failed: ${error?.message ?? 'no reply'}` })
      }
    })
  })
}
