import { type HostConnection } from './connection.js'
import { MachineConnection } from './machine-connection.js'
import { type MachineTransport, type NatsTransportOptions } from './machines.js'

/**
 * Opens connections to processes on machines that have joined. Runs continue there whatever happens to this service and to the NATS server;
 * their events stay in the stream until they are stored here.
 */
export function natsTransport (options: NatsTransportOptions): MachineTransport {
  const connections = new Set<MachineConnection>()
  const look = (): void => { for (const connection of [...connections]) connection.look() }
  options.presence.onChange(look)
  options.link.onChange((isConnected) => {
    if (isConnected) for (const connection of connections) connection.renew()
    look()
  })
  const transport = (profile: string, machine: string): HostConnection => {
    const connection = new MachineConnection(profile, machine, options, () => { connections.delete(connection) })
    connections.add(connection)
    return connection
  }
  return Object.assign(transport, {
    giveUp () { for (const connection of [...connections]) connection.giveUp() },
    async close () { await Promise.all([...connections].map(async (connection) => await connection.stop())) }
  })
}
