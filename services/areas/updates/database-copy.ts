import { constants, copyFileSync, existsSync, renameSync, rmSync } from 'node:fs'
import { databaseFile, isBehind } from '../../ground/database/index.js'

const logs = ['-wal', '-shm'] as const
const copyOf = (stateDir: string): string => `${databaseFile(stateDir)}.before-update`

/**
 * Called before a new version opens the database for the first time: copies it if the version will migrate it, so that the previous version
 * can have it back. No other process may have it open. A copy of an earlier update is removed in any case.
 */
export function keepDatabase (stateDir: string): void {
  forgetDatabase(stateDir)
  const [file, copy] = [databaseFile(stateDir), copyOf(stateDir)]
  if (!existsSync(file) || !isBehind(file)) return
  try {
    if (existsSync(`${file}-wal`)) copyFileSync(`${file}-wal`, `${copy}-wal`, constants.COPYFILE_FICLONE)
    copyFileSync(file, `${copy}.tmp`, constants.COPYFILE_FICLONE)
    // A file of this name is complete.
    renameSync(`${copy}.tmp`, copy)
  } catch (error) {
    // An incomplete copy would take the space that the restore needs.
    forgetDatabase(stateDir)
    throw error
  }
}

/** Replaces the database by the copy, if there is one. No process may have the database open. May be repeated. */
export function restoreDatabase (stateDir: string): void {
  const [file, copy] = [databaseFile(stateDir), copyOf(stateDir)]
  if (!existsSync(copy)) return
  for (const log of logs) rmSync(`${file}${log}`, { force: true })
  if (existsSync(`${copy}-wal`)) copyFileSync(`${copy}-wal`, `${file}-wal`)
  renameSync(copy, file)
  forgetDatabase(stateDir)
}

export function forgetDatabase (stateDir: string): void {
  for (const end of ['', '.tmp', '-wal']) rmSync(`${copyOf(stateDir)}${end}`, { force: true })
}
