import { type Stats } from 'node:fs'
import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock } from '../../ground/clock.js'
import { tables, type Database } from '../../ground/database/index.js'
import { NotFound } from '../../ground/errors.js'
import { remoteFolder } from '../../ground/location.js'
import { isAbandonedScratch } from '../../ground/scratch.js'
import { type Workers } from '../../ground/workers/index.js'
import { type Territory } from '../place/place.js'

export interface LeftoversOptions {
  db: Database
  clock: Clock
  workers: Workers
  territory: (workspace: string) => Territory
  /** Homes of the profiles, whose settings are replaced file by file. */
  homes: () => string[]
  /** Where programs keep what they need for a moment. */
  temporaryFolder: string
  log: (message: string, details: Record<string, unknown>) => void
}

const abandonedAfterMs = 3_600_000
/** All that may be, before anything is looked at. */
const maybeLeft = /^agent-|^\.config\.yaml\./
const settingsName = /^\.config\.yaml\.\d+\.\d+\.tmp$/

/**
 * Removes what a crash has left: unfinished files in the folders that conversations work in, scratch folders, settings
 * that were half written. What is from before this service, or older than an hour, is nobody's any more.
 */
export function createLeftovers ({ db, clock, workers, territory, homes, temporaryFolder, log }: LeftoversOptions) {
  const startedAtMs = clock.now()

  function workspaces (): string[] {
    const { sessions, workspaces: known } = tables
    const found = [
      db.orm.selectDistinct({ path: sessions.workspace }).from(sessions).all(),
      db.orm.selectDistinct({ path: known.path }).from(known).all()
    ].flat().map(({ path }) => path)
    // Other machines look after their own.
    return [...new Set(found)].filter((path) => remoteFolder(path) === null)
  }

  async function removeFrom (folder: string, isLeft: (name: string, stats: Stats) => boolean): Promise<void> {
    for (const name of (await readdir(folder).catch(() => [])).filter((entry) => maybeLeft.test(entry))) {
      const path = join(folder, name)
      const stats = await lstat(path).catch(() => null)
      // Another user's, or made to look like ours, is not touched.
      if (stats !== null && stats.uid === process.getuid?.() && isLeft(name, stats)) {
        await rm(path, { recursive: true, force: true }).catch(() => {})
      }
    }
  }

  return {
    /** Resolves when it is done; rejects only when the database cannot be read, which is asked at once and not later. */
    async sweep (): Promise<void> {
      const folders = workspaces()
      const beforeMs = Math.max(startedAtMs, clock.now() - abandonedAfterMs)
      // Other services of this user may use the same one.
      await removeFrom(temporaryFolder, (name, stats) => isAbandonedScratch(name, stats, clock.now()))
      for (const home of homes()) await removeFrom(home, (name, { ctimeMs }) => settingsName.test(name) && ctimeMs < beforeMs)
      for (const workspace of folders) {
        await workers.run('removeLeftovers', { territory: territory(workspace), abandonedBeforeMs: beforeMs }).catch((error: unknown) => {
          if (!(error instanceof NotFound)) log('leftovers of a crash could not be found', { reason: String(error) })
        })
      }
    }
  }
}
