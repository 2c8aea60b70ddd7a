import Sqlite from 'better-sqlite3'
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, isAbsolute, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { commandLine } from '../../ground/command-line.js'
import {
  assertWhole, DamagedDatabase, databaseFile, explainingErrors, lockStateFolder, makeFolder, mark, UnusableDatabase
} from '../../ground/database/index.js'
import { recordFromConsole } from '../audit/index.js'
import { askRestored, endRestored } from '../chat/index.js'
import { holdRestored } from '../queue/index.js'
import { countRows, examine, openForReading, type Contents } from './checking.js'
import { syncNow } from '../../ground/files/sync.js'
import { copy, digest, filesBelow } from './disk.js'
import { backupName, manifestFile, readManifest, type Manifest } from './manifest.js'
import { settingsFiles } from './settings-files.js'

export interface RestoreOrder {
  home: string
  stateDir: string
  /** A backup's folder, which must be unchanged; or a copy of a database, which is accepted if it is intact. */
  source: string
  /** Epoch seconds. */
  nowS: number
}

export interface Restored extends Contents {
  /** The folder with the previous database; null if there was none. */
  replaced: string | null
  attachments: number
  /** Settings files that were missing and have been restored, and existing ones that were left unchanged. */
  settings: { put_back: string[], kept: string[] }
  /** Folders of conversations that are not on this machine. */
  missing_folders: string[]
}

const stagingPrefix = '.restore-'

/**
 * Removes what a killed restore has left, which may be a whole database. Only for the process that holds the state folder. Never throws.
 */
export function removeStaging (stateDir: string): void {
  try {
    for (const name of readdirSync(
      stateDir
    )) if (name.startsWith(stagingPrefix)) rmSync(join(stateDir, name), { recursive: true, force: true })
  } catch {} // it takes room, and nothing else
}

/**
 * Restores a backup while no service runs. The present database is moved aside, but only after the backup was found to be complete,
 * unchanged, of this service, and not newer than this program. Uploads and settings files are restored where they are missing. Throws
 * StateFolderInUse and UnusableDatabase with messages for people.
 */
export function restoreBackup ({ home, stateDir, source, nowS }: RestoreOrder): Restored {
  // Before the lock: nobody should stop a service for a backup that is not there.
  const { from, manifest } = ofBackup(() => databaseIn(source))
  makeFolder(stateDir)
  const unlock = lockStateFolder(stateDir)
  try {
    removeStaging(stateDir)
    const staging = explainingErrors(stateDir, () => mkdtempSync(join(stateDir, stagingPrefix)))
    try {
      const staged = databaseFile(staging)
      const { missing, ...contents } = ofBackup(() => stage(from, staged, manifest, (sqlite) => {
        holdRestored(sqlite)
        askRestored(sqlite)
        endRestored(sqlite)
        recordFromConsole(sqlite, nowS, 'backup.restored', { backup: basename(source) })
      }))
      const replaced = exchange(stateDir, staged, backupName(nowS).replace('backup', 'replaced'))
      const attachments = manifest === null ? 0 : putBackAttachments(source, stateDir)
      const settings = manifest === null ? { put_back: [], kept: [] } : putBackSettings(join(source, 'home'), home)
      assertHolds(databaseFile(stateDir), contents)
      return { ...contents, replaced, attachments, settings, missing_folders: missing }
    } finally {
      rmSync(staging, { recursive: true, force: true })
    }
  } finally {
    unlock()
  }
}

/** Reads a backup. What is wrong with it is told without the usual advice, which is to restore a backup. */
function ofBackup<T> (work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof DamagedDatabase)) throw error
    throw new UnusableDatabase(`${error.problem} Nothing was restored: choose another backup.`, { cause: error })
  }
}

/** Returns the database of a backup; `manifest`: null for a copy of a database. Throws UnusableDatabase if it is not complete. */
function databaseIn (source: string): { from: string, manifest: Manifest | null } {
  const isFolder = explainingErrors(source, () => statSync(source, { throwIfNoEntry: false }))?.isDirectory()
  if (isFolder === undefined) throw new UnusableDatabase(`There is no backup at ${source}.`)
  const from = isFolder ? databaseFile(source) : source
  if (!existsSync(from)) throw new UnusableDatabase(`${source} is not a backup: there is no ${basename(from)} in it.`)
  const manifest = isFolder ? manifestOf(source) : null
  assertWhole(from, { writable: false })
  return { from, manifest }
}

