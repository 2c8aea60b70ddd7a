import type Sqlite from 'better-sqlite3'

/** Copies what the log of a database file holds into the file, away from the event loop. */
export type CheckpointWal = (file: string) => Promise<unknown>

/** As many pages as SQLite itself waits for: 4 MB. */
const worthwhile = 1_000
const lookEveryMs = 250
/** So many are copied by the commit that comes next, whatever is under way: most of them have been by then. */
const most = 4_000

/**
 * The log (WAL) of a database file. SQLite copies it into the file behind every thousandth page, within a commit: megabytes are written and
 * synced twice while the event loop stands still. With `checkpoint` that is done elsewhere. Rejections are passed over, as the copying that
 * is left to commits remains.
 */
export function watchWal (sqlite: Sqlite.Database, file: string, checkpoint: CheckpointWal) {
  sqlite.pragma(`wal_autocheckpoint = ${most}`)
  const state = sqlite.prepare<[], { log: number, checkpointed: number }>('pragma wal_checkpoint(NOOP)')
  /** Pages; none where the disk does not even let itself be asked. */
  const waiting = (): number => {
    try {
      const { log, checkpointed } = state.get() ?? { log: 0, checkpointed: 0 }
      return log - checkpointed
    } catch {
      return 0
    }
  }
  let lookedMs = performance.now()
  let isUnderWay = false

  return {
    /** To be called after each commit. */
    grown (): void {
      const nowMs = performance.now()
      if (isUnderWay || nowMs - lookedMs < lookEveryMs) return
      lookedMs = nowMs
      if (waiting() < worthwhile) return
      isUnderWay = true
      checkpoint(file).catch(() => {}).finally(() => { isUnderWay = false })
    }
  }
}
