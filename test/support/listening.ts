import { once } from 'node:events'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer, type Server, type Socket } from 'node:net'
import { listenOnLoopback, portOf } from '../../services/ground/network/port-of.js'
import { type TestLike } from './app.js'

/** Makes a server listen until the end of the test, which also ends its connections; resolves to its port. */
export async function listening (t: Pick<TestLike, 'teardown'>, server: Server, host = '127.0.0.1'): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => { sockets.add(socket.on('error', () => {})) })
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  await once(server.listen(0, host), 'listening')
  return portOf(server)
}

/** Answers requests with `listener` until the end of the test; resolves to the server's origin. */
export async function serving (t: Pick<TestLike, 'teardown'>, listener: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listening(t, createHttpServer(listener))}`
}

/** Returns a port of 127.0.0.1 that nothing listens on now. */
export async function freePort (): Promise<number> {
  const server = createServer()
  const port = await listenOnLoopback(server)
  await once(server.close(), 'close')
  return port
}
