import Sqlite from 'better-sqlite3'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandLine } from '../command-line.js'
import { codeOf } from '../errors.js'
import { wrappedCode } from './trouble.js'
import { explainingErrors } from './unusable.js'

export class StateFolderInUse extends Error {
  constructor (readonly pid: number | null) {
    const who = pid === null ? 'another server' : `another server (process ${pid})`
    super(`The state folder is in use by ${who}. Stop it first (${commandLine('stop')}), or give this one its own folder with SVC_HOME.`)
    this.name = 'StateFolderInUse'
  }
}

/** A command that checks who holds the folder takes the lock for a moment (cli/service.ts). */
const lookedAtMs = 250

/** Returns the path of the lock that the process which uses a state folder holds. */
export const lockPath = (folder: string): string => join(folder, 'server.lock')

/**
 * Takes the state folder for this process and returns a function that releases it. The PID file beside the lock only names the holder.
 * Throws StateFolderInUse, and UnusableDatabase if the folder cannot be written.
 */
export function lockStateFolder (folder: string): () => void {
  const pidFile = join(folder, 'server.pid')
  const unlock = lockFile(lockPath(folder), lookedAtMs)
  if (unlock === null) throw new StateFolderInUse(readPid(pidFile))
  try {
    writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 })
  } catch {
    // On a full disk the holder cannot be named, but the folder is still locked.
  }
  return () => {
    rmSync(pidFile, { force: true })
    unlock()
  }
}

/**
 * Takes a lock and returns a function that releases it, or null if another process has it. The lock is the operating system's (an exclusive
 * SQLite lock on a file of its own), so it ends with its holder, however that dies, and is never stale, even where process ids repeat as in
 * a container. Throws UnusableDatabase if it cannot be created.
 * @param patienceMs how long to wait for the lock
 */
export function lockFile (file: string, patienceMs = 0): (() => void) | null {
  return explainingErrors(file, () => {
    const lock = new Sqlite(file, { timeout: patienceMs })
    try {
      // Nothing is ever written, so a full disk does not prevent the lock.
      lock.pragma('journal_mode = MEMORY')
      lock.exec('begin exclusive')
    } catch (error) {
      lock.close()
      if (!/^SQLITE_(BUSY|LOCKED)/.test(wrappedCode(error))) throw error
      return null
    }
    return () => { lock.close() }
  })
}

/** Every process that runs a build holds a lock on this file in it. */
export const heldFile = 'held.db'
let held: Sqlite.Database | null = null

/**
 * Keeps the build that this process runs from being removed while the process lives, by a lock that many processes share: other builds are
 * made beside it (scripts/builds.js). If the lock is impossible, as in a release, no builds are made there.
 */
export function holdBuild (folder: string): void {
  if (!existsSync(join(folder, heldFile))) return
  try {
    held = new Sqlite(join(folder, heldFile), { readonly: true, timeout: 0 })
    held.exec('begin')
    held.prepare('select * from held').all()
  } catch {
    held?.close()
    held = null
  }
}

/** Returns the id of the process that the state folder names as its holder; null if it does not run. Takes no lock. */
export function holderOf (folder: string): number | null {
  const pid = readPid(join(folder, 'server.pid'))
  try {
    if (pid !== null) process.kill(pid, 0)
    return pid
  } catch (error) {
    // The process belongs to another user.
    return codeOf(error) === 'EPERM' ? pid : null
  }
}

function readPid (file: string): number | null {
  try {
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10)
    return pid > 0 ? pid : null
  } catch {
    return null
  }
}
