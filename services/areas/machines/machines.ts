import { Conflict, NotFound } from '../../ground/errors.js'
import { type NatsLink } from '../../ground/nats/link.js'
import { type ServiceLink } from './connection.js'
import { type Machine, type Presence } from './presence.js'

/** Other machines that turns can run on. `connection` is null if the service is not set up for machines to join. */
export function createMachines ({ presence, connection }: { presence: Presence, connection: ServiceLink | null }) {
  return {
    isEnabled: connection !== null,
    presence,

    /** Returns null if no machine can join; rejects with Unavailable while the server cannot be reached. */
    link: (): Promise<NatsLink> | null => connection === null ? null : connection.link(),

    /** Returns the connection, even if it is interrupted at the moment; null if there is none. */
    current: (): NatsLink | null => connection?.current ?? null,

    /**
     * Calls the listener with each connection, at once if one is open, and with null when it is abandoned for good. An interruption
     * triggers neither.
     */
    onLink: (listener: (link: NatsLink | null) => void): void => { connection?.onLink(listener) },

    /** Returns why machines cannot be reached; null if they can, or if none can join. */
    problem: (): string | null => connection?.problem ?? null,

    list: (): Machine[] => presence.list(),

    /** Removes a machine that is away from the list. Throws NotFound, and Conflict for one that is connected. */
    async forget (name: string): Promise<void> {
      if (presence.find(name) === undefined) throw new NotFound('Machine not found')
      if (!presence.forget(name)) throw new Conflict('This machine is connected. Stop its program first', 'host_present')
      await connection?.dropObjects(name)
    }
  }
}

export type Machines = ReturnType<typeof createMachines>
