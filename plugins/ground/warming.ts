import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { setTimeout as delay } from 'node:timers/promises'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Turns wait for this route: its schemas are compiled just after the start, not with the first request. */
    warmed?: true
  }
  interface FastifyInstance {
    /** Runs `compile` shortly after the start, if the route is to be warmed. */
    compileAhead (route: { method?: string, url?: string }, compile: () => void): void
  }
}

/** Clients that wait for the start are answered first, and between two schemas those that have arrived meanwhile. */
const pauseMs = 100

/** Compiles some schemas before they are needed. The others wait for their first request; see validation and serialization. */
export default fp(async (app: FastifyInstance) => {
  const warmed = new Set<string>()
  const waiting: Array<{ route: string, compile: () => void }> = []

  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.warmed === true) for (const each of [method].flat()) warmed.add(`${each} ${url}`)
  })
  app.decorate('compileAhead', ({ method, url }, compile) => {
    const route = `${method} ${url}`
    if (warmed.has(route)) waiting.push({ route, compile })
  })

  async function warm (): Promise<void> {
    for (const { route, compile } of waiting.splice(0)) {
      await delay(pauseMs, undefined, { ref: false })
      try {
        compile()
      } catch (err) {
        app.log.warn({ err, route }, 'a schema could not be compiled')
      }
    }
  }
  app.addHook('onReady', async () => { void warm() })
}, { name: 'warming' })
