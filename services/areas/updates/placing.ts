import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DomainError } from '../../ground/errors.js'
import { gitEntries, gitText, runGit } from '../../workspace/git/index.js'
import { clearAttempt, type Attempt } from './update-attempt.js'
import { keepDatabase, restoreDatabase } from './database-copy.js'
import { exchange, exchangeBack } from './exchange.js'
import { noRoom, refuseWithoutRoom, UpdateFailed } from './failure.js'
import { begun, readJournal, writeJournal, type UnderWay } from './journal.js'
import { type Stage } from './staging.js'
import { changesOf, dropStash, isDirty, isStashed, labelledStash, manyFiles, pushStash, popStash, treeOf } from './stashes.js'

/**
 * Puts a built and tried version in place of the installation: the files of the checkout, the packages, the build. The previous parts are
 * kept until the version has come up. Resolves with whether the person's changes had to stay in a stash. When it throws, the installation
 * is unchanged.
 */
export async function place (
  stateDir: string, { root, attempt, from, to, triedMs }: Pick<UnderWay, 'root' | 'attempt' | 'from' | 'to' | 'triedMs'>, stage: Stage
): Promise<{ stashStays: boolean }> {
  const { last } = readJournal(stateDir)
  if (await gitText(root, ['rev-parse', 'HEAD']) !== from) {
    throw new UpdateFailed('Another commit was checked out in the meantime. Nothing was changed; try again')
  }
  const underWay: UnderWay = { ...begun('placing', { root, attempt, from, to }), stashStays: stage.conflicts, triedMs }
  writeJournal(stateDir, { underWay, last })
  try {
    underWay.stash = await stashChanges(root, stage, to)
    writeJournal(stateDir, { underWay, last })
    const {
      exitCode, stderr
    } = await runGit(root, ['merge', '--ff-only', '--no-autostash', '--no-verify-signatures', '--no-stat', '--quiet', to], manyFiles)
    if (exitCode !== 0) {
      if (unwritten.test(stderr)) await takeBack(root, from, to)
      throw mergeRefused(stderr)
    }
  } catch (error) {
    if (underWay.stash !== null && !await popStash(root, underWay.stash)) {
      throw new UpdateFailed(
        'The update could not be applied. Your changes are in the latest stash: git stash pop', { stash_conflict: true }
      )
    }
    throw error
  }
  exchange(underWay)
  await settle(stateDir, underWay)
  return { stashStays: underWay.stashStays }
}

/**
 * Finishes placing once files, packages and build of the new version are in place: restores the person's changes, and notes that the
 * version has to come up.
 */
async function settle (stateDir: string, underWay: UnderWay): Promise<void> {
  const { root, stash } = underWay
  if (stash !== null && !underWay.stashStays && await isStashed(root, stash)) underWay.stashStays = !await popStash(root, stash)
  const changes = await changesOf(root)
  underWay.merged = changes === null ? null : await treeOf(root, changes)
  writeJournal(stateDir, { underWay: { ...underWay, step: 'placed' }, last: readJournal(stateDir).last })
}

/** `restart`: whether another version than the running one is in place now. */
export interface Repaired { ok: boolean, message: string, restart: boolean }

/**
 * Called at a start: finishes an interrupted update, forwards if the new version's files are checked out (it had been tried), backwards
 * otherwise. Returns null if the new version is in place and still has to come up.
 */
export async function repair (stateDir: string, underWay: UnderWay): Promise<Repaired | null> {
  const { root, from, to, step } = underWay
  if (step === 'preparing') {
    await leaveAttempt(underWay)
    return { ok: false, message: 'The update was interrupted before it changed anything', restart: false }
  }
  if (step === 'returning' || (step === 'placed' && underWay.started)) return await goBack(stateDir, underWay)
  if (step === 'placed') return await prove(stateDir, underWay)
  try {
    underWay.stash ??= await labelledStash(root, labelOf(to))
    if (await gitText(root, ['rev-parse', 'HEAD']) !== to) {
      const { stash } = underWay
      const isBack = stash === null || !await isStashed(root, stash) || await popStash(root, stash)
      await leaveAttempt(underWay)
      return {
        ok: false, message: `The update was interrupted; the previous version is back${isBack ? '' : kept}`, restart: false
      }
    }
    const restart = exchange(underWay)
    await settle(stateDir, underWay)
    return restart
      ? { ok: true, message: `The update from ${short(from)} to ${short(to)} was completed`, restart }
      : await prove(stateDir, underWay)
  } catch (error) {
    return {
      ok: false, message: `The update was interrupted halfway. Check the checkout with git status${reasonOf(error)}`,
      restart: false
    }
  }
}

