import {
  closeSync, existsSync, mkdtempSync, openSync, readdirSync, renameSync, rmSync, statfsSync, statSync, writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import type Sqlite from 'better-sqlite3'
import { databaseFile, explainingErrors, identify, lockFile, makeFolder, programVersion, UnusableDatabase } from '../../ground/database/index.js'
import { examine, openForReading, openLive } from './checking.js'
import { syncNow } from '../../ground/files/sync.js'
import { copy, digest, filesBelow } from './disk.js'
import { backupName, listBackups, manifestFile, type Backup, type Manifest } from './manifest.js'
import { settingsFiles } from './settings-files.js'

export interface BackupOrder {
  home: string
  stateDir: string
  /** The folder of backups; created if it does not exist. */
  folder: string
  /** How many backups are kept, including the new one; null: none is removed. */
  keep: number | null
  /** Epoch seconds. */
  nowS: number
}

const partialPrefix = '.partial-'
/** Room that stays free besides the copy, so that the backup does not take the last space from the service. */
const spareBytes = 16 * 1024 * 1024

/**
 * Makes a backup: a checked snapshot of the database, the uploads, and the settings of the profiles. The service may run and write; its
 * writes neither wait for the backup nor disturb it. A backup gets its name only when it is complete and on disk; nothing is removed before
 * that. Blocks its thread. Throws UnusableDatabase with a message for people.
 */
export function makeBackup (order: BackupOrder): Backup {
  // Opened first: without a database to back up, no folder is made.
  const live = openOwn(databaseFile(order.stateDir))
  try {
    return backUp(live, order)
  } finally {
    live.close()
  }
}

function backUp (live: Sqlite.Database, { home, stateDir, folder, keep, nowS }: BackupOrder): Backup {
  makeFolder(folder)
  const unlock = lockFile(join(folder, '.lock'))
  if (unlock === null) throw new UnusableDatabase(`Another backup is being made in ${folder}.`)
  try {
    // With the lock held, anything unfinished here was left by a crash.
    for (const name of readdirSync(folder)) if (name.startsWith(partialPrefix)) rmSync(join(folder, name), { recursive: true, force: true })
    const partial = explainingErrors(folder, () => mkdtempSync(join(folder, partialPrefix)))
    try {
      const made = explainingErrors(partial, () => fill(partial, { live, home, stateDir, nowS, latest: latestIn(folder) }))
      const name = freeName(folder, backupName(nowS))
      renameSync(partial, join(folder, name))
      syncNow(folder)
      if (keep !== null) rotate(folder, name, keep)
      return { name, manifest: made }
    } finally {
      rmSync(partial, { recursive: true, force: true })
    }
  } finally {
    unlock()
  }
}

function latestIn (folder: string): string | null {
  const latest = listBackups(folder)[0]
  return latest === undefined ? null : join(folder, latest.name)
}

function fill (
  partial: string,
  { live, home, stateDir, nowS, latest }: Pick<BackupOrder, 'home' | 'stateDir' | 'nowS'> & { live: Sqlite.Database, latest: string | null }
): Manifest {
  const target = databaseFile(partial)
  snapshot(live, target)
  const copied = openForReading(target)
  let contents
  try {
    contents = examine(copied, target)
  } finally {
    copied.close()
  }
  syncNow(target)
  // Copied after the database: every upload that the database mentions existed before it was copied.
  const uploaded = filesBelow(join(stateDir, 'attachments')).filter((path) =>
    copy(join(stateDir, 'attachments', path), join(partial, 'attachments', path), latest === null
      ? undefined
      : join(latest, 'attachments', path)))
  for (const path of settingsFiles(home)) copy(join(home, path), join(partial, 'home', path))
  const manifest: Manifest = {
    made_at: nowS,
    program: programVersion,
    database_version: contents.version,
    database_bytes: statSync(target).size,
    database_sha256: digest(target),
    rows: contents.rows,
    attachments: uploaded.length
  }
  writeFileSync(manifestFile(partial), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true })
  syncNow(partial)
  return manifest
}

function openOwn (source: string): Sqlite.Database {
  if (!existsSync(source)) throw new UnusableDatabase(`There is no database to back up: ${source} is missing. Start the service once, or give its home folder (SVC_HOME).`)
  const sqlite = openLive(source)
  try {
    explainingErrors(source, () => identify(sqlite, source))
    return sqlite
  } catch (error) {
    sqlite.close()
    throw error
  }
}

/** A single statement copies the state of the database at its beginning, however much is written meanwhile. */
function snapshot (live: Sqlite.Database, target: string): void {
  explainingErrors(live.name, () => {
    const figure = (name: string): number => Number(live.pragma(name, { simple: true }))
    assertRoom(target, (figure('page_count') - figure('freelist_count')) * figure('page_size'))
  })
  // Created here, so that only this user can read it.
  closeSync(openSync(target, 'wx', 0o600))
  explainingErrors(live.name, () => live.prepare('vacuum into ?').run(target))
}

function assertRoom (target: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(join(target, '..'))
  const neededBytes = bytes * 1.1 + spareBytes
  if (bavail * bsize >= neededBytes) return
  throw new UnusableDatabase(
    `Not enough room for a backup: it needs ${megabytes(neededBytes)} MB, and ${megabytes(bavail * bsize)} MB are free.`,
    { cause: Object.assign(new Error('no room'), { code: 'ENOSPC' }) }
  )
}

/** Removes the oldest backups beyond `keep`, but never the new one, whatever the clock says about their ages. */
function rotate (folder: string, made: string, keep: number): void {
  const others = listBackups(folder).filter(({ name }) => name !== made)
  for (const { name } of others.slice(keep - 1)) {
    // Renamed first, so that a half-removed backup does not look complete.
    const doomed = join(folder, `${partialPrefix}${name}`)
    renameSync(join(folder, name), doomed)
    rmSync(doomed, { recursive: true, force: true })
  }
}

function freeName (folder: string, name: string): string {
  let free = name
  for (let count = 2; existsSync(join(folder, free)); count++) free = `${name}-${count}`
  return free
}

const megabytes = (bytes: number): number => Math.ceil(bytes / 1024 / 1024)
