import { type Stats } from 'node:fs'
import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock } from '../../ground/time/clock.js'
import { tables, type Database } from '../../ground/database/index.js'
import { NotFound } from '../../ground/errors.js'
import { remoteFolder } from '../../ground/remote-folder.js'
import { isAbandonedScratch } from '../../ground/files/scratch.js'
import { type Log } from '../../ground/log.js'
import { type Workers } from '../../ground/workers/index.js'
import { type Territory } from '../place/place.js'
import { leftInHome } from './left-in-home.js'

export interface LeftoversOptions {
  db: Database
  clock: Clock
  workers: Workers
  territory: (workspace: string) => Territory
  /** Homes of the profiles. Their files are written under a temporary name first. */
  homes: () => string[]
  /** Folder for temporary files. */
  temporaryFolder: string
  log: Log
}

const abandonedAfterMs = 3_600_000

/**
 * Removes what a crash has left: unfinished files in the folders of conversations, scratch folders, and what was half written in the
 * homes of profiles. Files from before this service started, or older than an hour, are abandoned.
 */
export function createLeftovers ({ db, clock, workers, territory, homes, temporaryFolder, log }: LeftoversOptions) {
  const startedAtMs = clock.now()

  function workspaces (): string[] {
    const { sessions, workspaces: known } = tables
    const found = [
      db.orm.selectDistinct({ path: sessions.workspace }).from(sessions).all(),
      db.orm.selectDistinct({ path: known.path }).from(known).all()
    ].flat().map(({ path }) => path)
    // Other machines clean up their own folders.
    return [...new Set(found)].filter((path) => remoteFolder(path) === null)
  }

  async function removeScratch (): Promise<void> {
    for (const name of (await readdir(temporaryFolder).catch(() => [])).filter((name) => name.startsWith('agent-'))) {
      const path = join(temporaryFolder, name)
      const stats = await lstat(path).catch(() => null)
      // Other services of this user may use the same temporary folder.
      if (stats !== null && isOwn(stats) && isAbandonedScratch(name, stats, clock.now())) await removeTree(path)
    }
  }

  return {
    /** Removes leftovers. Rejects only if the database cannot be read; it is read at once, before anything else. */
    async sweep (): Promise<void> {
      const folders = workspaces()
      const beforeMs = Math.max(startedAtMs, clock.now() - abandonedAfterMs)
      await removeScratch()
      for (const home of homes()) {
        for (const { path, stats } of await leftInHome(home)) if (isOwn(stats) && stats.ctimeMs < beforeMs) await removeTree(path)
      }
      for (const workspace of folders) {
        await workers.run('removeLeftovers', { territory: territory(workspace), abandonedBeforeMs: beforeMs }).catch((error: unknown) => {
          if (!(error instanceof NotFound)) log('leftovers of a crash could not be found', { reason: String(error) })
        })
      }
    }
  }
}

/** Files of other users are not touched, even if they are named like ours. */
const isOwn = ({ uid }: Stats): boolean => uid === process.getuid?.()

const removeTree = async (path: string): Promise<void> => await rm(path, { recursive: true, force: true }).catch(() => {})
