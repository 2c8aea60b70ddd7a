import { Unavailable } from '../../ground/errors.js'
import { type HostTransport } from './connection.js'
import { type MachineTransport, type NatsTransportOptions } from './machines.js'

/** Loads the NATS client, which is not loaded before. */
export async function openNatsTransport (options: NatsTransportOptions): Promise<MachineTransport> {
  const { natsTransport } = await import('./nats.js')
  return natsTransport(options)
}

/** Sends runs of this machine to `local`, and those of other machines to `remote`. Without `remote` those are refused. */
export function dispatching (local: HostTransport, remote: MachineTransport | null): HostTransport {
  const transport: HostTransport = (profile, machine) => {
    if (machine === undefined) return local(profile)
    if (remote === null) {
      throw new Unavailable(`"${machine}" is another machine, and this service is connected to no NATS server`, 'host_unreachable')
    }
    return remote(profile, machine)
  }
  return Object.assign(transport, {
    findHosts: local.findHosts,
    async close () { await Promise.all([local.close?.(), remote?.close()]) }
  })
}
