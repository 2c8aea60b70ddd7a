import { request, type ClientRequest, type IncomingMessage, type Server } from 'node:http'
import { duplexPair, pipeline, Readable } from 'node:stream'

export interface LocalRequest {
  method: string
  url: string
  headers: Record<string, string>
  body: Buffer | Readable | null
  signal: AbortSignal
}

/**
 * Sends a request to a server that listens on no port: HTTP through a pipe in this process. As with any server, a slow reader slows it
 * down, and it notices when the client disconnects. Rejects if the server breaks the connection.
 */
export async function ask (server: Server, { method, url, headers, body, signal }: LocalRequest): Promise<IncomingMessage> {
  const [near, far] = duplexPair()
  // Neither end of such a pipe notices by itself that the other one was destroyed.
  near.once('close', () => far.destroy())
  far.once('close', () => near.destroy())
  server.emit('connection', far)
  return await new Promise((resolve, reject) => {
    const outgoing: ClientRequest = request({
      method, path: url, headers: { host: 'machine', ...headers }, createConnection: () => near, signal
    })
    outgoing.on('response', resolve)
    outgoing.on('error', reject)
    // It is no error if the server does not read the whole body: its answer says why.
    if (body instanceof Readable) pipeline(body, outgoing, () => {})
    else outgoing.end(body ?? undefined)
  })
}
