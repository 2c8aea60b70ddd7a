import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createServer, type IncomingMessage } from 'node:http'
import { consoleSocket, listenPrivately } from '../../services/ground/local-socket.js'
import { answerClientError } from './errors.js'

declare module 'fastify' {
  interface FastifyInstance { console: Console }
}

interface Console {
  /** Whether a request comes from a program of the service's own user on its machine. No header can say so. */
  hasSent (request: IncomingMessage): boolean
  /** Listens for such programs, until the app is closed. The caller holds the state folder. Rejects with what the system says. */
  listen (): Promise<void>
  /** Ends the service in order; null: it is not a process of its own. */
  stop: (() => void) | null
}

export interface ConsoleOptions {
  stop?: () => void
  /** Every request is one of the console: of an app that listens nowhere. */
  isOnlyOne?: boolean
}

/**
 * The socket in the state folder, by which the program `agent-web-service` speaks to a service that runs: whoever opens it is the service's
 * own user, who can do with its files whatever is done here. All routes can be asked over it.
 */
export default fp<ConsoleOptions>(async (app: FastifyInstance, { stop, isOnlyOne = false }) => {
  const sockets = new WeakSet<object>()
  const server = createServer((request, reply) => { app.routing(request, reply) })
  server.on('connection', (socket) => {
    sockets.add(socket)
    // It has none, and is of this machine.
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
