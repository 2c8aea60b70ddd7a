import { type HostConnection } from './connection.js'
import { MachineConnection } from './machine-connection.js'
import { type MachineTransport, type NatsTransportOptions } from './machines.js'

/**
 * Processes of profiles on machines that have joined. Runs go on there whatever becomes of this service and of the server between;
 * what they say is read from the stream, where it is kept until it is stored here.
 */
export function natsTransport (options: NatsTransportOptions): MachineTransport {
  const connections = new Set<MachineConnection>()
  const look = (): void => { for (const connection of [...connections]) connection.look() }
  options.presence.onChange(look)
  options.link.onChange((isConnected) => {
    if (isConnected) for (const connection of connections) connection.renew()
    look()
  })
  const transport = (profile: string, host: string): HostConnection => {
    const connection = new MachineConnection(profile, host, options, () => { connections.delete(connection) })
    connections.add(connection)
    return connection
  }
  return Object.assign(transport, {
    giveUp () { for (const connection of [...connections]) connection.giveUp() },
    async close () { await Promise.all([...connections].map(async (connection) => await connection.stop())) }
  })
}
