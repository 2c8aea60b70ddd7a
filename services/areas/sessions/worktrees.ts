import { createQueue } from '../../ground/concurrency/queue.js'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { inFolder, type Database } from '../../ground/database/index.js'
import { Conflict, Invalid, Unavailable } from '../../ground/errors.js'
import { sessionId as newSessionId } from '../../ground/ids.js'
import { remoteFolder, remoteName } from '../../ground/remote-folder.js'
import { redact } from '../../ground/redaction/index.js'
import {
  createWorktree, removeWorktree, worktreeStatus, type NewWorktree, type Removal, type Worktree, type WorktreeStatus
} from '../../workspace/index.js'
import { type NewSession, type SessionRow } from './rows.js'
import { type SessionRows } from './session-rows.js'

/** Worktrees of repositories on another machine; paths are those of that machine. Each function also throws Unavailable. */
export interface RemoteWorktrees {
  create: (machine: string, wanted: Parameters<typeof createWorktree>[0]) => Promise<NewWorktree>
  status: (machine: string, worktree: Worktree) => Promise<WorktreeStatus>
  remove: (machine: string, worktree: Worktree, options: Parameters<typeof removeWorktree>[1]) => Promise<Removal>
}

const refuse = async (machine: string): Promise<never> => { throw new Unavailable(`The machine ${machine} is not reachable`, 'host_unreachable') }
export const noRemoteWorktrees: RemoteWorktrees = { create: refuse, status: refuse, remove: refuse }

export interface SessionWorktreesOptions {
  db: Database
  clock: Clock
  rows: SessionRows
  remote: RemoteWorktrees
  /** What is needed of the sessions area. */
  sessions: {
    get (id: string): SessionRow
    /** Throws Forbidden for a read-only session, and Conflict while a turn runs in it. */
    editable (id: string): SessionRow
    create (input: NewSession): Promise<SessionRow>
    /** Creates a session inside the caller's transaction. */
    insert (input: NewSession): SessionRow
    changed (reason: string): void
    /** What would begin in a removed worktree begins in its repository from now on. Called inside the transaction. */
    movedOut (from: string, to: string): void
  }
}

/** The worktree of a folder is being removed. `removed` resolves with whether it is gone then; a failed removal leaves it as it was. */
export class BeingRemoved extends Conflict {
  constructor (readonly folder: string, readonly removed: Promise<boolean>) {
    super('The worktree of this session is being removed. Try again in a moment', 'worktree_leaving')
  }
}

/**
 * Manages sessions that work in a git worktree of their own. Paths on another machine are stored with the name of that machine, as the
 * workspace is.
 */
