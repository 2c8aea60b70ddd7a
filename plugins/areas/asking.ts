import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { type NatsLink } from '../../services/ground/nats/link.js'
import { createAsking, type Asking } from '../../services/areas/machines/index.js'

/** How machines are reached, and which there are. */
interface Reach {
  /** Null where no machine can join this service. */
  link: () => Promise<NatsLink> | null
  names: () => string[]
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Small questions to the machines that have joined this service. */
    asking: Asking & {
      /** Names of the machines that there are. */
      names: () => string[]
      /** From now on they are reached like this; until then there are none. */
      reachBy (reach: Reach): void
      /** What machines tell by themselves (`notice`), from when `listen` is called. Nothing of it is kept for who does not listen. */
      on (what: string, listener: (host: string, notice: unknown) => void): void
      /** For whoever has connected, once for each connection. */
      listen (link: NatsLink): void
    }
  }
}

/** Registered before everything that asks; whoever connects machines says how they are reached. */
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
