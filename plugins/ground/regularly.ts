import { type FastifyInstance } from 'fastify'

/** Delay, so that clients that wait for the start are answered first. */
const firstAfterMs = 100

/** Runs `work` shortly after the service is ready, and then at intervals until it stops. Errors are logged as `trouble`. */
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
