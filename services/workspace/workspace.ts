import { statSync } from 'node:fs'
import { type Clock } from '../ground/clock.js'
import { type Database } from '../ground/database/index.js'
import { remoteFolder, remoteName, type RemoteFolder } from '../ground/location.js'
import { makeWorkspaceFolder, workspaceFolder } from './place/folder.js'
import { createTerritories, type TerritoriesOptions } from './place/territories.js'
import { expandHome, suggestFolders, suggestRemote } from './suggest.js'
import { createWorkspaces, type WorkspaceRecord } from './workspaces.js'

/** The folders of the machines that have joined this service. */
interface RemoteFolders {
  hosts: () => string[]
  /**
   * The real path there of a folder that may serve as a workspace. Throws Invalid when the machine says that it may not,
   * and Unavailable when it does not answer.
   */
  folder: (folder: RemoteFolder, options: { create: boolean }) => Promise<string>
  /** Folders of a machine that complete what has been typed of a path. */
  suggest: (folder: RemoteFolder) => Promise<string[]>
}

export interface WorkspaceOptions extends Omit<TerritoriesOptions, 'closed'> {
  db: Database
  clock: Clock
  /** The folder of conversations that name none, and its real path; `ensureWorkspace` makes it. */
  defaultFolder: string
  fallback: string
  /** The one that somebody has chosen since; the same where nobody has. It may be gone. */
  chosenFolder: () => string
  /** Folders of the service's own, in which no workspace may lie: its state and its backups. */
  reserved: string[]
  userHome: string
  /** The folder of the conversation of a profile that was active last. */
  lastUsed: (profile: string) => string | undefined
  remote: RemoteFolders
}

/**
 * The folders conversations work in: which may serve, which are offered, and what of the machine each of them opens. A folder of
 * another machine is `name:/path` wherever it is named.
 */
export function createWorkspace ({
  db, clock, defaultFolder, fallback, chosenFolder, reserved, userHome, folderOf, homes, lastUsed, remote
}: WorkspaceOptions) {
  const current = (): string => {
    const chosen = chosenFolder()
    // Whether that one is there cannot be looked up, and a machine that is away comes back.
    if (remoteFolder(chosen) !== null) return chosen
    return chosen !== defaultFolder && statSync(chosen, { throwIfNoEntry: false })?.isDirectory() === true ? chosen : fallback
  }
  const list = createWorkspaces({ db, clock, defaultWorkspace: current, lastUsed })
  /** A path as somebody writes it, as the list has it: the folder need not be there any more. */
  const listed = (path: string): string => expandHome(path, userHome).replace(/(?<=.)\/+$/, '')

  async function folder (path: string, { create = false } = {}): Promise<string> {
    const elsewhere = remoteFolder(path)
    if (elsewhere !== null) return remoteName({ host: elsewhere.host, path: await remote.folder(elsewhere, { create }) })
    return create ? await makeWorkspaceFolder(path, reserved) : await workspaceFolder(path, reserved)
  }

  return {
    /** Real path of the folder that new sessions work in. */
    get defaultFolder (): string { return current() },

    /**
     * The real path of a folder that may serve as a workspace. Throws Invalid for anything else, and
     * Unavailable when its machine does not answer.
     */
    folder: (path: string): Promise<string> => folder(path),

    /** The same of a path as somebody writes it, which may begin with `~/`. */
    typed: (path: string): Promise<string> => folder(expandHome(path, userHome)),

    /** The same, or the default where nothing is named: also for what was brought in from a machine that had another one. */
    folderOrDefault: async (path: string | undefined): Promise<string> =>
      path === undefined ? current() : await folder(path).catch(current),

    territories: createTerritories({ folderOf, homes, closed: reserved }),

    /** The folders a profile offers for new conversations. */
    list: list.list,
    last: list.last,

    /** Folders that complete what has been typed. */
    async suggest (profile: string, prefix: string): Promise<string[]> {
      const elsewhere = await suggestRemote(prefix, remote)
      return elsewhere ?? await suggestFolders(prefix, { known: list.list(profile).map(({ path }) => path), userHome, reserved })
    },

    /**
     * `create`: makes the folder, with those above it. Throws Invalid, also when it is in the list already, and
     * Unavailable when its machine does not answer.
     */
    async add (profile: string, path: string, { name, create }: { name?: string, create: boolean }): Promise<WorkspaceRecord[]> {
      return await list.add(profile, await folder(expandHome(path.trim(), userHome), { create }), name)
    },

    /** Takes it out of the list; the folder itself and its conversations stay. Throws NotFound, and Invalid for the default. */
    remove: (profile: string, path: string): Promise<WorkspaceRecord[]> => list.remove(profile, listed(path)),

    /** An empty name brings back the folder's own. Throws NotFound. */
    rename: (profile: string, path: string, name: string): Promise<WorkspaceRecord[]> => list.rename(profile, listed(path), name),

    /** Paths that are not in the list are ignored; what is not named comes after, in its old order. */
    reorder: (profile: string, paths: string[]): Promise<WorkspaceRecord[]> => list.reorder(profile, paths.map(listed))
  }
}

export type Workspace = ReturnType<typeof createWorkspace>
