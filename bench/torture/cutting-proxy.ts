import { createServer, request } from 'node:http'
import { type AddressInfo } from 'node:net'

export interface CuttingProxy {
  url: string
  /** Bytes of each body to pass on before the connection breaks; null: all. */
  letThrough: number | null
  close (): void
}

/** Forwards requests to an origin, and breaks off its answers to POST in the middle. */
export async function startCuttingProxy (origin: string): Promise<CuttingProxy> {
  const server = createServer((incoming, response) => {
    const outgoing = request(`${origin}${incoming.url}`, { method: incoming.method, headers: incoming.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      let left = incoming.method === 'POST' ? proxy.letThrough ?? Infinity : Infinity
      answer.on('data', (chunk: Buffer) => {
        if (chunk.length < left) response.write(chunk)
        else response.write(chunk.subarray(0, left), () => response.destroy())
        left = Math.max(0, left - chunk.length)
      }).on('end', () => response.end()).on('error', () => response.destroy())
    })
    outgoing.on('error', () => response.destroy())
    incoming.pipe(outgoing)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const proxy: CuttingProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    letThrough: null,
    close () {
      server.closeAllConnections()
      server.close()
    }
  }
  return proxy
}
