import { databaseFile } from '../../ground/database/index.js'
import { type Log } from '../../ground/log.js'
import { carryOut, type Reply } from './program.js'

export type CheckStatus = 'pending' | 'ok' | 'damaged' | 'unfinished'

export interface DatabaseCheckOptions {
  environment: NodeJS.ProcessEnv
  stateDir: string
  limitMs: number
  signal: AbortSignal
  log: Log
}

/** Checks every page of the database, in a separate process. */
export function createDatabaseCheck ({ environment, stateDir, limitMs, signal, log }: DatabaseCheckOptions) {
  let status: CheckStatus = 'pending'
  return {
    /** Returns the result of the check. */
    status: (): CheckStatus => status,

    /** Called when damage was found elsewhere. */
    tellDamaged (): void { status = 'damaged' },

    async run (): Promise<void> {
      const reply = await carryOut({ task: 'check', file: databaseFile(stateDir) }, { environment, signal, timeoutMs: limitMs })
      if (signal.aborted) return
      const isDamaged = 'problem' in reply ? reply.problem !== null : isDamage(reply)
      status = isDamaged ? 'damaged' : 'problem' in reply ? 'ok' : 'unfinished'
      if (status !== 'ok') {
        log(isDamaged ? 'the database is damaged: restore a backup' : 'the database could not be checked', {
          reason: 'problem' in reply ? reply.problem : 'message' in reply ? reply.message : null
        })
      }
    }
  }
}

function isDamage (reply: Reply): boolean {
  return 'failure' in reply && reply.failure === 'damaged'
}
