import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { protocolVersion } from '../../agent/protocol.js'
import { gitText } from '../../workspace/git/index.js'
import { attemptFolder, clearAttempt, clearLeftovers, isTaken, markOf, newAttempt } from './update-attempt.js'
import { fetchTarget, noRemote, isWritable, openCheckout, type Channel } from './checkout.js'
import { UpdateFailed, type Flags } from './failure.js'
import { type Installation } from './installation.js'
import { begun, readJournal, writeJournal } from './journal.js'
import { type HeldCheckout } from './checkout-lock.js'
import { place } from './placing.js'
import { stageVersion } from './staging.js'
import { tryConfiguration, tryVersion } from './trial.js'
import { type Log } from '../../ground/log.js'

export interface ApplyOptions {
  /** That of the service. */
  environment: NodeJS.ProcessEnv
  installation: Installation
  packageName: string
  stateDir: string
  /** Makes a backup and returns the path of its database; null if the database is not on disk. Rejects with a message for a person. */
  snapshot: () => Promise<string | null>
  /** Locked from the beginning on; the caller releases it. */
  checkout: HeldCheckout
  /** Throws when something is running that a restart would interrupt. */
  assertQuiet: () => void
  /**
   * Checks the same, and keeps new turns from beginning afterwards. `takesUp`: whether the new version continues turns that run without the
   * service.
   */
  holdQuiet: (takesUp: boolean) => void
  log: Log
  signal: AbortSignal
  trialLimitMs?: number
}

/** `takesUp`: whether the version that is in place now continues the turns of this one. */
export interface Done { message: string, flags: Flags, restart: boolean, takesUp: boolean }

/**
 * Updates the installation to the newest version of a channel: fetches it, builds it beside the running one, tries it, and only then puts
 * it in place. Throws UpdateFailed with the reason, and whatever `assertQuiet` throws; the installation is then unchanged.
 */
export async function applyUpdate (options: ApplyOptions, channel: Channel): Promise<Done> {
  const {
    environment, installation, packageName, stateDir, snapshot, checkout: held, assertQuiet, holdQuiet, log, signal, trialLimitMs
  } = options
  assertQuiet()
  const checkout = await openCheckout(installation, packageName)
  if ('reason' in checkout) throw new UpdateFailed(checkout.reason)
  const { root, head: from, remote } = checkout
  if (remote === null) throw new UpdateFailed(noRemote)
  await held.take(root)
  await assertFree(root)
  const { sha: to, behind, diverged } = await fetchTarget({ ...checkout, remote }, channel)
  if (behind === 0) return { message: 'This is already the newest version', flags: { up_to_date: true }, restart: false, takesUp: true }
  if (diverged) {
    throw new UpdateFailed(
      'The checkout of this service has its own commits and cannot be fast-forwarded. Merge or rebase from a terminal',
      { diverged: true }
    )
  }
  const { last } = readJournal(stateDir)
  log('an update begins', { from, to, behind })
  const database = await snapshot()
  await clearLeftovers(root)
  const attempt = newAttempt(root)
  writeJournal(stateDir, { underWay: begun('preparing', { ...attempt, from, to }), last })
  const stage = await stageVersion(attempt, to, { environment, stateDir, signal, log })
  const beganAtMs = performance.now()
  await tryVersion({
    environment, version: stage.folder, folder: join(attemptFolder(attempt), 'trial'), database, mark: markOf(attempt), signal, log,
    timeoutMs: trialLimitMs
  })
  const triedMs = Math.round(performance.now() - beganAtMs)
  const takesUp = await tryConfiguration({ environment, version: stage.folder, signal, log }) === protocolVersion
  // Checked again, because the steps before took a while.
  holdQuiet(takesUp)
  const { stashStays } = await place(stateDir, { ...attempt, from, to, triedMs }, stage)
  log('an update is in place', { from, to })
  const news = `Updated by ${behind} ${behind === 1 ? 'commit' : 'commits'} to ${to.slice(0, 7)}; the service restarts`
  return stashStays
    ? {
        message: `${news}. Your changes of its files do not fit the new version: they are kept in the latest stash`,
        flags: { stash_conflict: true }, restart: true, takesUp
      }
    : { message: news, flags: {}, restart: true, takesUp }
}

/**
 * Called after a failure: removes what was made, and marks in the journal that no update is active. An update of another installation is
 * left alone.
 */
export async function abandon ({ stateDir, installation }: Pick<ApplyOptions, 'stateDir' | 'installation'>): Promise<void> {
  const { underWay, last } = readJournal(stateDir)
  if (underWay === null || !('root' in installation) || underWay.root !== installation.root) return
  await clearAttempt(underWay)
  writeJournal(stateDir, { underWay: null, last })
}

async function assertFree (root: string): Promise<void> {
  if (!await isWritable(root) || (existsSync(join(root, 'dist')) && !await isWritable(join(root, 'dist')))) {
    throw new UpdateFailed(
      'The service\'s user may not write to its folder. Update it the way it was installed'
    )
  }
  if (isTaken(root)) {
    throw new UpdateFailed('.update, where new versions are made, is a file or link of yours. Move it away first', { conflict: true })
  }
  const gitDir = await gitText(root, ['rev-parse', '--absolute-git-dir'])
  if (existsSync(join(gitDir, 'index.lock'))) {
    throw new UpdateFailed('Another git operation is running in the checkout of this service (index.lock). Wait until it ends, then update again', { lock_conflict: true })
  }
  const unmerged = await gitText(root, ['ls-files', '--unmerged', '--stage', '-z'])
  if (unmerged !== '') {
    throw new UpdateFailed('The checkout of this service has conflicts. Resolve them first', { conflict: true })
  }
  const isUnderWay = ['MERGE_HEAD', 'rebase-merge', 'rebase-apply', 'CHERRY_PICK_HEAD', 'REVERT_HEAD'].some((name) =>
    existsSync(join(gitDir, name)))
  if (isUnderWay) throw new UpdateFailed('A merge or rebase is in progress in the checkout of this service. Finish or abort it first', { conflict: true })
}