/** Called when the new version begins to start: keeps a copy of the database, and notes the start. */
async function prove (stateDir: string, underWay: UnderWay): Promise<Repaired | null> {
  try {
    keepDatabase(stateDir)
    writeJournal(stateDir, { underWay: { ...underWay, step: 'placed', started: true }, last: readJournal(stateDir).last })
    return null
  } catch {
    // Without space for the copy the database must not be migrated, and without the note the next start would not know of this one.
    return await goBack(stateDir, underWay)
  }
}

/** Removes an attempt if that is possible now; otherwise it is removed once the service listens, or before the next update. */
async function leaveAttempt (attempt: Attempt): Promise<void> {
  await clearAttempt(attempt).catch(() => {})
}

/**
 * Called when the new version does not come up: restores files, packages, build and database of the previous one, with the person's
 * changes. `restart`: whether it has to be started. May be repeated after an interruption.
 */
export async function goBack (stateDir: string, underWay: UnderWay): Promise<Repaired> {
  const { root, from, to, stash, merged } = underWay
  const { last } = readJournal(stateDir)
  try {
    writeJournal(stateDir, { underWay: { ...underWay, step: 'returning' }, last })
  } catch {} // on a full disk it goes back too, which frees space
  try {
    let hasOwn = false
    const head = await gitText(root, ['rev-parse', 'HEAD'])
    if (head === to) {
      const since = await isDirty(root) ? await pushStash(root, `after the update to ${short(to)}`) : null
      await gitText(root, ['reset', '--keep', '--quiet', from], manyFiles)
      if (since !== null && merged !== null && await treeOf(root, since) === merged) await dropStash(root, since)
      else hasOwn = since !== null
    } else if (head !== from) throw new UpdateFailed('Another commit was checked out in the meantime')
    if (stash !== null && !await isDirty(root) && !await popStash(root, stash)) hasOwn = true
    const restart = exchangeBack(underWay)
    restoreDatabase(stateDir)
    return {
      ok: false,
      message: `The new version ${short(to)} did not start; ${short(from)} is back${hasOwn ? kept : ''}. The log of the service has the details`,
      restart
    }
  } catch (error) {
    return {
      ok: false,
      message: `The new version ${short(to)} did not start, and the previous one could not be restored${reasonOf(error)}. Check the checkout with git status`,
      restart: false
    }
  }
}

export const updated = ({ from, to, stashStays }: UnderWay): string =>
  `Updated from ${short(from)} to ${short(to)}${stashStays ? kept : ''}`

const kept = '. Your changes of its files are kept in the latest stash'
const short = (sha: string): string => sha.slice(0, 7)
const labelOf = (to: string): string => `before the update to ${short(to)}`
const reasonOf = (error: unknown): string => error instanceof DomainError || error instanceof UpdateFailed ? `: ${error.message}` : ''

/**
 * Moves the person's changes into a stash; null if there are none. Throws UpdateFailed if they are not those with which the version was
 * built.
 */
async function stashChanges (root: string, { changes }: Stage, to: string): Promise<string | null> {
  const hasChanges = await isDirty(root)
  if (!hasChanges && changes === null) return null
  const changed = new UpdateFailed('Files of the checkout changed while the update was prepared. Nothing was changed; try again')
  if (!hasChanges || changes === null) throw changed
  const sha = await pushStash(root, labelOf(to))
  if (await treeOf(root, sha) === await treeOf(root, changes)) return sha
  await popStash(root, sha)
  throw changed
}

/** What git prints when a checkout fails after some files were written. It gives no reason; usually the disk is full. */
const unwritten = /unable to (?:write|create) file/

/** Undoes a failed checkout. If a person's own files are in the way, git refuses before it writes, so the added files are git's. */
async function takeBack (root: string, from: string, to: string): Promise<void> {
  const added = await gitEntries(root, ['diff', '--name-only', '--no-renames', '--diff-filter=A', '-z', from, to, '--'], manyFiles)
  for (const path of added) await rm(join(root, path), { force: true })
  await gitText(root, ['reset', '--hard', '--quiet', from], manyFiles)
}

function mergeRefused (stderr: string): UpdateFailed {
  refuseWithoutRoom(stderr)
  if (/unable to write file/.test(stderr)) return new UpdateFailed(noRoom)
  if (/index\.lock|could not lock|cannot lock ref|Another git process/.test(stderr)) {
    return new UpdateFailed('Another git operation is running in the checkout of this service. Wait until it ends, then update again', { lock_conflict: true })
  }
  if (/untracked working tree files|would be overwritten/.test(stderr)) {
    return new UpdateFailed('The new version would overwrite files of yours. Nothing was changed: move them away, then update again', { conflict: true })
  }
  if (/Not possible to fast-forward|Diverging/i.test(stderr)) {
    return new UpdateFailed('The checkout of this service has commits of its own', { diverged: true })
  }
  return new UpdateFailed('git could not check out the new version. Nothing was changed')
}
