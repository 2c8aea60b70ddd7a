import { createServer, type AddressInfo, type Socket } from 'node:net'
import { httpFaults } from './http-faults.js'

export interface HttpPeers {
  /** Returns the address at which a server has the given fault. */
  url (fault: string): string
  /** Returns the faults of the open connections; for one without a request yet, the bytes that arrived. */
  open (): string[]
  close (): void
}

/** Starts one server that has every fault, each below the path of its name. */
export async function startHttpPeers (): Promise<HttpPeers> {
  const sockets = new Map<Socket, string>()
  const server = createServer((socket) => {
    sockets.set(socket, 'nothing yet')
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy())
    let request = ''
    socket.on('data', function look (chunk: Buffer) {
      request += chunk.toString('latin1')
      sockets.set(socket, JSON.stringify(request.slice(0, 60)))
      // A kept-alive connection gets its next fault when the next request begins.
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
