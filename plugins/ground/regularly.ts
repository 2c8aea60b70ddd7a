import { type FastifyInstance } from 'fastify'

/** Has `work` done when the service is ready, and every so often until it stops. What goes wrong is logged as `trouble`. */
export function regularly (
  app: Pick<FastifyInstance, 'addHook' | 'log'>, everyMs: number, trouble: string, work: () => Promise<unknown>
): void {
  const run = (): void => {
    work().catch((error: unknown) => app.log.warn({ reason: String(error) }, trouble))
  }
  const timer = setInterval(run, everyMs)
  timer.unref()
  app.addHook('onReady', async () => run())
  app.addHook('preClose', async () => clearInterval(timer))
}
