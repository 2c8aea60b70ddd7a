import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createServer, type IncomingMessage } from 'node:http'
import { consoleSocket, listenPrivately } from '../../services/ground/local-socket.js'
import { answerClientError } from './errors.js'

declare module 'fastify' {
  interface FastifyInstance { console: Console }
}

interface Console {
  /** Whether the request comes from a program of the service's own user on its machine. No header can claim this. */
  hasSent (request: IncomingMessage): boolean
  /** Listens for such programs until the app is closed. The caller holds the lock of the state folder. Rejects with the system's error. */
  listen (): Promise<void>
  /** Shuts the service down in order; null if it has no process of its own. */
  stop: (() => void) | null
}

export interface ConsoleOptions {
  stop?: () => void
  /** Treats every request as one of the console, for an app that listens on no address. */
  isOnlyOne?: boolean
}

/**
 * The socket in the state folder through which the program `agent-web-service` talks to a running service. Only the service's own user can
 * open it, who can do everything with its files anyway. All routes can be called through it.
 */
export default fp<ConsoleOptions>(async (app: FastifyInstance, { stop, isOnlyOne = false }) => {
  const sockets = new WeakSet<object>()
  const server = createServer((request, reply) => { app.routing(request, reply) })
  server.on('connection', (socket) => {
    sockets.add(socket)
    // A Unix socket has no address, and its peer is on this machine.
    Object.defineProperty(socket, 'remoteAddress', { value: '127.0.0.1' })
  })
  server.on('clientError', answerClientError)
  app.decorate('console', {
    hasSent: ({ socket }) => isOnlyOne || sockets.has(socket),
    listen: () => listenPrivately(server, consoleSocket(app.config.stateDir)),
    stop: stop ?? null
  })
  app.addHook('preClose', async () => { server.close() })
  app.addHook('onClose', async () => { server.closeAllConnections() })
}, { name: 'console', dependencies: ['config'] })
