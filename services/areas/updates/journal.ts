import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fieldsOf } from '../../ground/fields.js'

/** How the last update went, for whoever asks later. */
export interface Outcome { ok: boolean, message: string, finishedAtS: number }

/** An update under way, as the next start has to know of it. */
export interface UnderWay {
  /**
   * `preparing`: nothing of the installation has been touched. `placing`: it may have been. `placed`: all is in its place, and
   * the new version has to come up. `returning`: it did not, and the version from before is being put back.
   */
  step: 'preparing' | 'placing' | 'placed' | 'returning'
  root: string
  /** The name of its folder; null: it was begun by a version that gave it none. */
  attempt: string | null
  /** Commits. */
  from: string
  to: string
  /** The stash with the person's changes; null: there were none. */
  stash: string | null
  /** They do not fit the new version, so the stash stays. */
  stashStays: boolean
  /** The tree of the checkout with the person's changes in the new version; null: there are none in it. */
  merged: string | null
  /** The new version has begun to start. */
  started: boolean
  /** How long its trial took, the migration of a copy of the database included. */
  triedMs: number
}

export interface Journal { underWay: UnderWay | null, last: Outcome | null }

/** One that has nothing to say of a person's changes yet. */
export const begun = (
  step: UnderWay['step'], where: Pick<UnderWay, 'root' | 'attempt' | 'from' | 'to'>
): UnderWay => ({ step, ...where, stash: null, stashStays: false, merged: null, started: false, triedMs: 0 })

/** What is no such name is no name of a folder of ours. */
export const attemptName = /^[0-9a-f]{8}$/

const fileOf = (stateDir: string): string => join(stateDir, 'update.json')

/** What is noted. One that cannot be read says nothing: a person would have to look. */
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

/** On the disk when it returns. */
export function writeJournal (stateDir: string, journal: Journal): void {
  const file = fileOf(stateDir)
  writeFileSync(`${file}.tmp`, `${JSON.stringify(journal, null, 2)}\n`, { mode: 0o600, flush: true })
  renameSync(`${file}.tmp`, file)
  syncFolder(stateDir)
}

/** Where it cannot be written: an update that is over must not be taken for one that is under way. Never throws. */
export function forgetJournal (stateDir: string): void {
  try {
    rmSync(fileOf(stateDir), { force: true })
  } catch {} // nothing can be written there at all, which the database will say
}

export function syncFolder (folder: string): void {
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function isUnderWay (value: unknown): value is UnderWay {
  if (typeof value !== 'object' || value === null) return false
  const { step, root, attempt, from, to, stash, stashStays, merged, started } = fieldsOf(value)
  const isCommit = (sha: unknown): boolean => typeof sha === 'string' && /^[0-9a-f]{40,64}$/.test(sha)
  // A folder is removed by it.
  const isName = attempt === undefined || attempt === null || (typeof attempt === 'string' && attemptName.test(attempt))
  const isNoneOrCommit = (sha: unknown): boolean => sha === null || isCommit(sha)
  return ['preparing', 'placing', 'placed', 'returning'].includes(String(step)) && typeof root === 'string' && isName && isCommit(
    from
  ) && isCommit(to) &&
    isNoneOrCommit(stash) && isNoneOrCommit(merged) && typeof stashStays === 'boolean' && typeof started === 'boolean'
}

function isOutcome (value: unknown): value is Outcome {
  if (typeof value !== 'object' || value === null) return false
  const { ok, message, finishedAtS } = fieldsOf(value)
  return typeof ok === 'boolean' && typeof message === 'string' && typeof finishedAtS === 'number'
}
