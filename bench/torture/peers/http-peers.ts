import { createServer, type AddressInfo, type Socket } from 'node:net'
import { httpFaults } from './http-faults.js'

export interface HttpPeers {
  /** The address at which a server has the fault of that name. */
  url (fault: string): string
  /** The faults of the connections that are open; of one without a request yet the bytes that came. */
  open (): string[]
  close (): void
}

/** One server that has every fault, each below the path of its name. */
export async function startHttpPeers (): Promise<HttpPeers> {
  const sockets = new Map<Socket, string>()
  const server = createServer((socket) => {
    sockets.set(socket, 'nothing yet')
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy())
    let request = ''
    socket.on('data', function look (chunk: Buffer) {
      request += chunk.toString('latin1')
      sockets.set(socket, JSON.stringify(request.slice(0, 60)))
      // A connection that is kept has its next fault when the next request begins.
      const name = /^[A-Z]+ \/([^/?\s]+)/.exec(request)?.[1]
      const fault = httpFaults.find((each) => each.name === (name ?? 'no-tls'))
      if (fault === undefined || (name !== undefined && !request.includes('\r\n\r\n'))) return
      sockets.set(socket, fault.name)
      socket.off('data', look).resume()
      void Promise.resolve(fault.play(socket)).catch(() => socket.destroy())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const secure = new Set(httpFaults.filter((fault) => fault.secure).map(({ name }) => name))
  return {
    url: (fault) => `${secure.has(fault) ? 'https' : 'http'}://127.0.0.1:${port}/${fault}`,
    open: () => [...sockets.values()],
    close () {
      for (const socket of sockets.keys()) socket.destroy()
      server.close()
    }
  }
}
