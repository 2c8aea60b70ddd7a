import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { readFileSync } from 'node:fs'

declare module 'fastify' {
  interface FastifyInstance {
    /** Dotted version of the running service. */
    serviceVersion: string
  }
}

/** package.json stands one folder up, in the source tree as in dist. */
export default fp(async (app: FastifyInstance) => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
  app.decorate('serviceVersion', version)
}, { name: 'version' })
