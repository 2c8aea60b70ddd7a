import { join } from 'node:path'
import { realPath, within } from '../../ground/containment.js'
import { Forbidden, NotFound, Unavailable } from '../../ground/errors.js'
import { remoteFolder } from '../../ground/location.js'
import { workspaceFolder } from './folder.js'
import { type Territory } from './place.js'

/** Where a session works. */
export interface SessionFolder {
  workspace: string
  readOnly: boolean
  /** Another program chose it: it may be no folder that anybody should work in. */
  isForeign: boolean
}

export interface TerritoriesOptions {
  /** Throws NotFound. */
  folderOf: (sessionId: string) => SessionFolder
  /** Folders of the service's own: its state and its backups. */
  closed: string[]
  /** Homes of the profiles: the keys in them stay closed. */
  homes: () => string[]
}

/** The folder of a session: what of the machine can be seen and changed through it. */
export function createTerritories ({ folderOf, closed, homes }: TerritoriesOptions) {
  function around (root: string): Territory {
    const elsewhere = remoteFolder(root)
    if (elsewhere !== null) {
      throw new Unavailable(`This folder is on the machine ${elsewhere.host}, and cannot be reached here`, 'host_unreachable')
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
    /** A folder that is known to be a workspace. Throws Unavailable for one of another machine, as does everything here. */
    around,

    /** Also for sessions that are read-only or of another front end. Throws NotFound. */
    async reading (sessionId: string): Promise<Territory> {
      const { workspace, isForeign } = folderOf(sessionId)
      if (!isForeign) return around(workspace)
      const folder = await workspaceFolder(workspace, closed).catch(() => null)
      if (folder === null) throw new NotFound('The workspace no longer exists', 'workspace_missing')
      return around(folder)
    },

    /** Throws Forbidden for sessions that are read-only or of another front end, NotFound. */
    changing: (sessionId: string): Territory => around(changeable(sessionId).workspace),

    /** The same, wherever the session works. */
    assertChanging (sessionId: string): void {
      changeable(sessionId)
    }
  }
}

export type Territories = ReturnType<typeof createTerritories>
