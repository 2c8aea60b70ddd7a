import { type FastifyInstance } from 'fastify'

/** Requests that wait for the start are answered first. */
const usuallyAfterMs = 100

/**
 * Runs `work` a moment (`firstAfterMs`) after the service is ready, and then every `everyMs` until it stops. Failures are logged as
 * `trouble`.
 */
export function regularly (
  app: Pick<FastifyInstance, 'addHook' | 'log'>, everyMs: number, trouble: string, work: () => Promise<unknown>,
  firstAfterMs = usuallyAfterMs
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