function manifestOf (folder: string): Manifest {
  const manifest = readManifest(folder)
  if (manifest?.database_sha256 !== undefined) return manifest
  const file = manifestFile(folder)
  const what = manifest !== null
    ? `its ${basename(file)} has no database_sha256`
    : existsSync(file) ? `its ${basename(file)} is invalid` : `there is no ${basename(file)} in it`
  throw new UnusableDatabase(`${folder} is not a complete backup: ${what}, so it cannot be checked for changes. To restore its database as it is, name the file: ${commandLine(`restore ${databaseFile(folder)}`)}`)
}

/**
 * Copies a database next to its place and checks it completely. With a manifest, it must be exactly the file that was backed up; without
 * one, it may be any copy, and its log is merged into it. `restored` records the restore in it.
 */
function stage (
  from: string, staged: string, manifest: Manifest | null, restored: (sqlite: Sqlite.Database) => void
): Contents & { missing: string[] } {
  explainingErrors(staged, () => {
    for (const part of ['', '-wal']) {
      if (!existsSync(from + part)) continue
      copyFileSync(from + part, staged + part)
      chmodSync(staged + part, 0o600)
    }
  })
  const isChanged = manifest !== null &&
    (holdsMore(`${staged}-wal`) || explainingErrors(staged, () => digest(staged)) !== manifest.database_sha256)
  return explainingErrors(from, () => {
    const sqlite = new Sqlite(staged)
    try {
      sqlite.pragma('journal_mode = DELETE')
      // First, because it describes best what is wrong with a damaged database.
      const contents = examine(sqlite, from)
      if (isChanged) {
        throw new UnusableDatabase(
          `${from} does not match its manifest: it was changed after the backup, or belongs to another one.`
        )
      }
      restored(sqlite)
      return { ...contents, rows: countRows(sqlite), missing: missingFolders(sqlite) }
    } finally {
      sqlite.close()
    }
  })
}

function missingFolders (sqlite: Sqlite.Database): string[] {
  const workspaces = sqlite.prepare<[], string>('select distinct workspace from sessions order by workspace').pluck().all()
  return workspaces.filter((workspace) => isAbsolute(workspace) && !existsSync(workspace))
}

/** Whether a log has content. Opening a backup leaves an empty log next to it; one with content is a change. */
function holdsMore (log: string): boolean {
  return (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0
}

/**
 * Moves the database first: a log without its database keeps the service from starting, and a log next to another database would be merged
 * into that.
 */
function exchange (stateDir: string, staged: string, name: string): string | null {
  const place = databaseFile(stateDir)
  return explainingErrors(place, () => {
    syncNow(staged)
    let aside: string | null = null
    for (const part of [place, `${place}-wal`, `${place}-shm`]) {
      if (!existsSync(part)) continue
      if (aside === null) {
        aside = freeFolder(join(stateDir, name))
        mkdirSync(aside, { mode: 0o700 })
      }
      renameSync(part, join(aside, basename(part)))
    }
    renameSync(staged, place)
    mark(place)
    syncNow(stateDir)
    return aside
  })
}

function putBackAttachments (source: string, stateDir: string): number {
  const from = join(source, 'attachments')
  return filesBelow(from).filter((path) => {
    const to = join(stateDir, 'attachments', path)
    return !existsSync(to) && explainingErrors(to, () => copy(join(from, path), to))
  }).length
}

function putBackSettings (from: string, home: string): Restored['settings'] {
  const [putBack, kept]: [string[], string[]] = [[], []]
  for (const path of settingsFiles(from)) {
    const to = join(home, path)
    if (existsSync(to)) kept.push(path)
    else if (explainingErrors(to, () => copy(join(from, path), to))) putBack.push(path)
  }
  return { put_back: putBack, kept }
}

function assertHolds (file: string, { rows }: Contents): void {
  const sqlite = openForReading(file)
  try {
    if (!isDeepStrictEqual(explainingErrors(file, () => countRows(sqlite)), rows)) {
      throw new UnusableDatabase(`${file} does not match what was restored. Try again, or check the disk.`)
    }
  } finally {
    sqlite.close()
  }
}

function freeFolder (path: string): string {
  let free = path
  for (let count = 2; existsSync(free); count++) free = `${path}-${count}`
  return free
}
