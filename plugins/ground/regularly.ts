import { type FastifyInstance } from 'fastify'

/** Whoever waits for the start is answered first. */
const firstAfterMs = 100

/** Has `work` done a moment after the service is ready, and every so often until it stops. What goes wrong is logged as `trouble`. */
export function regularly (
  app: Pick<FastifyInstance, 'addHook' | 'log'>, everyMs: number, trouble: string, work: () => Promise<unknown>
): void {
  const run = (): void => {
    work().catch((error: unknown) => app.log.warn({ reason: String(error) }, trouble))
  }
  const timer = setInterval(run, everyMs).unref()
  let first: NodeJS.Timeout | undefined
  app.addHook('onReady', async () => { first = setTimeout(run, firstAfterMs).unref() })
  app.addHook('preClose', async () => {
    clearInterval(timer)
    clearTimeout(first)
  })
}
