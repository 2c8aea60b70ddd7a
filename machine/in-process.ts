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
 * A request to a server that listens nowhere: HTTP through a pipe in this process, so that it is held up by whoever reads
 * slowly, and hears of it when nobody waits any more, as any server does. Rejects when the server cuts it off.
 */
export async function ask (server: Server, { method, url, headers, body, signal }: LocalRequest): Promise<IncomingMessage> {
  const [near, far] = duplexPair()
  // Neither end of such a pipe hears by itself that the other one was cut.
  near.once('close', () => far.destroy())
  far.once('close', () => near.destroy())
  server.emit('connection', far)
  return await new Promise((resolve, reject) => {
    const outgoing: ClientRequest = request({
      method, path: url, headers: { host: 'machine', ...headers }, createConnection: () => near, signal
    })
    outgoing.on('response', resolve)
    outgoing.on('error', reject)
    // What the server leaves unread is no fault: its answer says why.
    if (body instanceof Readable) pipeline(body, outgoing, () => {})
    else outgoing.end(body ?? undefined)
  })
}
