import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createServer, type IncomingMessage } from 'node:http'
import { consoleSocket, listenPrivately } from '../../services/ground/network/local-socket.js'
import { answerClientError } from './errors.js'

declare module 'fastify' {
  interface FastifyInstance { console: Console }
}

interface Console {
  /** Whether the request comes from a program of the service's own user on its machine. No header can claim this. */
  hasSent (request: IncomingMessage): boolean
  /** Listens for such programs until the app is closed. The caller holds the lock of the state folder. Rejects with the system's error. */
  listen (): Promise<void>
  /** Shuts the service down; null if it is not a process of its own. */
  stop: (() => void) | null
}

export interface ConsoleOptions {
  stop?: () => void
  /** Whether every request comes from the console, in an app that does not listen on the network. */
  isOnlyOne?: boolean
}

/**
 * The socket in the state folder by which the program `agent-web-service` talks to a running service. Only the service's own user can open
 * it, who could do anything with its files anyway. All routes can be requested over it.
 */
export default fp<ConsoleOptions>(async (app: FastifyInstance, { stop, isOnlyOne = false }) => {
  const sockets = new WeakSet<object>()
  const server = createServer((request, reply) => { app.routing(request, reply) })
  server.on('connection', (socket) => {
    sockets.add(socket)
    // A socket of this kind has no address, and always comes from this machine.
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
