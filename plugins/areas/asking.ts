import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { type NatsLink } from '../../services/ground/nats/link.js'
import { createAsking, type Asking } from '../../services/areas/machines/index.js'

/** How machines are reached, and which machines exist. */
interface Reach {
  /** Returns null if no machine can join this service. */
  link: () => Promise<NatsLink> | null
  names: () => string[]
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Sends small requests to the machines that have joined this service. */
    asking: Asking & {
      /** Returns the names of the machines. */
      names: () => string[]
      /** Sets how machines are reached. Before this is called there are none. */
      reachBy (reach: Reach): void
      /** Listens for notices that machines send on their own, once `listen` is called. Notices without a listener are not kept. */
      on (what: string, listener: (host: string, notice: unknown) => void): void
      /** Starts listening on a connection. Called once for each connection by the code that has opened it. */
      listen (link: NatsLink): void
    }
  }
}

/** Registered before everything that asks machines. The plugin that connects machines sets how they are reached. */
export default fp(async (app: FastifyInstance) => {
  let reach: Reach = { link: () => null, names: () => [] }
  const listeners = new Map<string, (host: string, notice: unknown) => void>()
  app.decorate('asking', {
    ...createAsking({
      link: () => reach.link(), isThere: (host) => reach.names().includes(host), log: (message, details) => app.log.warn(details, message)
    }),
    names: () => reach.names(),
    reachBy (next: Reach) { reach = next },
    on: (what: string, listener: (host: string, notice: unknown) => void) => { listeners.set(what, listener) },
    listen ({ nc, subjects }: NatsLink) {
      for (const [what, listener] of listeners) {
        nc.subscribe(subjects.notice('*', what), {
          callback (failure, message) {
            if (failure !== null) return
            try {
              const [, , host = ''] = message.subject.split('.')
              listener(host, message.json())
            } catch (error) {
              app.log.warn({ what, reason: String(error) }, 'a message from a machine could not be received')
            }
          }
        })
      }
    }
  })
}, { name: 'asking', dependencies: ['config'] })
