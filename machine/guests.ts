import { AsyncLocalStorage } from 'node:async_hooks'
import { LinkLoop, realPath, within } from '../services/ground/containment.js'
import { Forbidden, NotFound } from '../services/ground/errors.js'
import { type Guest } from '../services/areas/relay/index.js'

export interface GuestsOptions {
  /** Folders in which workspaces may lie, whatever the service says. */
  roots: readonly string[]
  /** Folders of the machine's own, in which none may. */
  reserved: readonly string[]
}

/** Sessions of the service, each known for as long as a request of it is answered. */
export function createGuests ({ roots, reserved }: GuestsOptions) {
  const present = new AsyncLocalStorage<Guest>()

  return {
    /**
     * Throws Forbidden for a folder that this machine does not open, NotFound for one that is not where it was.
     * Whether anything is there is for the route.
     */
    admit ({ workspace, isKnown }: Guest): void {
      try {
        this.assertOpen(workspace)
      } catch (error) {
        // Which folders there are is nothing to be found out by guessing.
        throw isKnown ? error : new NotFound('Workspace not found')
      }
    },

    /** Throws Forbidden, NotFound. */
    assertOpen (workspace: string): void {
      const real = workspace.startsWith('/') && !workspace.includes('\0') ? destination(workspace) : null
      // One that has been replaced by a symlink since is not that folder any more.
      if (real !== workspace) throw new NotFound('The workspace no longer exists', 'workspace_missing')
      if (!roots.some((root) => within(destination(root) ?? root, real)) || reserved.some((folder) =>
        within(destination(folder) ?? folder, real))) throw new Forbidden('This folder is not among those that its machine offers')
    },

    /** Whatever `work` begins is done for this guest. */
    during: <T> (guest: Guest, work: () => T): T => present.run(guest, work),

    /** The one for which something is done. Throws NotFound for any other session. */
    of (sessionId: string): Guest {
      const guest = present.getStore()
      if (guest?.sessionId !== sessionId) throw new NotFound('Session not found')
      return guest
    },

    /** The same, whichever session it is. Throws NotFound when there is none. */
    current (): Guest {
      const guest = present.getStore()
      if (guest === undefined) throw new NotFound('Session not found')
      return guest
    }
  }
}

export type Guests = ReturnType<typeof createGuests>

/** Where a path leads, whether or not anything is there; null where that goes round in a circle. */
function destination (path: string): string | null {
  try {
    return realPath(path)
  } catch (error) {
    if (error instanceof LinkLoop) return null
    throw error
  }
}
