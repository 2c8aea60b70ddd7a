import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { readFileSync } from 'node:fs'
import { asset } from '../services/ground/assets.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Dotted version of the running service. */
    serviceVersion: string
  }
}

export default fp(async (app: FastifyInstance) => {
  const { version } = JSON.parse(readFileSync(asset('package.json'), 'utf8')) as { version: string }
  app.decorate('serviceVersion', version)
}, { name: 'version' })
