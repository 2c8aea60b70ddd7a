import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { readFileSync } from 'node:fs'
import { asset } from '../../services/ground/assets.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Dotted version of the running service. */
    serviceVersion: string
    /** Build of the browser app that it serves; it changes whenever one of the app's files does. */
    appVersion: string
  }
}

export default fp(async (app: FastifyInstance) => {
  const { version }: { version: string } = JSON.parse(readFileSync(asset('package.json'), 'utf8'))
  const { version: appVersion }: { version: string } = JSON.parse(readFileSync(asset('web/built/shell.json'), 'utf8'))
  app.decorate('serviceVersion', version)
  app.decorate('appVersion', appVersion)
  // Windows that were opened with another build learn of the new one from their next request.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.url.startsWith('/api/')) reply.header('x-svc-app-version', appVersion)
    done()
  })
}, { name: 'version' })
