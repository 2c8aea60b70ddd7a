import { statSync } from 'node:fs'
import { type Clock } from '../ground/time/clock.js'
import { type Database } from '../ground/database/index.js'
import { remoteFolder, remoteName, type RemoteFolder } from '../ground/remote-folder.js'
import { makeWorkspaceFolder, workspaceFolder } from './place/folder.js'
import { createTerritories, type TerritoriesOptions } from './place/territories.js'
import { expandHome, suggestFolders, suggestRemote } from './folder-suggestions.js'
import { createWorkspaces, type WorkspaceRecord } from './workspace-list.js'

/** Access to the folders of the machines that have joined this service. */
interface RemoteFolders {
  machines: () => string[]
  /**
   * Returns the real path, on its machine, of a folder that may be a workspace. Throws Invalid if the machine refuses it,
   * and Unavailable if the machine does not answer.
   */
  folder: (folder: RemoteFolder, options: { create: boolean }) => Promise<string>
  /** Returns the folders of a machine that complete a typed path. */
  suggest: (folder: RemoteFolder) => Promise<string[]>
}

export interface WorkspaceOptions extends Omit<TerritoriesOptions, 'closed'> {
  db: Database
  clock: Clock
  /** The configured default folder, which `ensureWorkspace` creates; `fallback` is its real path. */
  defaultFolder: string
  fallback: string
  /** Returns the default folder that a person has chosen since, otherwise `defaultFolder`. It may be gone. */
  chosenFolder: () => string
  /** The service's own folders, which may not contain workspaces: its state and its backups. */
  reserved: string[]
  userHome: string
  /** Returns the folder of the profile's most recently active conversation. */
  lastUsed: (profile: string) => string | undefined
  remote: RemoteFolders
}

/**
 * The folders in which conversations work: which are allowed, which are offered, and which part of the machine each opens. A folder of
 * another machine is always written as `name:/path`.
 */
export function createWorkspace ({
  db, clock, defaultFolder, fallback, chosenFolder, reserved, userHome, folderOf, homes, lastUsed, remote
}: WorkspaceOptions) {
  const current = (): string => {
    const chosen = chosenFolder()
    // The service cannot check whether a folder of another machine exists; a machine that is offline comes back.
    if (remoteFolder(chosen) !== null) return chosen
    return chosen !== defaultFolder && statSync(chosen, { throwIfNoEntry: false })?.isDirectory() === true ? chosen : fallback
  }
  const list = createWorkspaces({ db, clock, defaultWorkspace: current, lastUsed })
  /** Converts a typed path to the form in the list. The folder need not exist any more. */
  const listed = (path: string): string => expandHome(path, userHome).replace(/(?<=.)\/+$/, '')

  async function folder (path: string, { create = false } = {}): Promise<string> {
    const elsewhere = remoteFolder(path)
    if (elsewhere !== null) return remoteName({ machine: elsewhere.machine, path: await remote.folder(elsewhere, { create }) })
    return create ? await makeWorkspaceFolder(path, reserved) : await workspaceFolder(path, reserved)
  }

  return {
    /** Real path of the folder in which new sessions work. */
    get defaultFolder (): string { return current() },

    /**
     * Returns the real path of a folder that may be a workspace. Throws Invalid for anything else, and
     * Unavailable if its machine does not answer.
     */
    folder: (path: string): Promise<string> => folder(path),

    /** The same for a typed path, which may begin with `~/`. */
    typed: (path: string): Promise<string> => folder(expandHome(path, userHome)),

    /** Like `folder`, but returns the default if no path is given or it is not allowed, as after an import from another machine. */
    folderOrDefault: async (path: string | undefined): Promise<string> =>
      path === undefined ? current() : await folder(path).catch(current),

    territories: createTerritories({ folderOf, homes, closed: reserved }),

    /** Returns the folders that a profile offers for new conversations. */
    list: list.list,
    last: list.last,

    /** Returns folders that complete a typed path. */
    async suggest (profile: string, prefix: string): Promise<string[]> {
      const elsewhere = await suggestRemote(prefix, remote)
      return elsewhere ?? await suggestFolders(prefix, { known: list.list(profile).map(({ path }) => path), userHome, reserved })
    },

    /**
     * Adds a folder to the list. `create`: creates the folder, with those above it. Throws Invalid, also if it is already in the list,
     * and Unavailable if its machine does not answer.
     */
    async add (profile: string, path: string, { name, create }: { name?: string, create: boolean }): Promise<WorkspaceRecord[]> {
      return await list.add(profile, await folder(expandHome(path.trim(), userHome), { create }), name)
    },

    /** Removes a folder from the list; the folder itself and its conversations stay. Throws NotFound, and Invalid for the default. */
    remove: (profile: string, path: string): Promise<WorkspaceRecord[]> => list.remove(profile, listed(path)),

    /** Changes the shown name. An empty name restores the folder's own. Throws NotFound. */
    rename: (profile: string, path: string, name: string): Promise<WorkspaceRecord[]> => list.rename(profile, listed(path), name),

    /** Reorders the list. Paths that are not in it are ignored; folders that are not named follow in their old order. */
    reorder: (profile: string, paths: string[]): Promise<WorkspaceRecord[]> => list.reorder(profile, paths.map(listed))
  }
}

export type Workspace = ReturnType<typeof createWorkspace>
