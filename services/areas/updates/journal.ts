import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { syncNow } from '../../ground/files/sync.js'
import { fieldsOf } from '../../ground/fields.js'

/** The result of the last update, for clients that ask later. */
export interface Outcome { ok: boolean, message: string, finishedAtS: number }

/** An active update, with what the next start has to know. */
export interface UnderWay {
  /**
   * `preparing`: the installation is untouched. `placing`: it may have been changed. `placed`: everything is in place, and the new version
   * has to come up. `returning`: it did not, and the previous version is being restored.
   */
  step: 'preparing' | 'placing' | 'placed' | 'returning'
  root: string
  /** The name of its folder; null: begun by a version that gave it no name. */
  attempt: string | null
  /** Commits. */
  from: string
  to: string
  /** The stash with the person's changes; null if there were none. */
  stash: string | null
  /** Whether the changes do not fit the new version, so that the stash stays. */
  stashStays: boolean
  /** The tree of the checkout with the person's changes in the new version; null if it has none. */
  merged: string | null
  /** Whether the new version has begun to start. */
  started: boolean
  /** How long its trial took, including the migration of a copy of the database. */
  triedMs: number
}

export interface Journal { underWay: UnderWay | null, last: Outcome | null }

/** Returns an update without information on a person's changes. */
export const begun = (
  step: UnderWay['step'], where: Pick<UnderWay, 'root' | 'attempt' | 'from' | 'to'>
): UnderWay => ({ step, ...where, stash: null, stashStays: false, merged: null, started: false, triedMs: 0 })

/** The form of an attempt's name; other folders are not attempts. */
export const attemptName = /^[0-9a-f]{8}$/

const fileOf = (stateDir: string): string => join(stateDir, 'update.json')

/** Reads the journal. An unreadable one counts as empty: a person would have to look at it. */
export function readJournal (stateDir: string): Journal {
  try {
    const { underWay, last } = fieldsOf(JSON.parse(readFileSync(fileOf(stateDir), 'utf8')))
    return {
      underWay: isUnderWay(underWay) ? { ...underWay, attempt: underWay.attempt ?? null, triedMs: Number(underWay.triedMs ?? 0) } : null,
      last: isOutcome(last) ? last : null
    }
  } catch {
    return { underWay: null, last: null }
  }
}

/** Writes the journal; it is on disk when this returns. */
export function writeJournal (stateDir: string, journal: Journal): void {
  const file = fileOf(stateDir)
  writeFileSync(`${file}.tmp`, `${JSON.stringify(journal, null, 2)}\n`, { mode: 0o600, flush: true })
  renameSync(`${file}.tmp`, file)
  syncNow(stateDir)
}

/**
 * Stores how an update ended, which also ends it. Never throws. Returns the error if the result could not be stored: the journal is then
 * removed, because an update that has ended must not be taken for an active one.
 */
export function endUpdate (stateDir: string, last: Outcome): unknown {
  try {
    writeJournal(stateDir, { underWay: null, last })
    return null
  } catch (error) {
    try {
      rmSync(fileOf(stateDir), { force: true })
    } catch {} // nothing can be written there at all, which the database will report
    return error
  }
}

function isUnderWay (value: unknown): value is UnderWay {
  const { step, root, attempt, from, to, stash, stashStays, merged, started } = fieldsOf(value)
  const isCommit = (sha: unknown): boolean => typeof sha === 'string' && /^[0-9a-f]{40,64}$/.test(sha)
  // The name is checked because a folder is removed by it.
  const isName = attempt === undefined || attempt === null || (typeof attempt === 'string' && attemptName.test(attempt))
  const isNoneOrCommit = (sha: unknown): boolean => sha === null || isCommit(sha)
  return ['preparing', 'placing', 'placed', 'returning'].includes(String(step)) && typeof root === 'string' && isName && isCommit(
    from
  ) && isCommit(to) &&
    isNoneOrCommit(stash) && isNoneOrCommit(merged) && typeof stashStays === 'boolean' && typeof started === 'boolean'
}

function isOutcome (value: unknown): value is Outcome {
  const { ok, message, finishedAtS } = fieldsOf(value)
  return typeof ok === 'boolean' && typeof message === 'string' && typeof finishedAtS === 'number'
}
