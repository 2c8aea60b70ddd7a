import { join } from 'node:path'
import { realPath, within } from '../../ground/files/containment.js'
import { Forbidden, NotFound, Unavailable } from '../../ground/errors.js'
import { remoteFolder } from '../../ground/remote-folder.js'
import { workspaceFolder } from './folder.js'
import { type Territory } from './place.js'

/** The folder in which a session works. */
export interface SessionFolder {
  workspace: string
  readOnly: boolean
  /** Whether another program chose it, so that it may not be suitable as a workspace. */
  isForeign: boolean
}

export interface TerritoriesOptions {
  /** Throws NotFound. */
  folderOf: (sessionId: string) => SessionFolder
  /** The service's own folders: its state and its backups. */
  closed: string[]
  /** Homes of the profiles. The keys in them (`.env`) are closed. */
  homes: () => string[]
}

/** Determines which part of the machine a session can see and change. */
export function createTerritories ({ folderOf, closed, homes }: TerritoriesOptions) {
  function around (root: string): Territory {
    const elsewhere = remoteFolder(root)
    if (elsewhere !== null) {
      throw new Unavailable(`This folder is on the machine ${elsewhere.machine}, and cannot be reached here`, 'host_unreachable')
    }
    const secrets = [...closed, ...homes().map((home) => join(home, '.env'))].map(realPath)
    return { root, closed: secrets.filter((place) => within(root, place)) }
  }

  function changeable (sessionId: string): SessionFolder {
    const folder = folderOf(sessionId)
    if (folder.readOnly || folder.isForeign) throw new Forbidden('This session is read-only')
    return folder
  }

  return {
    /** For a folder that is known to be a workspace. Like most functions here, throws Unavailable for a folder of another machine. */
    around,

    /** For reading, also in sessions that are read-only or of another front end. Throws NotFound. */
    async reading (sessionId: string): Promise<Territory> {
      const { workspace, isForeign } = folderOf(sessionId)
      if (!isForeign) return around(workspace)
      const folder = await workspaceFolder(workspace, closed).catch(() => null)
      if (folder === null) throw new NotFound('The workspace no longer exists', 'workspace_missing')
      return around(folder)
    },

    /** For changes. Throws Forbidden for sessions that are read-only or of another front end, NotFound. */
    changing: (sessionId: string): Territory => around(changeable(sessionId).workspace),

    /** Throws what `changing` throws, but also accepts folders of other machines. */
    assertChanging (sessionId: string): void {
      changeable(sessionId)
    }
  }
}

export type Territories = ReturnType<typeof createTerritories>
