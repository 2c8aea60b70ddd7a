import { join } from 'node:path'
import { type Clock } from '../../ground/time/clock.js'
import { databaseFile } from '../../ground/database/index.js'
import { Unavailable } from '../../ground/errors.js'
import { type Log } from '../../ground/log.js'
import { type AuditPort } from '../audit/index.js'
import { createDatabaseCheck } from './database-check.js'
import { listBackups, type Backup } from './manifest.js'
import { carryOut, type Failure } from './program.js'

export interface BackupsOptions {
  /** That of the service. */
  environment: NodeJS.ProcessEnv
  home: string
  stateDir: string
  folder: string
  /** 0: only on request. */
  everyHours: number
  keep: number
  clock: Clock
  audit: Pick<AuditPort, 'soonest'>
  log: Log
  timing?: Partial<typeof usualTiming>
}

export interface BackupStatus {
  everyHours: number
  /** `none`: there is no backup yet, and none has failed since this start. */
  result: 'ok' | 'failed' | 'running' | 'none'
  /** Epoch seconds; of the newest backup in the folder. */
  lastAtS: number | null
  ageS: number | null
  kept: number
  failure: Failure | null
}

const usualTiming = {
  /** Delay after the start, so that the check does not slow down what people wait for then. */
  checkAfterMs: 2_000,
  checkLimitMs: 5 * 60_000,
  /** A service that keeps restarting does not make a backup each time. */
  firstAfterMs: 5 * 60_000,
  retryAfterMs: 60 * 60_000,
  backupLimitMs: 60 * 60_000,
  lookEveryMs: 60_000
}

const hourMs = 60 * 60_000

/**
 * Checks the database once after the start, and makes backups at intervals: counted by a monotonic clock while the service runs, and from
 * the time of the last backup across restarts.
 */
export function createBackups (
  { environment, home, stateDir, folder, everyHours, keep, clock, audit, log, timing: changed }: BackupsOptions
) {
  const timing = { ...usualTiming, ...changed }
  const stopping = new AbortController()
  const timers = new Set<NodeJS.Timeout>()
  let known: Backup[] = []
  /** When the newest backup was made, by performance.now(); negative if before the start of the process. */
  let madeAtMs: number | null = null
  let dueMs = Infinity
  let running: Promise<void> | null = null
  let failure: Failure | null = null
  const check = createDatabaseCheck({ environment, stateDir, limitMs: timing.checkLimitMs, signal: stopping.signal, log })

  function later (ms: number, work: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer)
      work()
    }, ms).unref()
    timers.add(timer)
  }

  function look (): void {
    if (performance.now() >= dueMs && running === null) void make()
    later(timing.lookEveryMs, look)
  }

  /** Makes a backup now. Never rejects; `status` tells how it went. */
  async function make (): Promise<void> {
    running ??= attempt().finally(() => { running = null })
    await running
  }

  async function attempt (): Promise<void> {
    const order = { task: 'backup' as const, home, stateDir, folder, keep, nowS: clock.now() / 1000 }
    const reply = await carryOut(order, { environment, signal: stopping.signal, timeoutMs: timing.backupLimitMs })
    if (stopping.signal.aborted) return
    if ('backup' in reply) {
      failure = null
      audit.soonest('backup.created', { backup: reply.backup.name })
      madeAtMs = performance.now()
      dueMs = madeAtMs + everyHours * hourMs
      known = listBackups(folder)
      return
    }
    failure = 'failure' in reply ? reply.failure : 'failed'
    if (failure === 'damaged') check.tellDamaged()
    dueMs = performance.now() + Math.min(timing.retryAfterMs, everyHours * hourMs)
    log('a backup could not be made', { reason: 'message' in reply ? reply.message : null })
  }

  return {
    make,

    /** Makes a backup with everything up to now, and returns the path of its database. Throws Unavailable if that fails. */
    async snapshot (): Promise<string> {
      // A backup in progress was begun earlier, so it does not count.
      if (running !== null) await running
      await make()
      const newest = known[0]
      if (failure !== null || newest === undefined) {
        throw new Unavailable(failure === 'no_room' ? 'There is not enough room on the disk for a backup' : 'A backup could not be made')
      }
      return databaseFile(join(folder, newest.name))
    },

    /** Called after the start of the service. */
    begin (): void {
      known = listBackups(folder)
      const nowMs = performance.now()
      const newest = known[0]
      // If the clock was set back since, the backup must not seem to come from the future.
      if (newest !== undefined) madeAtMs = nowMs - Math.max(0, clock.now() - newest.manifest.made_at * 1000)
      if (everyHours > 0) {
        dueMs = Math.max(nowMs + timing.firstAfterMs, madeAtMs === null ? 0 : madeAtMs + everyHours * hourMs)
        later(Math.min(timing.lookEveryMs, timing.firstAfterMs), look)
      }
      later(timing.checkAfterMs, () => { void check.run() })
    },

    status (): BackupStatus {
      return {
        everyHours,
        result: running !== null ? 'running' : failure !== null ? 'failed' : madeAtMs === null ? 'none' : 'ok',
        lastAtS: known[0]?.manifest.made_at ?? null,
        ageS: madeAtMs === null ? null : Math.round((performance.now() - madeAtMs) / 1000),
        kept: known.length,
        failure
      }
    },

    /** The result of checking every page of the database. */
    check: check.status,

    stop (): void {
      stopping.abort()
      for (const timer of timers) clearTimeout(timer)
    }
  }
}

export type Backups = ReturnType<typeof createBackups>
