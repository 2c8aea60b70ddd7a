import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { type Limits } from './failures.js'
import { type CheckpointRows } from './rows.js'
import { type Stores } from './stores.js'
import { type Log } from '../../ground/log.js'

export interface HousekeepingOptions {
  folder: string
  rows: CheckpointRows
  limits: Limits
  clock: Clock
  stores: Stores
  signal: AbortSignal
  log: Log
}

/** Time after the last snapshot, so that housekeeping does not slow down the turn that needed it. */
const afterMs = 30_000
const everyMs = 60 * 60_000
const mostRounds = 20

/** Keeps the stores within their limits, one step at a time, in the background. */
export function createHousekeeping ({ folder, rows, limits, clock, stores, signal, log }: HousekeepingOptions) {
  let running: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined

  /** Returns the workspaces that have a store. A folder that does not name its workspace is a leftover, and is removed. */
  async function workspaces (): Promise<string[]> {
    const found: string[] = []
    for (const name of await readdir(folder).catch(() => [])) {
      const workspace = await readFile(join(folder, name, 'workspace'), 'utf8').catch(() => null)
      if (workspace === null) await rm(join(folder, name), { recursive: true, force: true })
      else found.push(workspace)
    }
    return found
  }

  /** Removes the store of a workspace that has been missing for long enough. Returns whether it was removed. */
  async function forgetGone (workspace: string, noteFile: string | null): Promise<boolean> {
    const isThere = await stat(workspace).then((found) =>
      found.isDirectory(), (error: NodeJS.ErrnoException) => error.code !== 'ENOENT' && error.code !== 'ENOTDIR')
    if (isThere) {
      if (noteFile !== null) await rm(noteFile, { force: true })
      return false
    }
    const nowS = epochSeconds(clock)
    const sinceS = noteFile === null ? 0 : Number(await readFile(noteFile, 'utf8').catch(() => NaN))
    if (noteFile !== null && Number.isNaN(sinceS)) await writeFile(noteFile, String(nowS))
    if ((Number.isNaN(sinceS) ? nowS : sinceS) + limits.goneS > nowS) return false
    await stores.remove(workspace)
    return true
  }

  /** Deletes the oldest checkpoints until all stores together are within the limit. */
  async function shrink (present: string[]): Promise<void> {
    for (let round = 0; round < mostRounds && !signal.aborted; round++) {
      let sizeBytes = 0
      for (const workspace of present) sizeBytes += await stores.of(workspace).sizeBytes(signal)
      const count = rows.countReady()
      if (sizeBytes <= limits.storedBytes || count === 0) return
      const old = rows.oldest(Math.ceil(count / 4))
      log('deleted old checkpoints, because all together are too large', { checkpoints: old.length, sizeBytes })
      for (const workspace of new Set(
        old.map((row) => row.workspace)
      )) await giveUp(workspace, old.filter((row) => row.workspace === workspace).map((row) => row.id))
      present = await workspaces()
    }
  }

  async function giveUp (workspace: string, ids: string[]): Promise<void> {
    const store = stores.of(workspace)
    rows.remove(ids)
    if (rows.countReady(workspace) === 0) return await stores.remove(workspace)
    await store.queue.run(async () => await store.drop(ids, signal))
    await store.tidy({ signal, force: true })
  }

  async function tidy (): Promise<void> {
    const kept: string[] = []
    for (const workspace of await workspaces()) {
      if (!await forgetGone(workspace, join(stores.of(workspace).gitDir, 'gone-since'))) kept.push(workspace)
    }
    for (const workspace of rows.workspaces()) if (!kept.includes(workspace)) await forgetGone(workspace, null)
    for (const workspace of kept) await stores.of(workspace).tidy({ signal })
    await shrink(kept)
  }

  function plan (inMs: number): void {
    clearTimeout(timer)
    if (signal.aborted) return
    timer = setTimeout(() => { void run() }, inMs)
    timer.unref()
  }

  /** Runs the housekeeping. Never rejects. */
  async function run (): Promise<void> {
    running ??= tidy()
      .catch((error: unknown) => { if (!signal.aborted) log('old checkpoints could not be cleaned up', { reason: String(error) }) })
      .finally(() => {
        running = null
        plan(everyMs)
      })
    await running
  }

  return {
    run,
    begin: (): void => plan(afterMs),
    /** Schedules a run for later, after a change. */
    soon: (): void => { if (running === null) plan(afterMs) },
    async stop (): Promise<void> {
      clearTimeout(timer)
      await running
      clearTimeout(timer)
    }
  }
}
