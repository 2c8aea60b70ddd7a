import { AsyncLocalStorage } from 'node:async_hooks'
import { LinkLoop, realPath, within } from '../services/ground/files/containment.js'
import { Forbidden, NotFound } from '../services/ground/errors.js'
import { type Guest } from '../services/areas/relay/index.js'

export interface GuestsOptions {
  /** The only folders that may contain workspaces, whatever the service says. */
  roots: readonly string[]
  /** The machine's own folders, which may not contain workspaces. */
  reserved: readonly string[]
}

/** Sessions of the service. Each is known only while a request of it is being answered. */
export function createGuests ({ roots, reserved }: GuestsOptions) {
  const present = new AsyncLocalStorage<Guest>()

  return {
    /**
     * Throws Forbidden for a folder that this machine does not open, NotFound for one that was replaced or is unknown.
     * The route checks whether it exists.
     */
    admit ({ workspace, isKnown }: Guest): void {
      try {
        this.assertOpen(workspace)
      } catch (error) {
        // Clients must not be able to guess which folders exist.
        throw isKnown ? error : new NotFound('Workspace not found')
      }
    },

    /** Throws Forbidden, NotFound. */
    assertOpen (workspace: string): void {
      const real = workspace.startsWith('/') && !workspace.includes('\0') ? destination(workspace) : null
      // A folder that has since been replaced by a symlink is no longer the same.
      if (real !== workspace) throw new NotFound('The workspace no longer exists', 'workspace_missing')
      if (!roots.some((root) => within(destination(root) ?? root, real)) || reserved.some((folder) =>
        within(destination(folder) ?? folder, real))) throw new Forbidden('This folder is not among those that its machine offers')
    },

    /** Runs `work`, and everything that it starts, for this guest. */
    during: <T> (guest: Guest, work: () => T): T => present.run(guest, work),

    /** Returns the current guest. Throws NotFound if it is another session. */
    of (sessionId: string): Guest {
      const guest = present.getStore()
      if (guest?.sessionId !== sessionId) throw new NotFound('Session not found')
      return guest
    },

    /** Returns the current guest, whichever session it is. Throws NotFound if there is none. */
    current (): Guest {
      const guest = present.getStore()
      if (guest === undefined) throw new NotFound('Session not found')
      return guest
    }
  }
}

export type Guests = ReturnType<typeof createGuests>

/** Returns the real path, whether or not anything exists there; null for a loop of symlinks. */
function destination (path: string): string | null {
  try {
    return realPath(path)
  } catch (error) {
    if (error instanceof LinkLoop) return null
    throw error
  }
}
