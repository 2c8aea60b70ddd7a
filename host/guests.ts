import { AsyncLocalStorage } from 'node:async_hooks'
import { realpath } from 'node:fs/promises'
import { within } from '../services/ground/containment.js'
import { Forbidden, NotFound } from '../services/ground/errors.js'
import { type Guest } from '../services/relay/index.js'

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
    /** The guest with the real path of its workspace. Throws Forbidden for one that this machine does not open, NotFound. */
    async admit (guest: Guest): Promise<Guest> {
      return { ...guest, workspace: await this.folder(guest.workspace) }
    },

    /** The real path of a workspace. Throws Forbidden, NotFound. */
    async folder (named: string): Promise<string> {
      const real = async (path: string): Promise<string | null> => await realpath(path).catch(() => null)
      const workspace = named.includes('\0') || !named.startsWith('/') ? null : await real(named)
      if (workspace === null) throw new NotFound('The workspace is not there any more', 'workspace_missing')
      const [open, closed] = await Promise.all([roots, reserved].map(async (folders) => (await Promise.all(folders.map(real))).filter((folder) => folder !== null)))
      if (!open!.some((root) => within(root, workspace)) || closed!.some((folder) => within(folder, workspace))) throw new Forbidden('This folder is not among those that its machine has opened')
      return workspace
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
