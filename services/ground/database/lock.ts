import Sqlite from 'better-sqlite3'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../errors.js'
import { wrappedCode } from './trouble.js'
import { explained } from './unusable.js'

export class StateFolderInUse extends Error {
  constructor (readonly pid: number | null) {
    const who = pid === null ? 'another server' : `another server (process ${pid})`
    super(`The state folder is in use by ${who}. Stop it first, or give this one a folder of its own with SVC_WEBUI_STATE_DIR.`)
    this.name = 'StateFolderInUse'
  }
}

/** A command that looks whose the folder is has its lock for a moment (cli/service.ts). */
const lookedAtMs = 250

/** The lock of a state folder, which whoever has the folder holds. */
export const lockPath = (folder: string): string => join(folder, 'server.lock')

/**
 * Takes the state folder for this process and returns the function that gives it back. The file beside the lock only
 * names the holder. Throws StateFolderInUse, and UnusableDatabase where the folder cannot be written.
 */
export function lockStateFolder (folder: string): () => void {
  const pidFile = join(folder, 'server.pid')
  const unlock = lockFile(lockPath(folder), lookedAtMs)
  if (unlock === null) throw new StateFolderInUse(readPid(pidFile))
  try {
    writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 })
  } catch {
    // On a full disk nobody is told whose the folder is; it is taken all the same.
  }
  return () => {
    rmSync(pidFile, { force: true })
    unlock()
  }
}

/**
 * Takes a lock and returns the function that gives it back; null when somebody else has it. The lock is the operating
 * system's (an exclusive SQLite lock on a file of its own), so it ends with its holder however that dies: a lock is
 * never stale, not even where process ids repeat as in a container. Throws UnusableDatabase where it cannot be made. `patienceMs`: how long
 * it is waited for.
 */
export function lockFile (file: string, patienceMs = 0): (() => void) | null {
  return explained(file, () => {
    const lock = new Sqlite(file, { timeout: patienceMs })
    try {
      // Nothing is ever written, so that a full disk keeps nobody from it.
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

/** Under which a build is locked by whoever runs it. */
export const heldFile = 'held.db'
let held: Sqlite.Database | null = null

/**
 * Keeps the build that this process runs from being removed, as long as the process lives, by a lock that many have at once: others are
 * built beside it (scripts/builds.js). Where that cannot be, as in a release, nobody builds.
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

/** The process that has the state folder, as it has written there; null: none that is alive. Takes no lock. */
export function holderOf (folder: string): number | null {
  const pid = readPid(join(folder, 'server.pid'))
  try {
    if (pid !== null) process.kill(pid, 0)
    return pid
  } catch (error) {
    // It is another user's.
    return codeOf(error) === 'EPERM' ? pid : null
  }
}

function readPid (file: string): number | null {
  try {
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10)
    return Number.isInteger(pid) ? pid : null
  } catch {
    return null
  }
}
