import { constants, copyFileSync, existsSync, renameSync, rmSync } from 'node:fs'
import { databaseFile, isBehind } from '../../ground/database/index.js'

const logs = ['-wal', '-shm'] as const
const copyOf = (stateDir: string): string => `${databaseFile(stateDir)}.before-update`

/**
 * Before a new version opens the database for the first time: where it is going to migrate it, it is copied, so that the version
 * before can have it back. Nobody else may have it open. A copy of an earlier update goes in any case.
 */
export function keepDatabase (stateDir: string): void {
  forgetDatabase(stateDir)
  const [file, copy] = [databaseFile(stateDir), copyOf(stateDir)]
  if (!existsSync(file) || !isBehind(file)) return
  try {
    if (existsSync(`${file}-wal`)) copyFileSync(`${file}-wal`, `${copy}-wal`, constants.COPYFILE_FICLONE)
    copyFileSync(file, `${copy}.tmp`, constants.COPYFILE_FICLONE)
    // What has this name is whole.
    renameSync(`${copy}.tmp`, copy)
  } catch (error) {
    // Half a copy would take the room that going back needs.
    forgetDatabase(stateDir)
    throw error
  }
}

/** Puts the copy in the place of the database, if there is one. Nobody may have that open. May be done again. */
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
