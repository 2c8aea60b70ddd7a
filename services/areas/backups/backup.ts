import {
  closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readdirSync, renameSync, rmSync, statfsSync, statSync, writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { databaseFile, explained, identify, lockFile, programVersion, UnusableDatabase } from '../../ground/database/index.js'
import { examine, openForReading, openLive } from './checking.js'
import { copy, digest, filesBelow, sync } from './disk.js'
import { backupName, listBackups, manifestFile, type Backup, type Manifest } from './manifest.js'
import { settingsFiles } from './settings-files.js'

export interface BackupOrder {
  home: string
  stateDir: string
  /** Where backups lie; made when it is not there. */
  folder: string
  /** How many stay, the new one included; null: none is removed. */
  keep: number | null
  /** Epoch seconds. */
  nowS: number
}

const partialPrefix = '.partial-'
/** Beside the copy itself, so that the backup does not take the last room from the service. */
const spareBytes = 16 * 1024 * 1024

/**
 * Makes a backup: the database as it stands at one moment, checked, what was uploaded, and the settings of the profiles.
 * The service may run and write; its writes neither wait for this nor disturb it. A backup has its name only when it is
 * whole and on the disk; nothing is removed before. Holds up its thread. Throws UnusableDatabase in words.
 */
export function makeBackup ({ home, stateDir, folder, keep, nowS }: BackupOrder): Backup {
  explained(folder, () => mkdirSync(folder, { recursive: true, mode: 0o700 }))
  const unlock = lockFile(join(folder, '.lock'))
  if (unlock === null) throw new UnusableDatabase(`Another backup is being made in ${folder}.`)
  try {
    // With the lock in hand, whatever is unfinished here is what a crash has left.
    for (const name of readdirSync(folder)) if (name.startsWith(partialPrefix)) rmSync(join(folder, name), { recursive: true, force: true })
    const partial = explained(folder, () => mkdtempSync(join(folder, partialPrefix)))
    try {
      const made = explained(partial, () => fill(partial, { home, stateDir, nowS, latest: latestIn(folder) }))
      const name = freeName(folder, backupName(nowS))
      renameSync(partial, join(folder, name))
      sync(folder)
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
  partial: string, { home, stateDir, nowS, latest }: { home: string, stateDir: string, nowS: number, latest: string | null }
): Manifest {
  const target = databaseFile(partial)
  snapshot(databaseFile(stateDir), target)
  const copied = openForReading(target)
  let contents
  try {
    contents = examine(copied, target)
  } finally {
    copied.close()
  }
  sync(target)
  // After the database: whatever it speaks of was there before it was written.
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
  sync(partial)
  return manifest
}

/** One statement copies what stands in the database at its beginning, however much is written meanwhile. */
function snapshot (source: string, target: string): void {
  if (!existsSync(source)) throw new UnusableDatabase(`There is no database to back up: ${source} is missing.`)
  const sqlite = openLive(source)
  try {
    explained(source, () => {
      identify(sqlite, source)
      const figure = (name: string): number => Number(sqlite.pragma(name, { simple: true }))
      assertRoom(target, (figure('page_count') - figure('freelist_count')) * figure('page_size'))
    })
    // Made by us, so that it is ours alone.
    closeSync(openSync(target, 'wx', 0o600))
    explained(source, () => sqlite.prepare('vacuum into ?').run(target))
  } finally {
    sqlite.close()
  }
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

/** Removes the oldest beyond `keep`, and never the one that was just made, whatever the clock says of their age. */
function rotate (folder: string, made: string, keep: number): void {
  const others = listBackups(folder).filter(({ name }) => name !== made)
  for (const { name } of others.slice(keep - 1)) {
    // Half removed, it must not look like a whole one.
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
