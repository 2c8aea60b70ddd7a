import Sqlite from 'better-sqlite3'

declare module '../workers/index.js' {
  interface Tasks { checkpointWal: typeof checkpointWal }
}

/** Copies the WAL of a database into its file, except pages that a reader still needs. Runs in a worker thread. */
export function checkpointWal ({ file }: { file: string }): void {
  const sqlite = new Sqlite(file, { fileMustExist: true })
  try {
    sqlite.pragma('wal_checkpoint(PASSIVE)')
  } finally {
    sqlite.close()
  }
}
