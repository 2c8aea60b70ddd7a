import { once } from 'node:events'
import { type Server } from 'node:net'

/** Returns the port that a server listens on. Throws if it does not listen, or listens on a socket file. */
export function portOf (server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server listens on no port')
  return address.port
}

/** Makes a server listen on a free port that only programs of this machine reach. Returns the port. */
export async function listenOnLoopback (server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return portOf(server)
}
