import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { setTimeout as delay } from 'node:timers/promises'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A turn waits for this route: its schemas are compiled when the service has just started, not with the first request. */
    warmed?: true
  }
  interface FastifyInstance {
    /** Has `compile` done a moment after the start, if the route is to be warmed. */
    compileAhead (route: { method?: string, url?: string }, compile: () => void): void
  }
}

/** Whoever waits for the start is answered first, and between two schemas whoever has come meanwhile. */
const pauseMs = 100

/** Schemas that are compiled before they are needed. The others wait for their first request; see validation and serialization. */
export default fp(async (app: FastifyInstance) => {
  const warmed = new Set<string>()
  const waiting: Array<() => void> = []

  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.warmed === true) for (const each of [method].flat()) warmed.add(`${each} ${url}`)
  })
  app.decorate('compileAhead', ({ method, url }, compile) => { if (warmed.has(`${method} ${url}`)) waiting.push(compile) })

  async function warm (): Promise<void> {
    for (const compile of waiting.splice(0)) {
      await delay(pauseMs, undefined, { ref: false })
      compile()
    }
  }
  app.addHook('onReady', async () => { warm().catch((error: unknown) => app.log.warn({ err: error }, 'a schema could not be compiled')) })
}, { name: 'warming' })
