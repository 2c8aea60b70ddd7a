import { Conflict, NotFound } from '../../ground/errors.js'
import { type NatsLink } from '../../ground/nats/link.js'
import { type ServiceLink } from './connection.js'
import { type Machine, type Presence } from './presence.js'

/** Other machines that turns can run on. Null in the place of the connection: it is not set up that any can join. */
export function createHosts ({ presence, connection }: { presence: Presence, connection: ServiceLink | null }) {
  return {
    isEnabled: connection !== null,
    presence,

    /** Null where no machine can join; rejects with Unavailable while the server cannot be reached. */
    link: (): Promise<NatsLink> | null => connection === null ? null : connection.link(),

    /** The connection that is open, be it cut at the moment; null where there is none. */
    current: (): NatsLink | null => connection?.current ?? null,

    /** Called with each connection, at once where there is one, and with null when it is given up for good. A cut is none of these. */
    onLink: (listener: (link: NatsLink | null) => void): void => { connection?.onLink(listener) },

    /** Why machines cannot be reached; null: they can, or none can join. */
    problem: (): string | null => connection?.problem ?? null,

    list: (): Machine[] => presence.list(),

    /** Takes a machine that is away from the list. Throws NotFound, and Conflict for one that is there. */
    async forget (name: string): Promise<void> {
      if (presence.find(name) === undefined) throw new NotFound('Machine not found')
      if (!presence.forget(name)) throw new Conflict('This machine is connected. Stop its program first', 'host_present')
      await connection?.dropObjects(name)
    }
  }
}

export type Hosts = ReturnType<typeof createHosts>
