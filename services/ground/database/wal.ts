import type Sqlite from 'better-sqlite3'

/** Copies the WAL of a database file into the file, off the event loop. */
export type CheckpointWal = (file: string) => Promise<unknown>

/** How many pages make a checkpoint worthwhile: 4 MB, SQLite's own threshold. */
const worthwhile = 1_000
const lookEveryMs = 250
/** At this many pages the next commit makes a checkpoint itself, even if one is under way: most pages have been copied by then. */
const most = 4_000

/**
 * Watches the WAL of a database file. By default, SQLite makes a checkpoint after every thousandth page, within a commit: megabytes are
 * written and synced twice while the event loop is blocked. `checkpoint` does that elsewhere. Its rejections are ignored, because commits
 * still make checkpoints.
 */
export function watchWal (sqlite: Sqlite.Database, file: string, checkpoint: CheckpointWal) {
  sqlite.pragma(`wal_autocheckpoint = ${most}`)
  const state = sqlite.prepare<[], { log: number, checkpointed: number }>('pragma wal_checkpoint(NOOP)')
  /** Returns the number of pages that wait for a checkpoint; 0 if the disk cannot even be asked. */
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
    /** Must be called after each commit. */
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
