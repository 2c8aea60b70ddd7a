import { type checkFrames } from '../../../schemas/checks.js'
import { type Clock } from '../../ground/time/clock.js'
import { within } from '../../ground/files/containment.js'
import { type Database } from '../../ground/database/index.js'
import { framesOf, type EventBroker } from '../../ground/events/index.js'
import { type Log } from '../../ground/log.js'
import { remoteFolder } from '../../ground/remote-folder.js'
import { type AuditPort } from '../audit/index.js'
import { type Budgets } from '../budgets/index.js'
import { type Chat } from '../chat/index.js'
import { type SessionRow, type Sessions } from '../sessions/index.js'
import { createCheckRows, type CheckRow, type CheckRows } from './rows.js'
import { type Proposal } from './finding.js'
import { type CheckSite } from './site.js'

export interface ChecksOptions {
  db: Database
  clock: Clock
  events: EventBroker
  audit: AuditPort
  sessions: Sessions
  chat: Pick<Chat, 'send' | 'isSettled' | 'isPlanning' | 'lastTurn' | 'turns'>
  budgets: Pick<Budgets, 'isUsedUp'>
  /** Returns the machine that has a folder; `machine` is null for this one. */
  site: (machine: string | null) => CheckSite
  /** Whether messages wait in the queue of a session, held or not. */
  isQueued: (sessionId: string) => Promise<boolean>
  /** Whether a client has the session, or the list of sessions, open. */
  isWatched: (sessionId: string) => boolean
  log: Log
}

/** Where the checks of a session are kept, and where they run. */
export interface CheckPlace {
  profile: string
  place: string
  /** The folder as sessions name it. */
  folder: string
  site: CheckSite
  /** The folder as its machine names it. */
  path: string
}

/** What all parts of the area use. */
export interface Context extends ChecksOptions {
  rows: CheckRows
  placeOf: (session: SessionRow) => CheckPlace
  /** Tells every device; called inside the transaction of the change. */
  changed: (folder: string, sessionId: string | null) => void
}

const frame = framesOf<typeof checkFrames>()

export function contextOf (options: ChecksOptions): Context {
  const { db, events, site } = options
  return {
    ...options,
    rows: createCheckRows(db),
    placeOf: (session) => placeOf(session, site),
    changed: (folder, sessionId) => db.afterCommit(() =>
      events.publish({ kind: 'notice', id: 'all' }, () => frame('checks_changed', { workspace: folder, session_id: sessionId })))
  }
}

/** A worktree has the checks of the folder that it was made from. */
function placeOf ({ profile, workspace, worktreePath, worktreeRepoRoot }: SessionRow, site: ChecksOptions['site']): CheckPlace {
  const { machine, path } = remoteFolder(workspace) ?? { machine: null, path: workspace }
  const isWorktree = worktreePath !== null && worktreeRepoRoot !== null && within(worktreePath, workspace)
  return {
    profile, folder: workspace, site: site(machine), path,
    place: isWorktree ? `${worktreeRepoRoot}${workspace.slice(worktreePath.length)}` : workspace
  }
}

/**
 * Returns what the file of a check makes it run now, if a person has not seen that; empty if the file no longer names it; null if it is
 * unchanged.
 */
export function changedScript (
  { file, command, script }: Pick<CheckRow, 'file' | 'command' | 'script'>, proposals: readonly Proposal[]
): string | null {
  if (file === null || script === null) return null
  const now = proposals.find((proposal) => proposal.command === command && proposal.file === file)?.script ?? ''
  return now === script ? null : now
}