export function createSessionWorktrees ({ db, clock, rows, remote, sessions }: SessionWorktreesOptions) {
  // Joined with the streams, so that one query tells whether any of the sessions that share a folder has an active turn.
  const working = db.sqlite.prepare<[{ folder: string }], string>(
    `select streams.id from streams join sessions on sessions.id = session_id where state = 'active' and ${inFolder}`
  ).pluck()
  const inTurn = createQueue()
  /** Folders of worktrees that are being removed; each promise resolves with whether it is gone. */
  const leaving = new Map<string, Promise<boolean>>()

  function worktreeOf ({ worktreePath: path, worktreeBranch: branch, worktreeRepoRoot: repoRoot }: SessionRow): Worktree | null {
    return path === null || branch === null || repoRoot === null ? null : { path, branch, repoRoot }
  }

  async function create ({ folder, ...wanted }: Parameters<typeof createWorktree>[0]): Promise<NewWorktree> {
    const elsewhere = remoteFolder(folder)
    if (elsewhere === null) return await createWorktree({ folder, ...wanted })
    const { machine, path } = elsewhere
    const made = await remote.create(machine, { folder: path, ...wanted })
    const named = (place: string): string => remoteName({ machine, path: place })
    return { branch: made.branch, path: named(made.path), repoRoot: named(made.repoRoot), workspace: named(made.workspace) }
  }

  async function status (worktree: Worktree): Promise<WorktreeStatus> {
    const elsewhere = placeOf(worktree)
    if (elsewhere === null) return await worktreeStatus(worktree)
    const found = await remote.status(elsewhere.machine, elsewhere.worktree)
    return { ...found, path: remoteName({ machine: elsewhere.machine, path: found.path }) }
  }

  async function remove (worktree: Worktree, options: Parameters<typeof removeWorktree>[1]): Promise<Removal> {
    const elsewhere = placeOf(worktree)
    if (elsewhere === null) return await removeWorktree(worktree, options)
    return await remote.remove(elsewhere.machine, elsewhere.worktree, options)
  }

  return {
    /**
     * Opens a session; with `worktree` it gets its own branch and folder. `alongside` runs in the transaction that stores a session with a
     * worktree. Throws Invalid when its folder is in no repository, and for a temporary chat, whose worktree would be left behind.
     */
    async createSession (
      input: NewSession, { worktree, alongside }: { worktree: boolean, alongside?: (row: SessionRow) => void }
    ): Promise<SessionRow> {
      if (!worktree) return await sessions.create(input)
      if (input.temporary === true) throw new Invalid('A temporary chat cannot have a worktree')
      const id = newSessionId()
      const made = await create({
        folder: input.workspace, sessionId: id, ...(input.title === undefined ? {} : { title: redact(input.title) })
      })
      try {
        return await db.durably(() => {
          sessions.insert({ ...input, id, workspace: made.workspace })
          const row = rows.set(id, {
            worktreePath: made.path, worktreeBranch: made.branch, worktreeRepoRoot: made.repoRoot, worktreeCreatedAt: epochSeconds(clock)
          })
          alongside?.(row)
          return row
        })
      } catch (error) {
        // No work was done in it yet.
        await remove(made, { force: true, deleteBranch: true }).catch(() => {})
        throw error
      }
    },

    /** Returns null for a session without a worktree. Throws NotFound. */
    async status (id: string): Promise<WorktreeStatus | null> {
      const worktree = worktreeOf(sessions.get(id))
      return worktree === null ? null : await status(worktree)
    },

    /**
     * Removes the worktree; the session continues in the repository itself. Meanwhile no turn begins in it. Of several requests at once,
     * the first removes it. Throws Invalid, and Conflict when work would be lost or a turn runs.
     */
    remove: async (id: string, force: boolean): Promise<Removal> => await inTurn(id, async () => {
      const worktree = worktreeOf(sessions.editable(id))
      if (worktree === null) throw new Invalid('This session has no worktree')
      const { path } = worktree
      if (working.get({ folder: path }) !== undefined) throw new Conflict('A turn is running in this worktree', 'active_stream')
      const over = Promise.withResolvers<boolean>()
      leaving.set(path, over.promise)
      let isGone = false
      try {
        const removal = await remove(worktree, { force })
        if (!removal.removed) throw new Conflict('The worktree could not be removed')
        await db.durably(() => {
          rows.set(id, { worktreePath: null, worktreeBranch: null, worktreeRepoRoot: null, worktreeCreatedAt: null })
          // Branches and copies of the session may work there too.
          rows.moveOut(path, worktree.repoRoot)
          sessions.movedOut(path, worktree.repoRoot)
          sessions.changed('session_update')
        })
        isGone = true
        return removal
      } finally {
        leaving.delete(path)
        over.resolve(isGone)
      }
    }),

    /** Throws BeingRemoved if a folder is in a worktree that is being removed. Called in the transaction that begins a turn there. */
    assertStays (folder: string): void {
      for (const [path, removed] of leaving) {
        if (folder === path || folder.startsWith(`${path}/`)) throw new BeingRemoved(folder, removed)
      }
    }
  }
}

/** Returns null for a worktree on this machine. */
function placeOf ({ path, branch, repoRoot }: Worktree): { machine: string, worktree: Worktree } | null {
  const [folder, root] = [remoteFolder(path), remoteFolder(repoRoot)]
  return folder === null || root === null ? null : { machine: folder.machine, worktree: { path: folder.path, branch, repoRoot: root.path } }
}
